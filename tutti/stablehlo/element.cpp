// SPDX-License-Identifier: Apache-2.0
#include "tutti/stablehlo/element.hpp"

#include <charconv>

namespace tutti::stablehlo {

std::optional<Element> element_named(std::string_view name) {
  using Kind = Element::Kind;
  if (name == "i1") return Element{Kind::boolean, 1};
  if (name == "index") return Element{Kind::integer, 64};
  if (name == "f32") return Element{Kind::f32, 32};
  if (name == "f64") return Element{Kind::f64, 64};
  if (name.starts_with("complex<")) {
    std::optional<Element> part = element_named(name.substr(8, name.size() - 9));
    if (part) part->complex = true;
    return part;
  }
  const auto digit = name.find_first_of("0123456789");
  if (digit == name.npos) return std::nullopt;
  int bits = 0;
  std::from_chars(name.data() + digit, name.data() + name.size(), bits);
  const std::string_view family = name.substr(0, digit);
  if (bits <= 0 || bits > 64) return std::nullopt;
  if (family == "i" || family == "si") return Element{Kind::integer, bits};
  if (family == "ui") return Element{Kind::natural, bits};
  if (family == "f" || family == "bf" || family == "tf") return Element{Kind::other_float, bits};
  return std::nullopt;
}

std::int64_t integer_of(const Element& element, std::uint64_t bits) {
  if (element.kind != Element::Kind::integer) return static_cast<std::int64_t>(bits);
  const int unused = 64 - element.bits;
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool is_float(const Element& element) {
  return element.kind == Element::Kind::f32 || element.kind == Element::Kind::f64 ||
         element.kind == Element::Kind::other_float;
}

bool is_known_float(std::string_view name) {
  if (name.starts_with("complex<")) name = name.substr(8, name.size() - 9);
  return name == "f16" || name == "bf16" || name == "f32" || name == "f64";
}

}  // namespace tutti::stablehlo
