// SPDX-License-Identifier: Apache-2.0
// The arguments that a derivative is by: grad(f) is by the first one, grad<1>(f) by the second, grad<0, 2>(f)
// by two.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::internal {

/// Says what is wrong with the numbers of arguments.
template <int... by>
consteval bool are_arguments(int count) {
  const std::array<int, sizeof...(by)> numbers{by...};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || numbers[i] >= count) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (numbers[i] == numbers[j]) return false;
  }
  return count > 0;
}

/// The tree of the argument that is named; of several a tuple of trees; of none the first argument.
template <int... by, class... A>
auto chosen(const std::tuple<A...>& arguments) {
  constexpr bool fits = are_arguments<by...>(sizeof...(A));
  static_assert(
      fits,
      "derivative: the numbers of arguments count from 0, below the number of arguments, and each stands "
      "once: grad<1>(f)(x, y) is by y, grad<0, 1>(f)(x, y) by both");
  if constexpr (!fits) return Array();
  else if constexpr (sizeof...(by) == 0) return std::get<0>(arguments);
  else if constexpr (sizeof...(by) == 1) return std::get<static_cast<std::size_t>((by + ...))>(arguments);
  else
    return std::tuple<std::tuple_element_t<static_cast<std::size_t>(by), std::tuple<A...>>...>{
        std::get<static_cast<std::size_t>(by)>(arguments)...};
}

/// Per leaf of all arguments: it belongs to an argument that is named.
template <int... by, class... A>
std::vector<bool> chosen_leaves(const std::tuple<A...>& arguments) {
  std::vector<bool> leaves;
  int number = 0;
  auto add = [&](const auto& argument) {
    const bool named = sizeof...(by) == 0 ? number == 0 : ((by == number) || ...);
    leaves.insert(leaves.end(), tree::flatten(argument).size(), named);
    ++number;
  };
  std::apply([&](const auto&... argument) { (add(argument), ...); }, arguments);
  return leaves;
}

/// Trees like the arguments that are named, with these leaves, which are in the order of the arguments.
template <int... by, class... A>
auto chosen_with_leaves(const std::tuple<A...>& arguments, const Arrays& leaves) {
  const std::vector<bool> named = chosen_leaves<by...>(arguments);
  Arrays all;
  std::size_t next = 0;
  for (const bool has_one : named) all.push_back(has_one ? leaves[next++] : Array());
  return chosen<by...>(tree::rebuild(arguments, all));
}

/// Leaves of the arguments that are named, several rows of them, each in the order of the arguments: each as
/// chosen() has them.
template <int... by, class... A>
Arrays rows_as_chosen(const std::tuple<A...>& arguments, const Arrays& rows) {
  const std::vector<bool> named = chosen_leaves<by...>(arguments);
  const auto count = std::count(named.begin(), named.end(), true);
  Arrays all;
  for (auto row = rows.begin(); row != rows.end(); row += count) {
    const Arrays leaves = tree::flatten(chosen_with_leaves<by...>(arguments, Arrays(row, row + count)));
    all.insert(all.end(), leaves.begin(), leaves.end());
  }
  return all;
}

}  // namespace tutti::internal
