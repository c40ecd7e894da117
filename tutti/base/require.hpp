// SPDX-License-Identifier: Apache-2.0
// For sources: throws with formatted messages. Headers of the library do not include this file.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "tutti/base/error.hpp"
#include "tutti/base/namespaces.hpp"

namespace tutti::internal {

/// A message with places for values: {} for the next one, or all by number: {0}, {1}, .. {{ and }} are
/// braces. A message that has no place for a value, or more places than values, does not compile.
template <std::size_t values>
class FormatString {
 public:
  consteval FormatString(const char* text) : text_(text) {
    static_assert(values <= 10);
    std::size_t next = 0;
    bool has_place[values + 1] = {}, has_numbers = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char brace = text_[i];
      if (brace != '{' && brace != '}') continue;
      if (++i < text_.size() && text_[i] == brace) continue;  // NOLINT(bugprone-inc-dec-in-conditions)
      if (brace == '}') throw "a } is neither doubled nor the end of a place";
      const bool is_number = i < text_.size() && text_[i] >= '0' && text_[i] <= '9';
      const std::size_t place = is_number ? static_cast<std::size_t>(text_[i++] - '0') : next++;
      if (i == text_.size() || text_[i] != '}')
        throw "a { is neither doubled nor the start of a place: {}, {0}";
      if (place >= values) throw "there are more places than values";
      has_place[place] = true;
      has_numbers = has_numbers || is_number;
    }
    if (has_numbers && next > 0) throw "some places have numbers, others none";
    for (std::size_t i = 0; i < values; ++i)
      if (!has_place[i]) throw "a value has no place";
  }

  std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

template <class T, class... Others>
concept one_of = (std::same_as<T, Others> || ...);

template <class T>
concept has_text = requires(const T& value) {
  { to_string(value) } -> std::same_as<std::string>;
};
template <class T>
concept gives_text = requires(const T& value) {
  { value() } -> std::same_as<std::string>;
};

/// A text that is made where a message needs it, not before. It refers to `value`.
struct LaterText {
  const void* value;
  std::string (*text)(const void* value);
};

/// A value of a message: a bool, a number, a character, a text, what to_string makes a text of, or a function
/// that gives one. Messages of checks that hold are not made.
class FormatArgument {
 public:
  using Value =
      std::variant<bool, char, std::int64_t, std::uint64_t, float, double, std::string_view, LaterText>;

  template <class T>
  FormatArgument(const T& value) : is_(as_value(value)) {}
  FormatArgument(std::nullptr_t) = delete;

  const Value& value() const { return is_; }

 private:
  template <class T>
  static Value as_value(const T& value) {
    if constexpr (std::convertible_to<const T&, const char*>) {
      const char* const text = value;
      return std::string_view(text != nullptr ? text : "(null)");
    } else if constexpr (std::convertible_to<const T&, std::string_view>) {
      return std::string_view(value);
    } else if constexpr (has_text<T>) {
      return LaterText{&value, [](const void* one) { return to_string(*static_cast<const T*>(one)); }};
    } else if constexpr (gives_text<T>) {
      return LaterText{&value, [](const void* one) { return (*static_cast<const T*>(one))(); }};
    } else {
      static_assert(one_of<T, bool, char, float, double> ||
                        (std::integral<T> && !one_of<T, wchar_t, char8_t, char16_t, char32_t>),
                    "a value of a message is a number, a text, or has to_string(value)");
      if constexpr (one_of<T, bool, char, float, double>) return value;
      else if constexpr (std::signed_integral<T>) return std::int64_t{value};
      else return std::uint64_t{value};
    }
  }

  Value is_;
};

[[noreturn]] void throw_formatted(Code code, std::string_view text,
                                  std::initializer_list<FormatArgument> values);

}  // namespace tutti::internal

namespace tutti::ops {

/// Throws Error{code} with this message, at `where`.
[[noreturn]] void throw_error(Code code, Where where, std::string message);

/// Throw Error{code} without a place; the builder adds the user's line.
template <class... A>
[[noreturn]] void fail(Code code, internal::FormatString<sizeof...(A)> format, const A&... values) {
  internal::throw_formatted(code, format.text(), {values...});
}

/// A check of what users hand in: throw Error{code} unless `holds`.
template <class... A>
void require(bool holds, Code code, internal::FormatString<sizeof...(A)> format, const A&... values) {
  if (!holds) [[unlikely]]
    internal::throw_formatted(code, format.text(), {values...});
}

/// A check of what we ourselves promise: its failure is our bug (I001).
template <class... A>
void ensure(bool holds, internal::FormatString<sizeof...(A)> format, const A&... values) {
  if (!holds) [[unlikely]]
    internal::throw_formatted(Code::internal, format.text(), {values...});
}

}  // namespace tutti::ops
