// SPDX-License-Identifier: Apache-2.0
// How the front ends of control flow trace a user's functions.
#pragma once

#include <functional>
#include <string>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti::ops {

using InnerFunction = std::function<Arrays(const Arrays&)>;

/// A function as a program; the values of enclosing traces that it uses follow its declared inputs.
struct InnerTrace {
  Program program;
  Arrays captured;
};
/// The axes along which devices go different ways, and the value that decides it.
struct Divergence {
  Axes axes = {};
  std::string_view what = {};  // "the predicate"
  std::optional<Type> by = {};
};
/// Captured values become varying along the axes of `divergent`. Throws T004 for a captured partial sum over
/// one of them.
InnerTrace trace_inside(const Types& inputs, const Divergence& divergent, const InnerFunction& function,
                        const Builder::Differentiated& later = {});
/// The type of a captured value inside code where devices go different ways. Throws T004 for partial sums;
/// `what` names the value.
Type entering(std::string_view what, Type type, const Divergence& divergent);

/// Gives each program all captured values, each once, as inputs after its declared ones. Returns these
/// values.
Arrays share_captured(std::vector<InnerTrace>& traces);

/// How to make terms of a sum over `axis` of a value of this type, in advice: "mask(x, \"data\")".
std::string as_terms(Type type, const Axis& axis);
/// The larger of two states, where I < R < V. U joins only U.
std::optional<State> joined(State a, State b);
/// The program with outputs cast to these states.
Program with_output_states(const Program& program, const std::vector<AxisStates>& states);

}  // namespace tutti::ops

namespace tutti::internal {

/// The axes of both types.
Axes axes_of(Type a, Type b);

}  // namespace tutti::internal
