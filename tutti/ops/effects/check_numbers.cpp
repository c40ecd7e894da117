// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/effects/check_numbers.hpp"

#include <fmt/core.h>

#include <cmath>
#include <complex>
#include <concepts>
#include <cstring>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/ops/effects/message.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/tensor/print.hpp"

namespace tutti {
namespace {

enum class Number { finite, infinite, nan };

template <class T>
Number kind_of(T value) {
  if constexpr (is_complex_element<T>) return std::max(kind_of(value.real()), kind_of(value.imag()));
  else if constexpr (std::integral<T>) return Number::finite;
  else {
    const auto number = static_cast<std::conditional_t<std::same_as<T, double>, double, float>>(value);
    return std::isnan(number) ? Number::nan : std::isinf(number) ? Number::infinite : Number::finite;
  }
}

/// The worst kind among the elements, and the first element of that kind.
struct Worst {
  Number kind = Number::finite;
  std::int64_t element = 0;
};
Worst worst_of(const Tensor& values) {
  return with_element(values.dtype(), [&]<class T>(std::type_identity<T>) {
    Worst worst;
    const std::span<const T> elements = values.as<T>();
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (const Number kind = kind_of(elements[i]); kind > worst.kind)
        worst = {kind, static_cast<std::int64_t>(i)};
    return worst;
  });
}

/// "[1, 2]": where an element stands; "" of a scalar.
std::string index_of(std::int64_t element, const Shape& shape) {
  std::string text;
  for (int dim = shape.rank(); dim-- > 0; element /= shape[dim])
    text.insert(0, std::to_string(element % shape[dim]) + (text.empty() ? "" : ", "));
  return text.empty() ? "" : "[" + text + "]";
}

Tensor element_of(const Tensor& values, std::int64_t element) {
  const std::size_t bytes = bytes_per_element(values.dtype());
  Tensor one(Shape{}, values.dtype());
  std::memcpy(one.mutable_bytes(), values.data() + static_cast<std::size_t>(element) * bytes, bytes);
  return one;
}

struct Run {
  std::string of;
  std::size_t results;
  Types operands;
  std::vector<std::string> holders;

  void operator()(const kernel::Unit& unit) const {
    unit.results[0][0] = std::byte{0};
    const Tensors values = values_of(unit, operands, 0, {}, 0);
    Number before = Number::finite;
    for (std::size_t i = results; i < values.size(); ++i) before = std::max(before, worst_of(values[i]).kind);
    for (std::size_t i = 0; i < results; ++i)
      if (const Worst worst = worst_of(values[i]); worst.kind > before) report(unit, values, i, worst);
  }

  [[noreturn]] void report(const kernel::Unit& unit, const Tensors& values, std::size_t result,
                           const Worst& worst) const {
    const Shape& shape = values[result].shape();
    const std::string index = index_of(worst.element, shape);
    const std::string devices = devices_of(unit, holders);
    std::string text =
        fmt::format("makes {}{}{}", worst.kind == Number::nan ? "a NaN" : "an infinity",
                    index.empty() ? "" : fmt::format(" at {} of {}", index, to_string(operands[result])),
                    devices.empty() ? "" : ", on " + devices);
    for (std::size_t i = results; i < values.size(); ++i)
      text += fmt::format("{} {} is {}", i == results ? "; operand" : ", operand", i - results,
                          values[i].shape() == shape ? to_string(element_of(values[i], worst.element)) +
                                                           (shape.rank() ? " there" : "")
                                                     : to_string(values[i], {.all_elements = 16}));
    throw Error(Code::check, {}, text).at({}, of);
  }
};

}  // namespace

Parameters CheckNumbers::parameters() const { return {{"of", of}, {"results", std::to_string(results)}}; }

Types CheckNumbers::infer(const Types& operands) const { return {effect_type(operands, {})}; }

Kernel CheckNumbers::kernel(const Layout& layout) const {
  double bytes = 0;
  for (const Type& operand : layout.operands()) bytes += static_cast<double>(operand.bytes());
  return kernel::Opaque{.nanoseconds = 100 + bytes,
                        .run = Run{of, static_cast<std::size_t>(results), layout.operands(),
                                   layout.holders(layout.results()[0])},
                        .may_throw = true};
}

Jvp CheckNumbers::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

std::vector<Example> CheckNumbers::examples() {
  const Axes& axes = example_mesh().axes();
  const Type x(DType::f32, {3});
  return {{CheckNumbers{"exp"}, {x.with(axes[0], varying), x.with(axes[0], varying)}},
          {CheckNumbers{"add"}, {x.with(axes[1], unreduced), x.with(axes[1], unreduced), x}},
          {CheckNumbers{"sort", 2}, {x, Type(DType::i32, {3}), x.with(axes[2], reduced)}}};
}

}  // namespace tutti
