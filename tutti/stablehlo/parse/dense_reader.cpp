// SPDX-License-Identifier: Apache-2.0
// dense<..> as MLIR writes it: a number, nested lists, or a string of bytes in hexadecimal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "tutti/base/counted.hpp"
#include "tutti/stablehlo/attribute_text.hpp"
#include "tutti/stablehlo/element.hpp"
#include "tutti/stablehlo/parse/parser.hpp"

namespace tutti::stablehlo {
namespace {

/// Per byte: the value of a hexadecimal digit; -1 for other bytes.
constexpr std::array<int, 256> hex_digits = [] {
  std::array<int, 256> digits{};
  digits.fill(-1);
  int value = 0;
  for (const unsigned char c : std::string_view("0123456789abcdef")) digits[c] = value++;
  value = 10;
  for (const unsigned char c : std::string_view("ABCDEF")) digits[c] = value++;
  return digits;
}();

/// The bits of the float nearest to `value`, of two the even one: a sign, `exponent_bits`, `stored` bits of
/// the significand.
std::uint64_t float_bits(double value, int exponent_bits, int stored) {
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (exponent_bits + stored) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << stored;
  if (std::isnan(value)) return sign | infinity | std::uint64_t{1} << (stored - 1);
  const double size = std::abs(value);
  if (size == 0) return sign;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = 0;
  std::frexp(size, &exponent);  // size is in [2^(exponent-1), 2^exponent)
  const int unit = std::max(exponent - 1 - stored, 1 - bias - stored);
  const double units = std::nearbyint(std::ldexp(size, -unit));
  if (!std::isfinite(size) || std::ldexp(units, unit) >= std::ldexp(1.0, bias + 1)) return sign | infinity;
  // Units below 2^stored are subnormal; above it, the leading bit is the first of the exponent.
  const auto whole = static_cast<std::uint64_t>(units);
  const std::int64_t raised = unit - (1 - bias - stored);
  return sign | (whole + (static_cast<std::uint64_t>(raised) << stored));
}

/// Reads the elements of one constant.
class DenseReader {
 public:
  DenseReader(Lexer& in, const TensorType& type, const Element& element)
      : in_(in),
        type_(type),
        element_(element),
        scalar_bytes_(static_cast<std::size_t>(element.bits + 7) / 8) {}

  /// The bytes of all elements, or of one if they are equal.
  std::vector<std::byte> elements() {
    if (in_.sees(TokenKind::string)) return hexadecimal(in_.take());
    if (in_.sees("[")) {
      nested(0);
      return std::move(bytes_);
    }
    if (!in_.sees(TokenKind::end)) element();
    else if (type_.elements() != 0)
      in_.refuse_at(in_.peek().at, fmt::format("a constant without elements, but {} has {}", to_string(type_),
                                               type_.elements()));
    return std::move(bytes_);
  }

 private:
  void nested(std::size_t dim) {
    const std::size_t at = in_.peek().at;
    if (dim == type_.shape.size()) return element();
    if (dim > 200) in_.refuse_at(at, "lists nested too deeply");
    std::int64_t count = 0;
    in_.expect("[");
    if (!in_.takes("]")) {
      do {
        nested(dim + 1);
        ++count;
      } while (in_.takes(","));
      in_.expect("]");
    }
    if (count != type_.shape[dim])
      in_.refuse_at(at, fmt::format("a list of {}, where {} has {} along dim {}", count, to_string(type_),
                                    type_.shape[dim], dim));
  }

  void element() {
    if (!element_.complex) return scalar();
    in_.expect("(");
    scalar();
    in_.expect(",");
    scalar();
    in_.expect(")");
  }

  void append(std::uint64_t bits) {
    const std::size_t size = bytes_.size();
    bytes_.resize(size + scalar_bytes_);
    std::memcpy(bytes_.data() + size, &bits, scalar_bytes_);
  }

  void scalar() {
    const Token first = in_.peek();
    if (in_.sees("["))
      in_.refuse(
          fmt::format("an element: {} has {}", to_string(type_), counted(std::ssize(type_.shape), "dim")));
    if (element_.kind == Element::Kind::boolean && (in_.sees("true") || in_.sees("false")))
      return append(in_.take().text == "true" ? 1 : 0);
    const bool is_negative = in_.takes("-");
    const Token number = in_.expect(TokenKind::number, "a number");
    const auto refuse = [&](std::string_view why) {
      in_.refuse_at(first.at,
                    fmt::format("'{}{}' {} {}", is_negative ? "-" : "", number.text, why, type_.element));
    };
    const bool is_hex = number.text.starts_with("0x");
    const bool is_decimal = !is_hex && number.text.find('.') != std::string_view::npos;
    if (is_hex || !is_decimal) {
      std::uint64_t size = 0;
      const std::string_view digits = number.text.substr(is_hex ? 2 : 0);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), size, is_hex ? 16 : 10);
      if (error != std::errc{} || end != digits.data() + digits.size()) refuse("is no number of");
      if (is_float(element_)) {
        if (!is_hex || is_negative) refuse("is no number of: write a decimal point, as in 1.0, for");
        if (element_.bits < 64 && size >> element_.bits != 0) refuse("has more bits than");
        return append(size);
      }
      return integer(size, is_negative, is_hex, refuse);
    }
    if (!is_float(element_)) refuse("has a decimal point, but the elements are");
    double value = 0;
    const auto [end, error] =
        std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
    const bool is_small =
        number.text.find("e-") != std::string_view::npos || number.text.find("E-") != std::string_view::npos;
    if (error == std::errc::result_out_of_range) value = is_small ? 0 : HUGE_VAL;  // as MLIR reads it
    append(bits_of_float(is_negative ? -value : value));
  }

  template <class Refuse>
  void integer(std::uint64_t size, bool is_negative, bool is_hex, const Refuse& refuse) {
    const int bits = element_.bits;
    const std::uint64_t half = std::uint64_t{1} << (bits - 1);
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (half << 1) - 1;
    if (element_.kind == Element::Kind::boolean && size <= 1) return append(size);
    const bool is_natural = element_.kind == Element::Kind::natural;
    const std::uint64_t most = is_natural || is_hex ? all : is_negative ? half : half - 1;
    if (size > most || (is_negative && (is_natural || is_hex))) refuse("is out of range of");
    append((is_negative ? ~size + 1 : size) & all);
  }

  std::uint64_t bits_of_float(double value) const {
    if (element_.kind == Element::Kind::f64) return std::bit_cast<std::uint64_t>(value);
    if (element_.kind == Element::Kind::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return type_.element.find("bf16") != std::string::npos ? float_bits(value, 8, 7)
                                                           : float_bits(value, 5, 10);
  }

  /// "0x..": the bytes of all elements, or of one. i1 has a bit or a byte for each element.
  std::vector<std::byte> hexadecimal(const Token& text) {
    std::string_view digits = text.text.substr(1, text.text.size() - 2);
    if (!digits.starts_with("0x")) in_.refuse_at(text.at, "a string of bytes begins with 0x");
    digits.remove_prefix(2);
    if (digits.size() % 2 != 0) in_.refuse_at(text.at, "half a byte: an odd number of hexadecimal digits");
    std::vector<std::byte> bytes(digits.size() / 2);
    int wrong = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const int high = hex_digits[static_cast<unsigned char>(digits[2 * i])];
      const int low = hex_digits[static_cast<unsigned char>(digits[2 * i + 1])];
      wrong |= high | low;
      bytes[i] = static_cast<std::byte>((high << 4) | (low & 15));
    }
    if (wrong < 0) refuse_digit(text, digits);
    const auto count = static_cast<std::uint64_t>(type_.elements());
    const std::size_t width = element_.bytes();
    if (element_.kind == Element::Kind::boolean && bytes.size() != count && bytes.size() == (count + 7) / 8)
      return unpacked(bytes, count);
    const bool fits = bytes.size() == width || (bytes.size() % width == 0 && bytes.size() / width == count);
    if (!fits)
      in_.refuse_at(text.at,
                    fmt::format("{} for {}, which has {} of {} B", counted(std::ssize(bytes), "byte"),
                                to_string(type_), counted(type_.elements(), "element"), width));
    if (element_.kind == Element::Kind::boolean)
      for (std::byte& each : bytes) each = each == std::byte{0} ? std::byte{0} : std::byte{1};
    return bytes;
  }

  [[noreturn]] void refuse_digit(const Token& text, std::string_view digits) const {
    const auto found =
        std::ranges::find_if(digits, [](char c) { return hex_digits[static_cast<unsigned char>(c)] < 0; });
    in_.refuse_at(text.at + 3 + static_cast<std::size_t>(found - digits.begin()),
                  fmt::format("'{}' is no hexadecimal digit", *found));
  }

  /// Eight elements a byte, the first one in the lowest bit. One byte for up to eight elements may also be
  /// one element for all: MLIR writes that as 00 or FF.
  static std::vector<std::byte> unpacked(const std::vector<std::byte>& bytes, std::uint64_t count) {
    std::vector<std::byte> elements(count);
    for (std::size_t i = 0; i < count; ++i)
      elements[i] = (bytes[i / 8] >> static_cast<int>(i % 8)) & std::byte{1};
    return elements;
  }

  Lexer& in_;
  const TensorType& type_;
  const Element& element_;
  std::size_t scalar_bytes_;
  std::vector<std::byte> bytes_;
};

}  // namespace

/// dense<..> : tensor<..>. Of vectors, of element types without a size here, and of unknown shapes, the text
/// as it stands.
Attribute Parser::dense() {
  const std::size_t begin = in_.peek().at;
  in_.expect("dense");
  in_.expect("<");
  const std::size_t inside = in_.peek().at;
  const std::string_view body = in_.text_to_bracket();
  in_.expect(":");
  const ValueType any = type();
  const auto* type = std::get_if<TensorType>(&any);
  const std::size_t behind = in_.behind_last();
  const std::optional<Element> element = type ? element_named(type->element) : std::nullopt;
  const bool is_static =
      type && std::ranges::none_of(type->shape, [](std::int64_t size) { return size < 0; });
  if (!element || !is_static || (is_float(*element) && !is_known_float(type->element)))
    return {Verbatim{std::string(in_.text().substr(begin, behind - begin))}};
  Lexer inner({in_.text(), in_.name(), Code::text, inside + body.size()});
  inner.go_to(inside);
  std::vector<std::byte> bytes = DenseReader(inner, *type, *element).elements();
  if (!inner.sees(TokenKind::end)) inner.refuse("'>'");
  const bool is_one = bytes.size() == element->bytes();
  if (type->elements() > 1 && is_one) return {Dense{*type, std::move(bytes)}};
  if (type->elements() == 0) bytes.clear();
  return stablehlo::dense(*type, std::move(bytes));
}

}  // namespace tutti::stablehlo
