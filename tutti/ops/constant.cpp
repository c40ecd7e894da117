// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/constant.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <cmath>
#include <concepts>
#include <functional>
#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {
namespace {

constexpr std::size_t printed_elements = 8;

// A NaN has no sign that a reader wants to know.
template <class T>
std::string element_text(T x) {
  if constexpr (is_half_element<T>) return element_text(static_cast<float>(x));
  else if constexpr (is_complex_element<T>)
    return fmt::format("({}, {})", element_text(x.real()), element_text(x.imag()));
  else if constexpr (std::floating_point<T>) return std::isnan(x) ? "nan" : fmt::format("{}", x);
  else return fmt::format("{}", x);
}

std::string first_elements(const Tensor& value) {
  std::string text;
  with_element(value.dtype(), [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < value.as<T>().size() && i < printed_elements; ++i)
      text += (i == 0 ? "" : ", ") + element_text(value.as<T>()[i]);
  });
  return text;
}

[[noreturn]] void refuse(const std::string& number, DType dtype, std::string_view advice) {
  fail(Code::number, "the number {} does not fit {}; {}", number, name(dtype), advice);
}

// As C++ has it: "5.0", not "5".
std::string with_point(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == text.npos ? text + ".0" : text;
}

// Whether a finite number would become infinite.
bool overflows(double value, DType dtype) {
  if (!is_inexact(dtype) || !std::isfinite(value)) return false;
  DType part = is_complex(dtype) ? part_of(dtype) : dtype;
  return std::isinf(Tensor::scalar_of(part, value).at(0));
}

[[noreturn]] void refuse_overflow(const std::string& number, double value, DType dtype) {
  DType wider = dtype == DType::complex64      ? DType::complex128
                : overflows(value, DType::f32) ? DType::f64
                                               : DType::f32;
  refuse(number, dtype, fmt::format("write one that is nearer to 0, or convert to {}", name(wider)));
}

Tensor rounded(double value, DType dtype) {
  constexpr double beyond_i64 = 0x1p63;
  if (dtype == DType::boolean) refuse(with_point(value), dtype, "write true or false");
  if (!is_inexact(dtype) && std::abs(value) >= beyond_i64)
    refuse(with_point(value), dtype, "write one that is nearer to 0, or convert to a float dtype");
  if (!is_inexact(dtype))
    refuse(with_point(value), dtype, "write a whole number without a point, or convert to a float dtype");
  if (overflows(value, dtype)) refuse_overflow(with_point(value), value, dtype);
  return Tensor::scalar_of(dtype, value);
}

template <std::integral N>
Tensor rounded(N value, DType dtype) {
  if (dtype == DType::boolean) refuse(fmt::format("{}", value), dtype, "write true or false");
  bool fits = with_element(dtype, [value]<class T>(std::type_identity<T>) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) return std::in_range<T>(value);
    else return true;
  });
  if (!fits && (value < 0 && is_unsigned(dtype)))
    refuse(fmt::format("{}", value), dtype, "write one that is 0 or more, or convert to a signed dtype");
  bool is_widest = bytes_per_element(dtype) == 8;
  if (!fits)
    refuse(fmt::format("{}", value), dtype,
           fmt::format("write one that is nearer to 0, or convert to {}",
                       is_widest || !std::in_range<std::int64_t>(value) ? "a float dtype" : "i64"));
  if (auto number = static_cast<double>(value); overflows(number, dtype))
    refuse_overflow(fmt::format("{}", value), number, dtype);
  return Tensor::scalar_of(dtype, value);
}

Tensor rounded(bool value, DType dtype) {
  if (dtype != DType::boolean) refuse(value ? "true" : "false", dtype, "write 0 or 1");
  return Tensor::scalar(value);
}

struct Filling {
  Shape shape;
  Tensor scalar;  // in all elements
};
Array filled(std::string_view name, Where where, const std::function<Filling()>& filling) {
  auto traced = [&] {
    const auto [shape, scalar] = filling();
    return broadcast_to(constant(scalar), shape);
  };
  auto on_host = [&] {
    const auto [shape, scalar] = filling();
    shape.check();
    return Array(Tensor::full(shape, scalar));
  };
  return front_end_or_host(name, where, traced, on_host);
}

Tensor one(DType dtype) { return Tensor::scalar_of(dtype, std::int64_t{1}); }

}  // namespace

Parameters Constant::parameters() const {
  std::string text = first_elements(value);
  if (value.shape().rank() == 0) return {{"value", text}};
  bool all = value.elements() <= static_cast<std::int64_t>(printed_elements);
  return {{"value", fmt::format("[{}{}]", text, all ? "" : ", ..")}};
}

Types Constant::infer(const Types&) const { return {Type(value.dtype(), value.shape())}; }

Kernel Constant::kernel(const Layout&) const {
  return kernel::Literal{value, kernel::identity_view(value.shape())};
}

Jvp Constant::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays Constant::batch(const Axis&, const BatchedArrays&, const Types&) const {
  return {{constant(value), false}};
}

Lowered Constant::lower(Emitter& emitter, const Lowered&) const { return {emitter.constant(value)}; }

std::vector<Example> Constant::examples() {
  std::vector<Example> examples{
      {Constant{Tensor::scalar(1.5F)}, {}},
      {Constant{Tensor({3}, std::vector<std::int32_t>{2, -7, 5})}, {}},
      {Constant{Tensor({2, 3}, std::vector<double>{1, 2.5, -3, 4, 0.125, 6})}, {}},
      {Constant{Tensor({0}, std::vector<float>{})}, {}},
      {Constant{Tensor({2}, std::vector<bool>{true, false})}, {}},
      {Constant{Tensor({2}, std::vector<std::complex<float>>{{1.5F, -2}, {0, 0.1F}})}, {}}};
  for (DType dtype : more_dtypes())
    examples.push_back({Constant{Tensor::scalar_of(dtype, std::int64_t{3})}, {}});
  return examples;
}

Array constant(const Tensor& value, Where where) { return apply_one(Constant{value}, {}, where); }

Array full(const Shape& shape, const Number& value, DType dtype, Where where) {
  return filled("full", where, [&] { return Filling{shape, as_scalar(value, dtype)}; });
}

Array zeros(const Shape& shape, DType dtype, Where where) {
  return filled("zeros", where, [&] { return Filling{shape, Tensor({}, dtype)}; });
}

Array ones(const Shape& shape, DType dtype, Where where) {
  return filled("ones", where, [&] { return Filling{shape, one(dtype)}; });
}

Array zeros_like(const Operand& x) {
  return filled("zeros_like", x.where(), [&] {
    const Type like = as_array(x).type(x.where());
    return Filling{like.shape(), Tensor({}, like.dtype())};
  });
}

Array ones_like(const Operand& x) {
  return filled("ones_like", x.where(), [&] {
    const Type like = as_array(x).type(x.where());
    return Filling{like.shape(), one(like.dtype())};
  });
}

Tensor ops::as_scalar(const Number& value, DType dtype) {
  return std::visit([&](auto number) { return rounded(number, dtype); }, value);
}

}  // namespace tutti
