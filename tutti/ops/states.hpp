// SPDX-License-Identifier: Apache-2.0
// How the states of operands go together, per axis and mixing; the rules are closed under transposition.
#pragma once

#include "tutti/ir/rules.hpp"

namespace tutti::ops {

/// The states to cast each operand to, so that they agree. Throws T004 with the reduction or the mask to
/// insert.
std::vector<AxisStates> joined_states(const Types& operands, Mixing mixing);

/// The states of the result of operands that agree already; throws T004 if they do not. For `infer`.
AxisStates agreed_states(const Types& operands, Mixing mixing);

/// The states of `x`, but V along those of `axes` where it is I or R: what collectives over them take.
AxisStates varying_over(Type x, const Axes& axes);

/// The axes along which all devices hold equal values, I or R: a sum over them counts a value once per
/// device.
Axes equal_along(Type x, const Axes& axes);

/// "an unreduced sum over 'data'": what `type` is along `axis`, for messages.
std::string in_words(Type type, const Axis& axis);

/// Throws T007 for bool: it has no sum, and so no terms of one.
void require_summable(Type x);

/// Why U is refused over an axis with groups: advice for require_states.
inline constexpr std::string_view only_sums_over_all =
    "a sum over the groups of an axis has no type; reduce over all of it, or sum values";

/// Throws T004 unless the state of `x` along each of `axes` is one of `allowed`; `advice` says what to do.
void require_states(Type x, const Axes& axes, std::initializer_list<State> allowed, std::string_view advice);

}  // namespace tutti::ops
