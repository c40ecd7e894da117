// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/element_fn.hpp"
#include "tutti/base/inside.hpp"

namespace tutti {

std::string_view ops::name(UnaryFn fn) {
  switch (fn) {
    case UnaryFn::neg: return "neg";
    case UnaryFn::exp: return "exp";
    case UnaryFn::log: return "log";
    case UnaryFn::tanh: return "tanh";
    case UnaryFn::sqrt: return "sqrt";
    case UnaryFn::rsqrt: return "rsqrt";
    case UnaryFn::logistic: return "logistic";
    case UnaryFn::abs: return "abs";
    case UnaryFn::sign: return "sign";
    case UnaryFn::sin: return "sin";
    case UnaryFn::cos: return "cos";
    case UnaryFn::log1p: return "log1p";
    case UnaryFn::expm1: return "expm1";
    case UnaryFn::erf: return "erf";
    case UnaryFn::erf_inv: return "erf_inv";
    case UnaryFn::xla_erf_inv: return "xla_erf_inv";
    case UnaryFn::exp2: return "exp2";
    case UnaryFn::log2: return "log2";
    case UnaryFn::log10: return "log10";
    case UnaryFn::tan: return "tan";
    case UnaryFn::asin: return "asin";
    case UnaryFn::acos: return "acos";
    case UnaryFn::atan: return "atan";
    case UnaryFn::sinh: return "sinh";
    case UnaryFn::cosh: return "cosh";
    case UnaryFn::asinh: return "asinh";
    case UnaryFn::acosh: return "acosh";
    case UnaryFn::atanh: return "atanh";
    case UnaryFn::cbrt: return "cbrt";
    case UnaryFn::erfc: return "erfc";
    case UnaryFn::lgamma: return "lgamma";
    case UnaryFn::digamma: return "digamma";
    case UnaryFn::trigamma: return "trigamma";
    case UnaryFn::round: return "round";
    case UnaryFn::floor: return "floor";
    case UnaryFn::ceil: return "ceil";
    case UnaryFn::is_finite: return "is_finite";
    case UnaryFn::logical_not: return "not";
    case UnaryFn::real: return "real";
    case UnaryFn::imag: return "imag";
    case UnaryFn::popcount: return "popcount";
    case UnaryFn::count_leading_zeros: return "count_leading_zeros";
  }
  return {};
}

std::string_view ops::name(BinaryFn fn) {
  switch (fn) {
    case BinaryFn::add: return "add";
    case BinaryFn::sub: return "sub";
    case BinaryFn::mul: return "mul";
    case BinaryFn::div: return "div";
    case BinaryFn::pow: return "pow";
    case BinaryFn::maximum: return "maximum";
    case BinaryFn::minimum: return "minimum";
    case BinaryFn::rem: return "rem";
    case BinaryFn::logical_and: return "and";
    case BinaryFn::logical_or: return "or";
    case BinaryFn::logical_xor: return "xor";
    case BinaryFn::atan2: return "atan2";
    case BinaryFn::shift_left: return "shift_left";
    case BinaryFn::shift_right_arithmetic: return "shift_right_arithmetic";
    case BinaryFn::shift_right_logical: return "shift_right_logical";
    case BinaryFn::complex: return "complex";
  }
  return {};
}

std::string_view ops::name(CompareDirection direction) {
  switch (direction) {
    case CompareDirection::eq: return "eq";
    case CompareDirection::ne: return "ne";
    case CompareDirection::lt: return "lt";
    case CompareDirection::le: return "le";
    case CompareDirection::gt: return "gt";
    case CompareDirection::ge: return "ge";
  }
  return {};
}

std::string_view ops::name(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum: return "sum";
    case ReduceKind::prod: return "prod";
    case ReduceKind::max: return "max";
    case ReduceKind::min: return "min";
    case ReduceKind::logical_and: return "and";
    case ReduceKind::logical_or: return "or";
  }
  return {};
}

}  // namespace tutti
