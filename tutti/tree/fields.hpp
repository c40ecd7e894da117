// SPDX-License-Identifier: Apache-2.0
// The fields of a plain struct, by structured bindings. Written out: C++20 cannot bind a pack.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace tutti::tree {

inline constexpr std::size_t max_fields = 24;

struct AnyField {
  template <class T>
  operator T() const {
    __builtin_unreachable();  // has a body for clang, which wants one where T is of an unnamed namespace
  }
};
template <class T, std::size_t... i>
constexpr bool brace_constructible(std::index_sequence<i...>) {
  return requires { T{((void)i, AnyField{})...}; };
}
/// The number of fields of an aggregate; max_fields + 1 if it has more.
template <class T, std::size_t n = max_fields + 1>
constexpr std::size_t count_fields() {
  if constexpr (n == 0) return 0;
  else if constexpr (brace_constructible<T>(std::make_index_sequence<n>())) return n;
  else return count_fields<T, n - 1>();
}

/// Initialised from parentheses, braces are not left out: an array of C is no field that a value initialises.
template <class T, std::size_t... i>
constexpr bool parenthesis_constructible(std::index_sequence<i...>) {
  return requires { T(((void)i, AnyField{})...); };
}
template <class T>
constexpr bool has_c_array() {
  constexpr std::size_t n = count_fields<T>();
  if constexpr (n < 2) return false;  // one value may be a T; an array of one element is seen as a field
  else return !parenthesis_constructible<T>(std::make_index_sequence<n>());
}

template <class T>
struct AnyBase {
  template <class B>
    requires(std::is_base_of_v<B, T> && !std::is_same_v<B, T>)
  operator B() const;
};
/// Bases come before the fields.
template <class T>
constexpr bool has_base() {
  return requires { T{AnyBase<T>{}}; };
}

// clang-format off: one rung a line
/// f(field...) of an aggregate with n fields, by reference.
template <std::size_t n, class S, class F>
constexpr decltype(auto) with_fields(S& s, F&& f) {
  if constexpr (n == 0) return f();
  else if constexpr (n == 1) { auto& [f1] = s; return f(f1); }
  else if constexpr (n == 2) { auto& [f1, f2] = s; return f(f1, f2); }
  else if constexpr (n == 3) { auto& [f1, f2, f3] = s; return f(f1, f2, f3); }
  else if constexpr (n == 4) { auto& [f1, f2, f3, f4] = s; return f(f1, f2, f3, f4); }
  else if constexpr (n == 5) { auto& [f1, f2, f3, f4, f5] = s; return f(f1, f2, f3, f4, f5); }
  else if constexpr (n == 6) { auto& [f1, f2, f3, f4, f5, f6] = s; return f(f1, f2, f3, f4, f5, f6); }
  else if constexpr (n == 7) { auto& [f1, f2, f3, f4, f5, f6, f7] = s; return f(f1, f2, f3, f4, f5, f6, f7); }
  else if constexpr (n == 8) { auto& [f1, f2, f3, f4, f5, f6, f7, f8] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8); }
  else if constexpr (n == 9) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9); }
  else if constexpr (n == 10) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10); }
  else if constexpr (n == 11) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11); }
  else if constexpr (n == 12) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12); }
  else if constexpr (n == 13) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13); }
  else if constexpr (n == 14) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14); }
  else if constexpr (n == 15) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15); }
  else if constexpr (n == 16) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16); }
  else if constexpr (n == 17) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17); }
  else if constexpr (n == 18) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18); }
  else if constexpr (n == 19) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19); }
  else if constexpr (n == 20) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20); }
  else if constexpr (n == 21) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21); }
  else if constexpr (n == 22) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22); }
  else if constexpr (n == 23) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23); }
  else if constexpr (n == 24) { auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24] = s; return f(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24); }
}
// clang-format on

}  // namespace tutti::tree
