// SPDX-License-Identifier: Apache-2.0
// The forms that rules of custom_jvp and custom_vjp must have. Each defect is one error of the compiler. If a
// call is refused, the compiler shows its line below, with the types and the number of the arguments.
#pragma once

#include <tuple>
#include <type_traits>

#include "tutti/base/namespaces.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti::internal {

template <class T>
concept IsPair = tree::TupleLike<T> && std::tuple_size_v<T> == 2;

template <class Rule, class Tree>
auto refused_jvp_rule(const Rule& rule, const Tree& x, const Tree& dx) {
  if constexpr (std::is_class_v<Rule>)
    rule.operator()(x, dx);  // custom_jvp: rule(tuple of arguments, tuple of tangents) -> {result, tangent}
  else rule(x, dx);          // custom_jvp: rule(tuple of arguments, tuple of tangents) -> {result, tangent}
}

template <class Forward, class... A>
auto refused_forward(const Forward& forward, const A&... x) {
  if constexpr (std::is_class_v<Forward>)
    forward.operator()(x...);  // custom_vjp: forward(arguments...) -> {result, residuals}
  else forward(x...);          // custom_vjp: forward(arguments...) -> {result, residuals}
}

template <class Backward, class Residuals, class Result>
auto refused_backward(const Backward& backward, const Residuals& r, const Result& ct) {
  if constexpr (std::is_class_v<Backward>)
    backward.operator()(r, ct);  // custom_vjp: backward(residuals, cotangent) -> tuple of cotangents
  else backward(r, ct);          // custom_vjp: backward(residuals, cotangent) -> tuple of cotangents
}

/// Says what is wrong with the rule of a custom_jvp for arguments A.
template <class F, class Rule, class... A>
consteval bool is_jvp_rule() {
  using Tree = std::tuple<A...>;
  if constexpr (!tree::Takes<F, A...>) {
    static_cast<void>(&tree::refused_call<F, A...>);
  } else if constexpr (!tree::Takes<Rule, Tree, Tree>) {
    static_cast<void>(&refused_jvp_rule<Rule, Tree>);
  } else {
    constexpr bool fits = IsPair<std::invoke_result_t<const Rule&, const Tree&, const Tree&>>;
    static_assert(fits, "custom_jvp: the rule returns a pair: the result, and its tangent");
    return fits;
  }
  return false;
}

/// Says what is wrong with the rules of a custom_vjp for arguments A.
template <class F, class Forward, class Backward, class... A>
consteval bool are_vjp_rules() {
  if constexpr (!tree::Takes<F, A...>) {
    static_cast<void>(&tree::refused_call<F, A...>);
  } else if constexpr (!tree::Takes<Forward, A...>) {
    static_cast<void>(&refused_forward<Forward, A...>);
  } else {
    using Ahead = std::invoke_result_t<const Forward&, const A&...>;
    constexpr bool has_residuals = IsPair<Ahead>;
    static_assert(has_residuals,
                  "custom_vjp: forward returns a pair: the result, and the residuals that backward takes");
    if constexpr (has_residuals) {
      using Result = typename tree::ReturnedBy<F, A...>::Type;
      using Residuals = std::tuple_element_t<1, Ahead>;
      if constexpr (!tree::Takes<Backward, Residuals, Result>) {
        static_cast<void>(&refused_backward<Backward, Residuals, Result>);
      } else {
        using Cotangents = std::invoke_result_t<const Backward&, const Residuals&, const Result&>;
        constexpr bool fits = std::is_same_v<Cotangents, std::tuple<A...>>;
        static_assert(fits,
                      "custom_vjp: backward returns a tuple of one cotangent per argument, of its type");
        return fits;
      }
    }
  }
  return false;
}

}  // namespace tutti::internal
