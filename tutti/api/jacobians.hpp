// SPDX-License-Identifier: Apache-2.0
// All derivatives of a function at once: a number for each element of its results and of its arguments.
#pragma once

#include <functional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/api/derivatives.hpp"
#include "tutti/base/namespaces.hpp"
#include "tutti/tree/nested.hpp"

namespace tutti {

/// How a Jacobian is computed: one jvp per element of the arguments, or one vjp per element of the results.
enum class JacobianMode { forward, reverse };

}  // namespace tutti

namespace tutti::internal {

/// For each result leaf the derivative by each leaf of call.by: [result dims.., argument dims..].
/// Throws T007 for a leaf of results or arguments that has no such derivative.
Arrays jacobian_flat(JacobianMode mode, const FlatCalled& call);

template <class F, JacobianMode mode, int... by>
class Jacobian {
 public:
  Jacobian(F function, Where where,
           std::string_view name = mode == JacobianMode::forward ? "jacfwd" : "jacrev")
      : function_(std::move(function)), where_(where), name_(name) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    const std::tuple<A...> given{arguments...};
    tree::FlatCall call(function_, given);
    Arrays leaves = jacobian_flat(mode, {.name = name_,
                                         .function = std::ref(call),
                                         .arguments = call.leaves(),
                                         .by = chosen_leaves<by...>(given),
                                         .where = where_});
    return tree::nested(call.result(), chosen<by...>(given), rows_as_chosen<by...>(given, leaves));
  }

  Where where() const { return where_; }

 private:
  F function_;
  Where where_;
  std::string_view name_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.jacfwd: the derivative of every element of the results by every element of the first argument
/// (jacfwd<1>(f): of the second; jacfwd<0, 2>(f): of two, a tuple), an array [result dims.., argument dims..]
/// for each pair of leaves.
/// The Jacobian is a tree like the result, with a tree like the argument in the place of each leaf; a struct
/// of the result becomes a std::tuple of its fields, unless the argument is one Array.
/// The function is traced once; its linear part runs for all elements of the argument at once, in lanes of
/// vmap.
/// Inside of shard_map column j is how the results change when element j moves on all devices at once.
/// Throws T007 unless arguments are floats, and results floats or complex.
template <int... by, class F>
internal::Jacobian<F, JacobianMode::forward, by...> jacfwd(F function, Where where = Where::here()) {
  return {std::move(function), where};
}
/// jax.jacrev: the same, row by row: the linear part runs backwards for all elements of the results at once.
/// Cheaper than jacfwd where the results have fewer elements than the argument.
/// Inside of shard_map row i is the gradient of result i as `grad` defines it: of a result that varies, of
/// the sum over the devices. It equals jacfwd where argument and result are equal on all devices, and where
/// each device works alone.
/// Throws T007 unless results are floats, and arguments floats or complex.
template <int... by, class F>
internal::Jacobian<F, JacobianMode::reverse, by...> jacrev(F function, Where where = Where::here()) {
  return {std::move(function), where};
}

}  // namespace tutti

namespace tutti::internal {

template <class F, int... by>
class Hessian {
 public:
  Hessian(F function, Where where) : function_(std::move(function)), where_(where) {}

  template <class... A>
  auto operator()(const A&... arguments) const {
    auto gradient = [this](const A&... again) {
      return Gradient<F, false, by...>(function_, where_, "hessian")(again...);
    };
    return Jacobian<decltype(gradient), JacobianMode::forward, by...>(gradient, where_,
                                                                      "hessian")(arguments...);
  }

  Where where() const { return where_; }

 private:
  F function_;
  Where where_;
};

}  // namespace tutti::internal

namespace tutti {

/// jax.hessian: the second derivatives of a function that returns a scalar, as jacfwd of its gradient: for
/// one Array x an array [x dims.., x dims..], for a tree a tree of trees.
/// Throws T005 if the function does not return a scalar (of an array of results take jacfwd(jacrev(f))), T007
/// for arguments that are no floats.
template <int... by, class F>
internal::Hessian<F, by...> hessian(F function, Where where = Where::here()) {
  return {std::move(function), where};
}

/// The Hessian of a function that returns a scalar, times `v`: a tree like x. Costs a few times the function,
/// not a few times the number of elements: the gradient, forward.
/// Throws T005 if the function does not return a scalar or `v` has another shape than x, T012 if it has
/// another structure.
template <class F, class X>
X hvp(F function, const X& x, const X& v, Where where = Where::here()) {
  internal::Gradient<F, false> gradient(std::move(function), where, "hvp");
  tree::FlatCall call(gradient, std::tuple<X>{x});
  internal::require_same_structure("hvp", tree::structure_of(x), tree::structure_of(v), where);
  return call.result(
      internal::jvp_flat("hvp", std::ref(call), call.leaves(), tree::flatten(v), where).tangents);
}

}  // namespace tutti
