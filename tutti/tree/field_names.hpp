// SPDX-License-Identifier: Apache-2.0
// The names of the fields of a plain struct. C++20 cannot ask for them, but compilers spell a pointer to one.
#pragma once

#include <array>
#include <string_view>
#include <tuple>

#include "tutti/tree/fields.hpp"

namespace tutti::tree {

/// An object that is nowhere: only the places of its fields are asked for, while compiling.
template <class T>
struct Nowhere {
  T value;
};
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-internal"
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class T>
extern const Nowhere<T> nowhere_object;

template <const auto* field>
consteval auto spelled() {
  return std::string_view(__PRETTY_FUNCTION__);
}

/// The last name in "spelled() [with const auto* field = (&
/// nowhere_object<Params>.Nowhere<Params>::value.Params::w1)]".
consteval std::string_view last_name(std::string_view text) {
  auto in_a_name = [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
  };
  std::size_t end = text.size();
  while (!in_a_name(text[end - 1])) --end;
  std::size_t begin = end;
  while (in_a_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

template <class T, std::size_t i>
consteval std::string_view field_name() {
  constexpr auto field = with_fields<count_fields<T>()>(nowhere_object<T>.value, [](const auto&... each) {
    return std::get<i>(std::tuple(&each...));
  });
  return last_name(spelled<field>());
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// {"w1", "b1"} of struct Params { Array w1, b1; }.
template <class T>
constexpr auto field_names() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return std::array<std::string_view, sizeof...(i)>{field_name<T, i>()...};
  }(std::make_index_sequence<count_fields<T>()>());
}

}  // namespace tutti::tree
