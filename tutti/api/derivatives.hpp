// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "tutti/ir/program.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti {

using FlatFunction = std::function<Arrays(const Arrays&)>;

/// Results of `function` and the gradient of result 0, a scalar, by the arguments marked in `by`.
/// The loss may have any state: V means the sum over the devices.
/// Throws T005 if the loss is no scalar, T007 if it is not a float or an argument neither that nor complex, T010 for
/// refused rules.
struct FlatGradient {
  Arrays results, gradient;
};
FlatGradient value_and_grad_flat(std::string_view name, const FlatFunction& function, const Arrays& arguments,
                                 const std::vector<bool>& by, Where where);

/// Results, and their tangents for tangents of all arguments; zeros where nothing changes. Results of bool and integers
/// have tangents of zeros of their own type.
struct FlatJvp {
  Arrays results, tangents;
};
FlatJvp jvp_flat(const FlatFunction& function, const Arrays& arguments, const Arrays& tangents, Where where);

/// Results, and the map from cotangents of the results that have them to those of all arguments; floats and complex
/// numbers have them, others are empty.
struct FlatVjp {
  Arrays results;
  Program pullback;  // (residuals, cotangents of `active` results) -> those of arguments that have them
  Arrays residuals;
  std::vector<bool> active;
};
FlatVjp vjp_flat(const FlatFunction& function, const Arrays& arguments, Where where);
Arrays pull_back(const FlatVjp& vjp, const Arrays& arguments, const Arrays& cotangents, Where where);

template <class F, bool with_value>
class Gradient {
 public:
  Gradient(F function, Where where) : function_(std::move(function)), where_(where) {}

  template <class First, class... Rest>
  auto operator()(const First& first, const Rest&... rest) const {
    tree::FlatCall call(function_, std::tuple<First, Rest...>{first, rest...});
    Arrays leaves = call.leaves();
    std::vector<bool> by(leaves.size());
    std::fill_n(by.begin(), tree::flatten(first).size(), true);
    FlatGradient found =
        value_and_grad_flat(with_value ? "value_and_grad" : "grad", std::ref(call), leaves, by, where_);
    First gradient = tree::rebuild(first, found.gradient);
    if constexpr (with_value) return std::pair{call.result(found.results), gradient};
    else return gradient;
  }

  Where where() const { return where_; }

 private:
  F function_;
  Where where_;
};

/// The gradient of a function that returns a scalar, by its first argument: a tree like that argument.
/// A function that returns a pair or tuple is differentiated by its first leaf; the others are auxiliary results,
/// which may be of ops without derivatives.
/// By a parameter that is equal on all devices of an axis it is the sum over these devices: the parameter is one value
/// for all. Under vmap that sum mixes per-example gradients of different devices. For those of the own examples
/// differentiate by pcast(p, "data", varying); docs/gradients_of_equal_parameters.md shows both.
/// By a complex argument x + iy it is df/dx - i df/dy, as in JAX: descend along its conjugate.
template <class F>
Gradient<F, false> grad(F function, Where where = Where::here()) {
  return {std::move(function), where};
}
/// std::pair of what the function returns and its gradient.
template <class F>
Gradient<F, true> value_and_grad(F function, Where where = Where::here()) {
  return {std::move(function), where};
}

/// jax.jvp: std::pair of f(arguments...) and how it changes along `tangents`. Both are tuples of trees of one structure.
template <class F, class... A>
auto jvp(F function, const std::tuple<A...>& arguments, const std::tuple<A...>& tangents,
         Where where = Where::here()) {
  tree::FlatCall call(function, arguments);
  require_same_structure("jvp", call.structure(), tree::structure_of(tangents), where);
  FlatJvp found = jvp_flat(std::ref(call), call.leaves(), tree::flatten(tangents), where);
  return std::pair{call.result(found.results), call.result(found.tangents)};
}

/// jax.vjp: std::pair of f(arguments...) and a function from a cotangent (a tree like the result) to the tuple of the
/// cotangents of the arguments.
template <class F, class... A>
auto vjp(F function, const std::tuple<A...>& arguments, Where where = Where::here()) {
  tree::FlatCall call(function, arguments);
  using Result = typename decltype(call)::Result;
  FlatVjp found = vjp_flat(std::ref(call), call.leaves(), where);
  Result result = call.result(found.results);
  auto pullback = [found, arguments, result](const Result& cotangent, Where at = Where::here()) {
    require_same_structure("vjp", tree::structure_of(result), tree::structure_of(cotangent), at);
    return tree::rebuild(arguments, pull_back(found, tree::flatten(arguments), tree::flatten(cotangent), at));
  };
  return std::pair{result, pullback};
}

}  // namespace tutti
