// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/element.hpp"

namespace tutti::stablehlo {
namespace {

constexpr std::int64_t most_listed = 100;  // MLIR's own limit: beyond it, one string of bytes

Element element_of(std::string_view name) {
  const std::optional<Element> element = element_named(name);
  ensure(element.has_value(), "dense: element type '{}' has no size that is known", name);
  return *element;
}

std::uint64_t bits_at(const std::byte* data, const Element& element) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<std::size_t>((element.bits + 7) / 8));
  return bits;
}

std::string hex_literal(std::uint64_t bits, int width) {
  return fmt::format("0x{:0{}X}", bits, (width + 3) / 4);
}

/// The shortest decimal, if MLIR's way of reading it (through a double) gives the same bits; else the bits.
template <class F, class Bits>
std::string float_text(F value) {
  auto bits = std::bit_cast<Bits>(value);
  if (std::isfinite(value)) {
    std::string text = fmt::format("{}", value);
    if (text.find('.') == text.npos)
      text.insert(std::min(text.find('e'), text.size()), ".0");  // MLIR wants a point
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (std::bit_cast<Bits>(static_cast<F>(read)) == bits) return text;
  }
  return hex_literal(bits, 8 * sizeof(F));
}

std::string part_text(const std::byte* data, const Element& element) {
  std::uint64_t bits = bits_at(data, element);
  switch (element.kind) {
    case Element::Kind::boolean: return bits ? "true" : "false";
    case Element::Kind::natural: return fmt::format("{}", bits);
    case Element::Kind::integer: return fmt::format("{}", integer_of(element, bits));
    case Element::Kind::f32:
      return float_text<float, std::uint32_t>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case Element::Kind::f64: return float_text<double, std::uint64_t>(std::bit_cast<double>(bits));
    case Element::Kind::other_float: return hex_literal(bits, element.bits);
  }
  return {};
}

std::string element_text(const std::byte* data, const Element& element) {
  if (!element.complex) return part_text(data, element);
  return "(" + part_text(data, element) + ", " + part_text(data + element.bytes() / 2, element) + ")";
}

/// Lists within lists from dimension `dim` inwards; moves `data` on.
std::string nested(const std::vector<std::int64_t>& shape, std::size_t dim, const Element& element,
                   const std::byte*& data) {
  if (dim == shape.size()) {
    const std::byte* here = data;
    data += element.bytes();
    return element_text(here, element);
  }
  std::string text;
  for (std::int64_t i = 0; i < shape[dim]; ++i)
    text += (i ? ", " : "") + nested(shape, dim + 1, element, data);
  return "[" + text + "]";
}

std::string bytes_text(const std::vector<std::byte>& data) {
  std::string text = "\"0x";
  constexpr std::string_view digits = "0123456789ABCDEF";
  text.reserve(2 * data.size() + 4);
  for (const std::byte byte : data) {
    text += digits[static_cast<std::size_t>(byte >> 4)];
    text += digits[static_cast<std::size_t>(byte & std::byte{15})];
  }
  return text + "\"";
}

std::string body(const Dense& dense, const Element& element) {
  std::int64_t elements = dense.type.elements();
  if (elements == 0) return {};
  if (dense.data.size() == element.bytes()) return element_text(dense.data.data(), element);
  ensure(dense.data.size() == static_cast<std::size_t>(elements) * element.bytes(),
         "dense: {} bytes for {} of {} elements", dense.data.size(), dense.type, elements);
  if (elements > most_listed && element.bits % 8 == 0) return bytes_text(dense.data);
  const std::byte* data = dense.data.data();
  return nested(dense.type.shape, 0, element, data);
}

}  // namespace

std::string to_string(const Dense& dense) {
  return "dense<" + body(dense, element_of(dense.type.element)) + "> : " + to_string(dense.type);
}

}  // namespace tutti::stablehlo
