// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tutti::stablehlo {

/// How an element type is stored, by its name.
struct Element {
  enum class Kind { boolean, integer, natural, f32, f64, other_float } kind;
  int bits;
  bool complex = false;
  std::size_t bytes() const { return static_cast<std::size_t>((bits + 7) / 8) * (complex ? 2 : 1); }
};

/// None: a type of no size that is known here, such as !quant.uniform<..>.
std::optional<Element> element_named(std::string_view name);

/// The number that the bits of an integer or a bool are.
std::int64_t integer_of(const Element& element, std::uint64_t bits);

bool is_float(const Element& element);
/// True for floats whose decimal numbers can be read here: f16, bf16, f32, f64 and complex numbers of these.
bool is_known_float(std::string_view name);

}  // namespace tutti::stablehlo
