// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/constant.hpp"

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

Tensor rounded(double value, DType dtype) {
  require(
      is_float(dtype), Code::number,
      "the floating-point number {} stands beside an array of {}; write a whole number, or convert the array",
      value, name(dtype));
  return Tensor::scalar_of(dtype, value);
}

Tensor rounded(std::int64_t value, DType dtype) {
  require(dtype != DType::boolean, Code::number,
          "the number {} stands beside an array of bool; write true or false", value);
  using Limits = std::numeric_limits<std::int32_t>;
  require(dtype != DType::i32 || (Limits::min() <= value && value <= Limits::max()), Code::number,
          "the number {} does not fit {}; use a smaller one or convert the array", value, name(dtype));
  return Tensor::scalar_of(dtype, value);
}

Tensor rounded(bool value, DType dtype) {
  require(dtype == DType::boolean, Code::number, "{} stands beside an array of {}; write a number", value,
          name(dtype));
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
