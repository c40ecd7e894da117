// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/parse/number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace tutti::kernels {
namespace {

template <class T>
std::optional<T> converted(std::string_view digits, int base = 10) {
  T value{};
  const char* first = digits.data();
  const char* last = first + digits.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>) result = std::from_chars(first, last, value);
  else result = std::from_chars(first, last, value, base);
  if (result.ec != std::errc{} || result.ptr != last) return std::nullopt;
  return value;
}

int stored_bits_of_significand(Scalar scalar) {
  switch (scalar) {
    case Scalar::f16: return 10;
    case Scalar::bf16: return 7;
    case Scalar::f32: return 23;
    default: return 52;
  }
}

/// The float with these bits. Returns nullopt for a NaN other than 0111..1000.., the only NaN of constants.
std::optional<double> float_of(std::uint64_t pattern, Scalar scalar) {
  const int total = bits(scalar), low = stored_bits_of_significand(scalar), exponents = total - 1 - low;
  if (total < 64 && pattern >> total != 0) return std::nullopt;
  const std::uint64_t significand = pattern & ((std::uint64_t{1} << low) - 1);
  const auto exponent = static_cast<int>((pattern >> low) & ((std::uint64_t{1} << exponents) - 1));
  const bool is_negative = (pattern >> (total - 1)) != 0;
  const int highest = (1 << exponents) - 1, bias = highest / 2;
  double size = 0;
  if (exponent == highest) {
    if (significand == 0) size = std::numeric_limits<double>::infinity();
    else if (significand == std::uint64_t{1} << (low - 1) && !is_negative) return std::nan("");
    else return std::nullopt;
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<double>(significand), 1 - bias - low);
  } else {
    size = std::ldexp(static_cast<double>(significand | (std::uint64_t{1} << low)), exponent - bias - low);
  }
  return is_negative ? -size : size;
}

/// Rounds to the nearest float of a type, ties to even.
double rounded(double value, Scalar scalar) {
  if (scalar == Scalar::f64 || value == 0 || !std::isfinite(value)) return value;
  const int precision = stored_bits_of_significand(scalar) + 1;
  const int bias = (1 << (bits(scalar) - precision - 1)) - 1;  // bits of the exponent, less one
  int exponent = 0;                                            // |value| is in [2^(exponent-1), 2^exponent)
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - precision, 2 - bias - precision);
  const double nearest = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::abs(nearest) < std::ldexp(1.0, bias + 1)
             ? nearest
             : std::copysign(std::numeric_limits<double>::infinity(), value);
}

std::optional<double> float_in(const NumberText& number, Scalar scalar) {
  if (number.digits.starts_with("0x")) {
    const auto pattern = converted<std::uint64_t>(std::string_view(number.digits).substr(2), 16);
    return pattern ? float_of(*pattern, scalar) : std::nullopt;
  }
  if (!number.is_decimal()) return std::nullopt;
  const auto value = converted<double>(number.digits);
  return value ? std::optional(rounded(*value, scalar)) : std::nullopt;
}

std::optional<std::int64_t> integer_in(const NumberText& number, Scalar scalar) {
  if (number.digits == "true" || number.digits == "false")
    return scalar == Scalar::i1 ? std::optional<std::int64_t>(number.digits == "true") : std::nullopt;
  const bool is_hex = number.digits.starts_with("0x");
  const auto value =
      converted<std::int64_t>(std::string_view(number.digits).substr(is_hex ? 2 : 0), is_hex ? 16 : 10);
  return value && holds(scalar, *value) ? value : std::nullopt;
}

}  // namespace

NumberText read_number(Lexer& in) {
  NumberText number{{}, in.peek().at};
  if (in.sees("true") || in.sees("false")) {
    number.digits = in.take().text;
    return number;
  }
  if (in.takes("-")) number.digits = "-";
  number.digits += in.expect(TokenKind::number, "a number").text;
  return number;
}

std::variant<std::int64_t, double> value_in(const Lexer& in, const NumberText& number,
                                            const ValueType& type) {
  if (is_float(type)) {
    if (const auto value = float_in(number, type.scalar)) return *value;
  } else if (is_integer(type)) {
    if (const auto value = integer_in(number, type.scalar)) return *value;
  }
  in.refuse_at(number.at,
               fmt::format("'{}' is not a number of {}", number.digits, to_string(with_dims(type, {}))));
}

}  // namespace tutti::kernels
