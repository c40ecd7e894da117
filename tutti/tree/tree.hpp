// SPDX-License-Identifier: Apache-2.0
// Trees of arrays: Array inside tuples, pairs, optionals, std::arrays, vectors, maps and plain structs
// (aggregates without bases or C arrays, up to 24 fields, nested; any other class with a member `auto tie()`
// that returns references).
#pragma once

#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/tree/fields.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti {

namespace tree {

template <class T, template <class...> class G>
inline constexpr bool is = false;
template <class... A, template <class...> class G>
inline constexpr bool is<G<A...>, G> = true;
template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t n>
inline constexpr bool is_std_array<std::array<T, n>> = true;

template <class T>
concept Leaf = std::same_as<T, Array>;
template <class T>
concept Tied = requires(std::remove_const_t<T>& t) { t.tie(); };
template <class T>
concept TupleLike = is<T, std::tuple> || is<T, std::pair> || is_std_array<T>;
template <class T>
concept Plain = std::is_class_v<T> && std::is_aggregate_v<T>;

/// Says what is wrong with a class that is no tree.
template <class T>
consteval bool is_plain() {
  constexpr bool plain = Plain<T>, few = count_fields<T>() <= max_fields;
  static_assert(!std::is_arithmetic_v<T>,
                "tree: a number is no leaf of a tree of arrays; close over it, or make it an Array");
  static_assert(!std::is_array_v<T>, "tree: an array of C; use std::array");
  static_assert(plain || std::is_arithmetic_v<T> || std::is_array_v<T>,
                "tree: leaves are Array (of a Tensor make one: Array x = tensor), inside tuples, pairs, "
                "optionals, arrays, vectors, maps or plain structs; give "
                "another class a member 'auto tie() { return std::tie(a, b, ...); }'");
  static_assert(
      !plain || few,
      "tree: a struct of more than 24 fields; give it a member 'auto tie() { return std::tie(a, b, ...); }'");
  if constexpr (plain && few) {
    static_assert(
        !has_base<T>(),
        "tree: a struct with a base class; give it a member 'auto tie() { return std::tie(a, b, ...); }'");
    static_assert(has_base<T>() || !has_c_array<T>(), "tree: a struct with an array of C; use std::array");
    return !has_base<T>() && !has_c_array<T>();
  }
  return false;
}

/// f(label, child) for every child of a node that is no leaf, in order. `label()` makes the child's label.
/// `T` may be const.
template <class T, class F>
void for_each_child(T& t, F&& f) {
  using U = std::remove_const_t<T>;
  if constexpr (is<U, std::vector>) {
    for (std::size_t i = 0; i < t.size(); ++i) f([i] { return index_label(std::to_string(i)); }, t[i]);
  } else if constexpr (is<U, std::map>) {
    for (auto& [key, value] : t) {
      if constexpr (std::convertible_to<decltype(key), std::string>) f([&] { return key_label(key); }, value);
      else f([&] { return index_label(std::to_string(key)); }, value);
    }
  } else if constexpr (is<U, std::optional>) {
    if (t) f([] { return std::string("*"); }, *t);
  } else {
    int index = 0;
    auto one = [&](auto& child) { f([&] { return field_label(std::to_string(index)); }, child), ++index; };
    auto each = [&](auto&... child) { (one(child), ...); };
    if constexpr (TupleLike<U>) {
      std::apply(each, t);
    } else if constexpr (Tied<T>) {
      // tie() is not const; of a const tree the children are handed on as const.
      auto children = const_cast<U&>(t).tie();
      if constexpr (std::is_const_v<T>)
        std::apply([&](auto&... child) { each(std::as_const(child)...); }, children);
      else std::apply(each, children);
    } else if constexpr (is_plain<U>()) {
      with_fields<count_fields<U>()>(t, each);
    }
  }
}

/// f(array) for every leaf, in order.
template <class T, class F>
void for_each_leaf(T& t, F&& f) {
  if constexpr (Leaf<std::remove_const_t<T>>) f(t);
  else for_each_child(t, [&](const auto& /*label*/, auto& child) { for_each_leaf(child, f); });
}

template <class T>
Arrays flatten(const T& t) {
  Arrays leaves;
  for_each_leaf(t, [&](const Array& array) { leaves.push_back(array); });
  return leaves;
}

/// `like` with other leaves, taken from `leaves` in order, starting at `next`, which moves on.
template <class T>
T rebuild(const T& like, const Arrays& leaves, std::size_t& next) {
  T t = like;
  for_each_leaf(t, [&](Array& array) { array = leaves[next++]; });
  return t;
}
template <class T>
T rebuild(const T& like, const Arrays& leaves) {
  std::size_t next = 0;
  return rebuild(like, leaves, next);
}

template <class T>
internal::Structure structure_of(const T& t, std::string label = {}) {
  internal::Structure structure{std::move(label), Leaf<T>, {}};
  if constexpr (!Leaf<T>)
    for_each_child(t, [&](const auto& name, const auto& child) {
      structure.children.push_back(structure_of(child, name()));
    });
  return structure;
}

template <class F, class... Leaves>
auto refused_map(F& f, const Leaves&... leaves) {
  // The compiler shows one of these lines, with the types and the number of what is handed in.
  if constexpr (std::is_class_v<F>)
    f.operator()(leaves...);  // tree_map: f takes one Array of each tree and returns an Array
  else f(leaves...);          // tree_map: f takes one Array of each tree and returns an Array
}

/// f of every leaf of `t`, and of the leaves at the same places of `others`; a tree like `t`.
template <class F, class T, class... Others>
  requires(!std::invocable<F&, Array&, std::conditional_t<true, const Array&, Others>...>)
T mapped(Where /*where*/, F& /*f*/, const T& t, const Others&... /*others*/) {
  static_cast<void>(&refused_map<F, Array, std::conditional_t<true, Array, Others>...>);
  return t;
}
template <class F, class T, class... Others>
T mapped([[maybe_unused]] Where where, F& f, const T& t, const Others&... others) {
  internal::Structure structure = structure_of(t);
  (internal::require_same_structure("tree_map", structure, structure_of(others), where), ...);
  Arrays leaves = flatten(t);
  auto more = std::tuple{flatten(others)...};
  for (std::size_t i = 0; i < leaves.size(); ++i)
    leaves[i] = std::apply([&](const auto&... other) -> Array { return f(leaves[i], other[i]...); }, more);
  return rebuild(t, leaves);
}

}  // namespace tree

/// f of every leaf, and of the leaves at the same places of other trees; a tree like `t`. Written out,
/// because a pack of trees leaves no room for the place of the caller.
/// Throws T012 if the trees have different structures.
/// Example:
///     Params next = tree_map([](Array x, Array g) { return x - 0.5F * g; }, p, gradients);
template <class F, class T>
T tree_map(F f, const T& t, Where where = Where::here()) {
  return tree::mapped(where, f, t);
}
template <class F, class T, class T2>
T tree_map(F f, const T& t, const T2& t2, Where where = Where::here()) {
  return tree::mapped(where, f, t, t2);
}
template <class F, class T, class T2, class T3>
T tree_map(F f, const T& t, const T2& t2, const T3& t3, Where where = Where::here()) {
  return tree::mapped(where, f, t, t2, t3);
}
template <class F, class T, class T2, class T3, class T4>
T tree_map(F f, const T& t, const T2& t2, const T3& t3, const T4& t4, Where where = Where::here()) {
  return tree::mapped(where, f, t, t2, t3, t4);
}

}  // namespace tutti
