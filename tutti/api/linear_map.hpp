// SPDX-License-Identifier: Apache-2.0
// A function at a point, flat: its results, and how they move with its arguments. Shared by vjp, linearize
// and jacobians.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti::internal {

using FlatFunction = std::function<Arrays(const Arrays&)>;

/// A function of leaves and the arguments at which it is differentiated.
struct FlatCalled {
  std::string_view name;  // of the transform that the user called: "vjp"
  FlatFunction function;
  Arrays arguments;
  std::vector<bool> by = {};  // arguments to differentiate by; empty: all
  /// The number of last results that are not differentiated, asked once the function has run. None: 0.
  std::function<std::size_t()> auxiliary = {};
  Where where;
  int derivatives = 1;  // 2 where the user gets a pullback, which may be differentiated itself
};

/// The arguments as values of the current builder, and the program of the function on them. Only `name`,
/// `function`, `arguments`, `by`, `where` and `derivatives` of the call are read.
struct TracedCall {
  Arrays own;
  TracedProgram traced;
};
TracedCall traced_call(const FlatCalled& call);

/// The arrays as values of the current builder.
Arrays own_all(const Arrays& arrays);
Arrays joined(Arrays front, const Arrays& back);
/// `x` cast to `wanted` where a cast is free. Throws T005, T007, T004 else; `what` names it.
Array as_type(const Array& x, Type wanted, std::string_view what);
/// Throws T007 if the derivative is by a leaf that has none.
void require_differentiable(const Arrays& arguments, const std::vector<bool>& by);
/// Throws T010 for a custom_vjp whose backward is not linear: it does not run forwards.
void require_forward(const Program& program);

/// A function at a point: its results, and what its derivative there needs.
struct FlatPoint {
  std::string_view name;  // of the transform
  Arrays results;         // auxiliary ones last
  Arrays residuals;
  std::vector<bool> moving;  // per argument: has a tangent
  std::vector<bool> active;  // per result that is not auxiliary: moves with the arguments
};
struct Linearized {
  FlatPoint at;
  Program linear;  // (residuals, tangents of the `moving` arguments) -> tangents of the `active` results
};
Linearized linearized(const FlatCalled& call);
/// Tangents of the results, auxiliary ones left out; those of bool and integers are zeros.
Arrays push_forward(const Linearized& map, const Arrays& arguments, const Arrays& tangents, Where where);

struct FlatVjp {
  FlatPoint at;
  Program pullback;  // (residuals, cotangents of the active results) -> those of the moving arguments
};
FlatVjp vjp_flat(const FlatCalled& call);
/// Cotangents of all arguments; zeros for those that do not move.
Arrays pull_back(const FlatVjp& vjp, const Arrays& arguments, const Arrays& cotangents, Where where);

}  // namespace tutti::internal
