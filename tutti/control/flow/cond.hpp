// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <type_traits>

#include "tutti/base/namespaces.hpp"
#include "tutti/control/parts/inner_trace.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti::internal {

/// Which branch is taken: an i32 scalar, or for two branches a bool; `what` names it.
struct FlatSwitch {
  std::string_view name, what;
  Operand decider;
  std::vector<InnerFunction> branches;
  Arrays operands;
};
Arrays switch_flat(const FlatSwitch& call);

template <class... F, class... A>
auto switch_over(std::string_view name, std::string_view what, const Operand& decider,
                 const std::tuple<F...>& branches, const A&... operands) {
  static_assert(sizeof...(F) > 0, "switch_: there are no branches; give one at least");
  using Result = std::tuple_element_t<0, std::tuple<typename tree::ReturnedBy<F, A...>::Type...>>;
  static_assert((!tree::Takes<F, A...> || ...) ||
                    (std::is_same_v<Result, typename tree::ReturnedBy<F, A...>::Type> && ...),
                "the branches return different types; return the same tree of arrays from each");
  std::tuple<A...> arguments{operands...};
  auto calls = std::apply(
      [&](const F&... branch) { return std::tuple{tree::FlatCall<F, A...>(branch, arguments)...}; },
      branches);
  FlatSwitch flat{name, what, decider, {}, tree::flatten(arguments)};
  std::vector<Structure> structures;
  auto add = [&](auto& call) {
    flat.branches.push_back([&](const Arrays& leaves) {
      Arrays results = call(leaves);
      structures.push_back(call.result_structure());
      require_same_structure(name, structures[0], structures.back(), decider.where(),
                             "return the same structure from every branch");
      return results;
    });
  };
  std::apply([&](auto&... call) { (add(call), ...); }, calls);
  Arrays results = switch_flat(flat);
  return std::get<0>(calls).result(results);
}

}  // namespace tutti::internal

namespace tutti {

/// jax.lax.cond: yes(operands...) where the predicate, a bool scalar, holds, else no(operands...).
/// Both return the same tree, of equal shapes and dtypes; states are joined, I < R < V. Where the predicate
/// is V, all that enters the branches, values of outside that they use included, enters V, results are V, and
/// the branches may not communicate over that axis: a program that is accepted does not wait for ever.
/// Throws T005, T007, T012 for results that differ, T004 for states that do not join or cannot enter.
/// Example:
///     auto half = [](const Array& a) { return a / 2; };
///     auto triple = [](const Array& a) { return a * 3 + 1; };
///     Array next = cond(equal(x % 2, 0), half, triple, x);
template <class Yes, class No, class... A>
auto cond(const Operand& predicate, Yes yes, No no, const A&... operands) {
  return internal::switch_over("cond", "the predicate", predicate, std::tuple{no, yes}, operands...);
}

/// jax.lax.switch: branches[index](operands...); the index is an i32 scalar, clamped to the branches there
/// are.
/// As cond else: switch_(index, std::tuple{f, g, h}, x); of functions their addresses, &f.
template <class... F, class... A>
auto switch_(const Operand& index, const std::tuple<F...>& branches, const A&... operands) {
  return internal::switch_over("switch_", "the index", index, branches, operands...);
}

}  // namespace tutti
