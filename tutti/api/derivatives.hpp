// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/api/by_arguments.hpp"
#include "tutti/api/linear_map.hpp"
#include "tutti/base/namespaces.hpp"
#include "tutti/tree/flat_call.hpp"

namespace tutti::internal {

/// Results of `function` and the gradient of result 0, a scalar, by the arguments marked in `by`.
/// The loss may have any state: V means the sum over the devices.
/// Throws T005 if the loss is no scalar, T007 if it is not a float or an argument neither that nor complex,
/// T010 for refused rules.
struct FlatGradient {
  Arrays results, gradient;
};
FlatGradient value_and_grad_flat(std::string_view name, const FlatFunction& function, const Arrays& arguments,
                                 const std::vector<bool>& by, Where where);

/// Results, and their tangents for tangents of all arguments; zeros where nothing changes. Results of bool
/// and integers have tangents of zeros of their own type.
struct FlatJvp {
  Arrays results, tangents;
};
FlatJvp jvp_flat(std::string_view name, const FlatFunction& function, const Arrays& arguments,
                 const Arrays& tangents, Where where);

/// Throws T010 if the function does not run forwards.
Linearized linearize_flat(const FlatCalled& call);

template <class F, class... A>
auto refused_gradient(const F& function, const A&... x) {
  // The compiler shows one of these lines, with the types and the number of what is handed in.
  if constexpr (std::is_class_v<F>)
    function.operator()(x...);  // grad(f)(x...): f takes x..., by value or const &, and returns a scalar
  else function(x...);  // grad(f)(x...): f takes x..., returns a scalar; has it defaults, call it in a lambda
}

template <class F, bool with_value, int... by>
class Gradient {
 public:
  Gradient(F function, Where where, std::string_view name = with_value ? "value_and_grad" : "grad")
      : function_(std::move(function)), where_(where), name_(name) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    if constexpr (tree::refuses<F, A...>) static_cast<void>(&refused_gradient<F, A...>);
    const std::tuple<A...> given{arguments...};
    tree::FlatCall<F, A...> call(function_, given, tree::Checked{});
    FlatGradient found =
        value_and_grad_flat(name_, std::ref(call), call.leaves(), chosen_leaves<by...>(given), where_);
    auto gradient = chosen_with_leaves<by...>(given, found.gradient);
    if constexpr (with_value) return std::pair{call.result(found.results), gradient};
    else return gradient;
  }

  Where where() const { return where_; }

 private:
  F function_;
  Where where_;
  std::string_view name_;
};

}  // namespace tutti::internal

namespace tutti {

/// The gradient of a function that returns a scalar, by its first argument: a tree like that argument.
/// grad<1>(f) is by the second one, grad<0, 2>(f) by two: a tuple of trees.
/// A function that returns a pair or tuple is differentiated by its first leaf; the others are auxiliary
/// results, which may be of ops without derivatives.
/// The gradient by a parameter that is equal on all devices of an axis is the sum over these devices: the
/// parameter is one value for all. Under vmap that sum mixes per-example gradients of different devices. For
/// those of the own examples differentiate by pcast(p, "data", varying);
/// docs/gradients_of_equal_parameters.md shows both.
/// The gradient by a complex argument x + iy is df/dx - i df/dy, as in JAX: descend along its conjugate.
/// Example:
///     auto loss = [](const Array& x) { return reduce_sum(x * x); };
///     auto run = machine.compile(grad(loss), w);
///     Array gradient = run(w);  // 2 w
template <int... by, class F>
internal::Gradient<F, false, by...> grad(F function, Where where = Where::here()) {
  return {std::move(function), where};
}
/// std::pair of what the function returns and its gradient.
template <int... by, class F>
internal::Gradient<F, true, by...> value_and_grad(F function, Where where = Where::here()) {
  return {std::move(function), where};
}

/// jax.jvp: std::pair of f(arguments...) and how it changes along `tangents`. Both are tuples of trees of one
/// structure.
/// Example:
///     auto f = [](const Array& y) { return y * y; };
///     auto [value, change] = jvp(f, std::tuple{x}, std::tuple{dx});  // x * x and 2 x dx
template <class F, class... A>
auto jvp(F function, const std::tuple<A...>& arguments, const std::tuple<A...>& tangents,
         Where where = Where::here()) {
  tree::FlatCall call(function, arguments);
  internal::require_same_structure("jvp", call.structure(), tree::structure_of(tangents), where);
  internal::FlatJvp found =
      internal::jvp_flat("jvp", std::ref(call), call.leaves(), tree::flatten(tangents), where);
  return std::pair{call.result(found.results), call.result(found.tangents)};
}

template <class F, class X, class T>
  requires(!(tree::is<X, std::tuple> && std::same_as<X, T>))
void jvp(F, const X&, const T&) = delete;  // jvp(f, std::tuple{x, y}, std::tuple{dx, dy})

/// Says that a function returns a pair: a result, and a tree of auxiliary results, which are not
/// differentiated.
struct HasAux {};
inline constexpr HasAux has_aux;

}  // namespace tutti

namespace tutti::internal {

/// The map from tangents of the arguments to the tangent of the result at one point; trees like these. It may
/// be called many times, also in vmap and in other functions of the same trace.
template <class Result, class... A>
class LinearMap {
 public:
  LinearMap(Linearized map, std::tuple<A...> arguments, Result result)
      : map_(std::move(map)), arguments_(std::move(arguments)), result_(std::move(result)) {}

  Result operator()(const A&... tangents, Where where = Where::here()) const {
    const std::tuple<const A&...> given{tangents...};
    require_same_structure("linearize", tree::structure_of(arguments_), tree::structure_of(given), where);
    return tree::rebuild(result_, push_forward(map_, tree::flatten(arguments_), tree::flatten(given), where));
  }

 private:
  Linearized map_;
  std::tuple<A...> arguments_;
  Result result_;
};

/// The map from a cotangent, a tree like the result, to the tuple of the cotangents of the arguments.
template <class Result, class... A>
class Pullback {
 public:
  Pullback(FlatVjp vjp, std::tuple<A...> arguments, Result result)
      : vjp_(std::move(vjp)), arguments_(std::move(arguments)), result_(std::move(result)) {}

  std::tuple<A...> operator()(const Result& cotangent, Where where = Where::here()) const {
    require_same_structure("vjp", tree::structure_of(result_), tree::structure_of(cotangent), where);
    return tree::rebuild(arguments_,
                         pull_back(vjp_, tree::flatten(arguments_), tree::flatten(cotangent), where));
  }

 private:
  FlatVjp vjp_;
  std::tuple<A...> arguments_;
  Result result_;
};

/// A call of a function that returns a pair of its result and auxiliary results.
template <class F, class... A>
class CallWithAux {
 public:
  CallWithAux(const F& function, const std::tuple<A...>& arguments) : call_(function, arguments) {}
  using Both = typename tree::FlatCall<F, A...>::Result;
  static constexpr bool is_pair = [] {
    if constexpr (tree::is<Both, std::pair> || tree::is<Both, std::tuple>)
      return std::tuple_size_v<Both> == 2;
    else return false;
  }();
  static_assert(!tree::Takes<F, A...> || is_pair,
                "has_aux: the function returns a pair, of a result and a tree of auxiliary results");

  FlatCalled flat(std::string_view name, Where where, int derivatives) {
    return {.name = name,
            .function = std::ref(call_),
            .arguments = call_.leaves(),
            .auxiliary = [this] { return tree::flatten(std::get<1>(call_.result())).size(); },
            .where = where,
            .derivatives = derivatives};
  }
  Both result(const Arrays& leaves) const { return call_.result(leaves); }

 private:
  tree::FlatCall<F, A...> call_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.vjp: std::pair of f(arguments...) and a function from a cotangent (a tree like the result) to the
/// tuple of the cotangents of the arguments.
template <class F, class... A>
auto vjp(F function, const std::tuple<A...>& arguments, Where where = Where::here()) {
  tree::FlatCall call(function, arguments);
  internal::FlatVjp found = internal::vjp_flat({.name = "vjp",
                                                .function = std::ref(call),
                                                .arguments = call.leaves(),
                                                .where = where,
                                                .derivatives = 2});
  auto result = call.result(found.at.results);
  return std::pair{result, internal::Pullback<decltype(result), A...>(std::move(found), arguments, result)};
}
/// The same of a function that returns a pair: std::tuple of its first part, the pullback, and the second
/// part, which is not differentiated.
template <class F, class... A>
auto vjp(F function, const std::tuple<A...>& arguments, HasAux, Where where = Where::here()) {
  internal::CallWithAux<F, A...> call(function, arguments);
  internal::FlatVjp found = internal::vjp_flat(call.flat("vjp", where, 2));
  auto [result, auxiliary] = call.result(found.at.results);
  using Result = decltype(result);
  return std::tuple{result, internal::Pullback<Result, A...>(std::move(found), arguments, result), auxiliary};
}

template <class F, class X, class... Aux>
  requires(!tree::is<X, std::tuple>)
void vjp(F, const X&, const Aux&...) = delete;  // vjp(f, std::tuple{x, y}) -> {f(x, y), pullback}

/// jax.linearize: std::pair of f(arguments...) and the linear function from tangents of the arguments to that
/// of the result. The function runs once; the linear function computes only what depends on the tangents.
/// Throws T010 for a custom_vjp whose backward is not linear.
template <class F, class... A>
auto linearize(F function, const std::tuple<A...>& arguments, Where where = Where::here()) {
  tree::FlatCall call(function, arguments);
  internal::Linearized found = internal::linearize_flat(
      {.name = "linearize", .function = std::ref(call), .arguments = call.leaves(), .where = where});
  auto result = call.result(found.at.results);
  return std::pair{result, internal::LinearMap<decltype(result), A...>(std::move(found), arguments, result)};
}
/// The same of a function that returns a pair: std::tuple of its first part, the linear function, and the
/// second part.
template <class F, class... A>
auto linearize(F function, const std::tuple<A...>& arguments, HasAux, Where where = Where::here()) {
  internal::CallWithAux<F, A...> call(function, arguments);
  internal::Linearized found = internal::linearize_flat(call.flat("linearize", where, 1));
  auto [result, auxiliary] = call.result(found.at.results);
  using Result = decltype(result);
  return std::tuple{result, internal::LinearMap<Result, A...>(std::move(found), arguments, result),
                    auxiliary};
}
template <class F, class X, class... Aux>
  requires(!tree::is<X, std::tuple>)
void linearize(F, const X&, const Aux&...) = delete;  // linearize(f, std::tuple{x, y}) -> {f(x, y), map}

}  // namespace tutti
