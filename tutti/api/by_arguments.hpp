// SPDX-License-Identifier: Apache-2.0
// The arguments that a derivative is by: grad(f) is by the first one, grad<1>(f) by the second, grad<0, 2>(f) by two.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "tutti/tree/tree.hpp"

namespace tutti {

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

/// Per leaf of chosen(arguments): its number among the leaves that are named, in the order of the arguments.
template <int... by, class... A>
std::vector<std::size_t> order_of_chosen(const std::tuple<A...>& arguments) {
  constexpr std::array<int, sizeof...(by)> numbers{by...};
  std::vector<std::size_t> first{0};  // per argument: the leaves that are named before it
  std::vector<std::size_t> leaves;
  auto count = [&](const auto& argument) {
    const int number = static_cast<int>(leaves.size());
    const bool named = numbers.empty() ? number == 0 : std::ranges::find(numbers, number) != numbers.end();
    leaves.push_back(named ? tree::flatten(argument).size() : 0);
    first.push_back(first.back() + leaves.back());
  };
  std::apply([&](const auto&... argument) { (count(argument), ...); }, arguments);
  std::vector<std::size_t> order;
  const std::vector<int> chosen(numbers.begin(), numbers.end());
  for (const int number : chosen.empty() ? std::vector<int>{0} : chosen)
    for (std::size_t i = 0; i < leaves[static_cast<std::size_t>(number)]; ++i)
      order.push_back(first[static_cast<std::size_t>(number)] + i);
  return order;
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

}  // namespace tutti
