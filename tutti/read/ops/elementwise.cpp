// SPDX-License-Identifier: Apache-2.0
// Functions of elements, constants, and conversions.
#include <algorithm>
#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/functions/numbers/elementary.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/bitcast_convert.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/clamp.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce_precision.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/read/maps/digits.hpp"
#include "tutti/read/operation_rows.hpp"
#include "tutti/read/patterns/scalar_region.hpp"
#include "tutti/read/patterns/threefry.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {
namespace {

template <Array (*function)(const Operand&)>
Arrays unary(const OpReader& op) {
  return {function(op.operand(0))};
}

template <Array (*function)(const Operand&, const Operand&)>
Arrays binary(const OpReader& op) {
  return {function(op.operand(0), op.operand(1))};
}

Array negated(const Operand& x) { return -x; }
bool is_of_bool(const Operand& x) { return x.array()->dtype() == DType::boolean; }
/// StableHLO adds bools by "or" and multiplies them by "and".
Array sum(const Operand& x, const Operand& y) { return is_of_bool(x) ? logical_or(x, y) : x + y; }
Array difference(const Operand& x, const Operand& y) { return x - y; }
Array product(const Operand& x, const Operand& y) { return is_of_bool(x) ? logical_and(x, y) : x * y; }
Array quotient(const Operand& x, const Operand& y) { return x / y; }

/// A quotient or remainder of the device's number keeps some of its digits. Where these are whole
/// axes, they are the position along the axes.
template <Arrays (*otherwise)(const OpReader&), bool keeps_quotient>
Arrays of_digits(const OpReader& op) {
  const auto& digits = op.known(0).digits;
  const auto& number = op.known(1).number;
  if (!digits || !number) return otherwise(op);
  const auto kept =
      keeps_quotient ? digits_of_quotient(*digits, *number) : digits_of_remainder(*digits, *number);
  if (!kept) return otherwise(op);
  ReadValue& result = op.reading().value(op.op().results[0]);
  result.digits = kept;
  const auto axes = axes_of_digits(*kept, op.reading().mesh(), op.reading().bound());
  return axes ? Arrays{convert(position_along(*axes, op.shape()), op.dtype())} : otherwise(op);
}

/// Integers of this type have room for all digits of a device's number.
bool holds(DType dtype, const DeviceDigits& digits) {
  return is_integer(dtype) && digits.modulus <= std::int64_t{1} << (8 * bytes_per_element(dtype) - 1);
}

/// To the nearest integer, halves away from 0.
Array rounded_away(const Operand& x) {
  const Array towards_zero = select(x < 0, ceil(x), floor(x));
  const Array rest = abs(x - towards_zero);  // exact
  return select(rest >= 0.5, towards_zero + sign(x), towards_zero);
}

Arrays converted(const OpReader& op) {
  const auto& digits = op.known(0).digits;
  if (digits && holds(op.dtype(), *digits)) op.reading().value(op.op().results[0]).digits = digits;
  return {convert(op.operand(0), op.dtype())};
}

Arrays exclusive_or(const OpReader& op) {
  if (auto bits = threefry_bits(op)) return {*bits};
  return {logical_xor(op.operand(0), op.operand(1))};
}

Arrays bitcast(const OpReader& op) { return {bitcast_convert(op.operand(0), op.dtype())}; }

Arrays precision_reduced(const OpReader& op) {
  return {reduce_precision(op.operand(0), op.integer("exponent_bits"), op.integer("mantissa_bits"))};
}

/// A scalar in the shape of `like`.
Array in_shape_of(const Array& x, const Array& like) {
  return x.rank() == like.rank() ? x : broadcast_in_dim(x, like.shape(), {});
}

Arrays selected(const OpReader& op) {
  return {select(in_shape_of(op.operand(0), op.operand(1)), op.operand(1), op.operand(2))};
}

Arrays clamped(const OpReader& op) {
  const Array& x = op.operand(1);
  return {clamp(in_shape_of(op.operand(0), x), x, in_shape_of(op.operand(2), x))};
}

/// Integers in the total order of floats (IEEE 754): by their bits; of a negative number all but the sign are
/// turned.
Array in_total_order(const Array& x) {
  const DType integer = x.dtype() == DType::f64   ? DType::i64
                        : x.dtype() == DType::f32 ? DType::i32
                                                  : DType::i16;
  const int width = static_cast<int>(8 * bytes_per_element(integer));
  const std::int64_t all_but_sign = ((std::int64_t{1} << (width - 2)) - 1) * 2 + 1;
  const Array bits = bitcast_convert(x, integer);
  return logical_xor(bits, logical_and(shift_right_arithmetic(bits, width - 1), all_but_sign));
}

Arrays compared(const OpReader& op) {
  const bool is_total = is_float(op.operand(0).dtype()) && op.word("compare_type", "FLOAT") == "TOTALORDER";
  const Array x = is_total ? in_total_order(op.operand(0)) : op.operand(0),
              y = is_total ? in_total_order(op.operand(1)) : op.operand(1);
  const std::string direction = op.word("comparison_direction");
  if (direction == "EQ") return {equal(x, y)};
  if (direction == "NE") return {not_equal(x, y)};
  if (direction == "LT") return {Operand(x) < y};
  if (direction == "LE") return {Operand(x) <= y};
  if (direction == "GT") return {Operand(x) > y};
  require(direction == "GE", Code::text, "comparison_direction is {}; expected EQ, NE, LT, LE, GT or GE",
          direction);
  return {Operand(x) >= y};
}

Arrays constant_read(const OpReader& op) {
  const auto* dense = find_as<stablehlo::Dense>(op.op().attributes, "value");
  require(dense != nullptr, Code::unsupported,
          "the value of the constant has no elements that are known here");
  const Type type = op.result_type();
  require(is_type(dense->type, type.dtype(), type.shape()), Code::text,
          "the value is {}, but the result is {}", to_string(stablehlo::ValueType(dense->type)),
          to_string(op.op().result_types[0]));
  const std::size_t width = dense->data.size();
  const bool is_splat = width > 0 && op.shape().elements() > 1 && width == bytes_per_element(op.dtype());
  Tensor tensor(is_splat ? Shape{} : op.shape(), op.dtype());
  ensure(width == tensor.bytes(), "constant: {} bytes for {}", width, op.result_type());
  if (width > 0) std::memcpy(tensor.mutable_bytes(), dense->data.data(), width);
  if (tensor.elements() == 1) op.reading().value(op.op().results[0]).number = number_of_constant(op.op());
  if (!is_splat) return {constant(tensor)};
  return {broadcast_in_dim(constant(tensor), op.shape(), {})};
}

/// The first derivatives of digamma and lgamma; the order is a number.
Arrays polygamma(const OpReader& op) {
  const auto& order = op.known(0).number;
  require(order == 0.0 || order == 1.0, Code::unsupported, "polygamma of an order that is neither 0 nor 1");
  return {*order == 0 ? digamma(op.operand(1)) : trigamma(op.operand(1))};
}

std::optional<Refusal> refusal_of_constant(const SourceModule&, const stablehlo::Operation& op) {
  const stablehlo::Attribute* value = find(op.attributes, "value");
  if (value && std::holds_alternative<stablehlo::Dense>(value->value)) return {};
  return Refusal{"a constant of elements that are not known here", "print the text with all its constants"};
}

using namespace forms;
constexpr OperationRow rows[] = {
    {"stablehlo.abs", one, unary<abs>},
    {"stablehlo.add", two, binary<sum>},
    {"stablehlo.and", two, binary<logical_and>},
    {"stablehlo.atan2", two, binary<atan2>},
    {"stablehlo.bitcast_convert", one, bitcast},
    {"stablehlo.cbrt", one, unary<cbrt>},
    {"stablehlo.ceil", one, unary<ceil>},
    {"stablehlo.clamp", three, clamped},
    {"stablehlo.compare", two, compared},
    {"stablehlo.complex", two, binary<complex>},
    {"stablehlo.constant", none, constant_read, refusal_of_constant},
    {"stablehlo.convert", one, converted},
    {"stablehlo.cosine", one, unary<cos>},
    {"stablehlo.count_leading_zeros", one, unary<count_leading_zeros>},
    {"stablehlo.divide", two, of_digits<binary<quotient>, true>},
    {"stablehlo.exponential", one, unary<exp>},
    {"stablehlo.exponential_minus_one", one, unary<expm1>},
    {"stablehlo.floor", one, unary<floor>},
    {"stablehlo.imag", one, unary<imag>},
    {"stablehlo.is_finite", one, unary<is_finite>},
    {"stablehlo.log", one, unary<log>},
    {"stablehlo.log_plus_one", one, unary<log1p>},
    {"stablehlo.logistic", one, unary<logistic>},
    {"stablehlo.maximum", two, binary<maximum>},
    {"stablehlo.minimum", two, binary<minimum>},
    {"stablehlo.multiply", two, binary<product>},
    {"stablehlo.negate", one, unary<negated>},
    {"stablehlo.not", one, unary<logical_not>},
    {"stablehlo.or", two, binary<logical_or>},
    {"stablehlo.popcnt", one, unary<popcount>},
    {"stablehlo.power", two, binary<pow>},
    {"stablehlo.real", one, unary<real>},
    {"stablehlo.reduce_precision", one, precision_reduced},
    {"stablehlo.remainder", two, of_digits<binary<rem>, false>},
    {"stablehlo.round_nearest_afz", one, unary<rounded_away>},
    {"stablehlo.round_nearest_even", one, unary<round>},
    {"stablehlo.rsqrt", one, unary<rsqrt>},
    {"stablehlo.select", three, selected},
    {"stablehlo.shift_left", two, binary<shift_left>},
    {"stablehlo.shift_right_arithmetic", two, binary<shift_right_arithmetic>},
    {"stablehlo.shift_right_logical", two, binary<shift_right_logical>},
    {"stablehlo.sign", one, unary<sign>},
    {"stablehlo.sine", one, unary<sin>},
    {"stablehlo.sqrt", one, unary<sqrt>},
    {"stablehlo.subtract", two, binary<difference>},
    {"stablehlo.tan", one, unary<tan>},
    {"stablehlo.tanh", one, unary<tanh>},
    {"stablehlo.xor", two, exclusive_or},
    {"chlo.acos", one, unary<acos>},
    {"chlo.acosh", one, unary<acosh>},
    {"chlo.asin", one, unary<asin>},
    {"chlo.asinh", one, unary<asinh>},
    {"chlo.atan", one, unary<atan>},
    {"chlo.atanh", one, unary<atanh>},
    {"chlo.conj", one, unary<conj>},
    {"chlo.cosh", one, unary<cosh>},
    {"chlo.digamma", one, unary<digamma>},
    {"chlo.erf", one, unary<erf>},
    {"chlo.erf_inv", one, unary<erf_inv>},
    {"chlo.erfc", one, unary<erfc>},
    {"chlo.is_inf", one, unary<isinf>},
    {"chlo.lgamma", one, unary<lgamma>},
    {"chlo.polygamma", two, polygamma},
    {"chlo.sinh", one, unary<sinh>},
    {"chlo.square", one, unary<square>},
    {"chlo.tan", one, unary<tan>},
};

}  // namespace

OperationRows elementwise_rows() { return rows; }

}  // namespace tutti
