// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/constant.hpp"

#include <cmath>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {
namespace {

constexpr std::size_t printed_elements = 8;

template <class T>
std::string first_elements(const Tensor& value) {
  std::string text;
  for (std::size_t i = 0; i < value.as<T>().size() && i < printed_elements; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", value.as<T>()[i]);
  return text;
}

std::string first_elements(const Tensor& value) {
  switch (value.dtype()) {
    case DType::boolean: return first_elements<bool>(value);
    case DType::i32: return first_elements<std::int32_t>(value);
    case DType::i64: return first_elements<std::int64_t>(value);
    case DType::f32: return first_elements<float>(value);
    case DType::f64: return first_elements<double>(value);
  }
  return {};
}

[[noreturn]] void refuse(const std::string& number, DType dtype, std::string_view advice) {
  fail(Code::number, "the number {} does not fit {}; {}", number, name(dtype), advice);
}

// As C++ has it: "5.0", not "5".
std::string with_point(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

Tensor rounded(double value, DType dtype) {
  constexpr double beyond_i64 = 0x1p63;  // whole numbers from there on arrive as doubles
  if (dtype == DType::boolean) refuse(with_point(value), dtype, "write true or false");
  if (!is_float(dtype) && std::abs(value) >= beyond_i64)
    refuse(with_point(value), dtype, "write one that is nearer to 0, or convert to a float dtype");
  if (!is_float(dtype))
    refuse(with_point(value), dtype, "write a whole number without a point, or convert to a float dtype");
  return Tensor::scalar_of(dtype, value);
}

Tensor rounded(std::int64_t value, DType dtype) {
  using Limits = std::numeric_limits<std::int32_t>;
  if (dtype == DType::boolean) refuse(fmt::format("{}", value), dtype, "write true or false");
  if (dtype == DType::i32 && (value < Limits::min() || value > Limits::max()))
    refuse(fmt::format("{}", value), dtype, "write one that is nearer to 0, or convert to i64");
  return Tensor::scalar_of(dtype, value);
}

Tensor rounded(bool value, DType dtype) {
  if (dtype != DType::boolean) refuse(value ? "true" : "false", dtype, "write 0 or 1");
  return Tensor::scalar(value);
}

// In all elements of `shape`.
Array repeated(const Tensor& scalar, const Shape& shape) { return broadcast_to(constant(scalar), shape); }

}  // namespace

Parameters Constant::parameters() const {
  std::string text = first_elements(value);
  if (value.shape().rank() == 0) return {{"value", text}};
  bool all = value.elements() <= static_cast<std::int64_t>(printed_elements);
  return {{"value", fmt::format("[{}{}]", text, all ? "" : ", ..")}};
}

Types Constant::infer(const Types&) const { return {Type(value.dtype(), value.shape())}; }

Kernel Constant::kernel(const Layout&) const { return Literal{value, identity_view(value.shape())}; }

Jvp Constant::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays Constant::batch(const Axis&, const BatchedArrays&, const Types&) const {
  return {{constant(value), false}};
}

Lowered Constant::lower(Emitter& emitter, const Lowered&) const { return {emitter.constant(value)}; }

std::vector<Example> Constant::examples() {
  return {{Constant{Tensor::scalar(1.5F)}, {}},
          {Constant{Tensor({3}, std::vector<std::int32_t>{2, -7, 5})}, {}},
          {Constant{Tensor({2, 3}, std::vector<double>{1, 2.5, -3, 4, 0.125, 6})}, {}},
          {Constant{Tensor({0}, std::vector<float>{})}, {}},
          {Constant{Tensor({2}, std::vector<bool>{true, false})}, {}}};
}

Array constant(const Tensor& value, Where where) { return apply_one(Constant{value}, {}, where); }

Array full(const Shape& shape, const Number& value, DType dtype, Where where) {
  return front_end("full", where, [&] { return repeated(as_scalar(value, dtype), shape); });
}

Array zeros(const Shape& shape, DType dtype, Where where) {
  return front_end("zeros", where, [&] { return repeated(Tensor(dtype, {}), shape); });
}

Array ones(const Shape& shape, DType dtype, Where where) {
  return front_end("ones", where, [&] { return repeated(Tensor::scalar_of(dtype, std::int64_t{1}), shape); });
}

Array zeros_like(const Operand& x) {
  return front_end("zeros_like", x.where(), [&] {
    Array like = as_array(x);
    return zeros(like.shape(), like.dtype());
  });
}

Array ones_like(const Operand& x) {
  return front_end("ones_like", x.where(), [&] {
    Array like = as_array(x);
    return ones(like.shape(), like.dtype());
  });
}

Tensor as_scalar(const Number& value, DType dtype) {
  return std::visit([&](auto number) { return rounded(number, dtype); }, value);
}

}  // namespace tutti
