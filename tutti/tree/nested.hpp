// SPDX-License-Identifier: Apache-2.0
// A tree with a tree in the place of every leaf: a Jacobian.
#pragma once

#include <utility>

#include "tutti/tree/tree.hpp"

namespace tutti::tree {

/// `outer` with make() in the place of every leaf, in order. A struct becomes a std::tuple of its fields:
/// they may not have the type of what takes their place.
template <class Outer, class Make>
auto with_each_leaf(const Outer& outer, Make& make) {
  auto tupled = [&](const auto&... child) {
    // In braces: from left to right.
    return std::tuple<decltype(with_each_leaf(child, make))...>{with_each_leaf(child, make)...};
  };
  if constexpr (Leaf<Outer>) {
    return make();
  } else if constexpr (is<Outer, std::vector>) {
    std::vector<decltype(with_each_leaf(outer[0], make))> all;
    for (const auto& child : outer) all.push_back(with_each_leaf(child, make));
    return all;
  } else if constexpr (is<Outer, std::map>) {
    std::map<typename Outer::key_type, decltype(with_each_leaf(outer.begin()->second, make))> all;
    for (const auto& [key, child] : outer) all.emplace(key, with_each_leaf(child, make));
    return all;
  } else if constexpr (is<Outer, std::optional>) {
    using Inner = decltype(with_each_leaf(*outer, make));
    return outer ? std::optional<Inner>(with_each_leaf(*outer, make)) : std::nullopt;
  } else if constexpr (is_std_array<Outer>) {
    return std::apply(
        [&](const auto&... child) {
          using Inner = decltype(with_each_leaf(std::declval<const typename Outer::value_type&>(), make));
          return std::array<Inner, sizeof...(child)>{with_each_leaf(child, make)...};
        },
        outer);
  } else if constexpr (is<Outer, std::pair>) {
    return std::pair<decltype(with_each_leaf(outer.first, make)),
                     decltype(with_each_leaf(outer.second, make))>{with_each_leaf(outer.first, make),
                                                                   with_each_leaf(outer.second, make)};
  } else if constexpr (is<Outer, std::tuple>) {
    return std::apply(tupled, outer);
  } else if constexpr (Tied<const Outer>) {
    return std::apply([&](const auto&... child) { return tupled(child...); },
                      const_cast<Outer&>(outer).tie());
  } else if constexpr (is_plain<Outer>()) {
    return with_fields<count_fields<Outer>()>(outer, tupled);
  }
}

/// Puts a tree with the structure of `inner` in the place of each leaf of `outer`. `leaves` fill these trees
/// in order. If `inner` is one array, the result has the structure of `outer`.
template <class Outer, class Inner>
auto nested(const Outer& outer, const Inner& inner, const Arrays& leaves) {
  if constexpr (Leaf<Inner>) {
    return rebuild(outer, leaves);
  } else {
    std::size_t next = 0;
    auto make = [&] { return rebuild(inner, leaves, next); };
    return with_each_leaf(outer, make);
  }
}

}  // namespace tutti::tree
