// SPDX-License-Identifier: Apache-2.0
// Shared code of ops whose indices are known only at run time: joined states and derivatives.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/rules.hpp"

namespace tutti {

/// Which operands of an op are indices; the others are data, in which it is linear.
using AreIndices = std::vector<bool>;

/// The indices of a dim of this size, from 0 on: negative ones count from its end. Their dtype is signed and
/// holds `size`.
Array from_the_start(const Array& indices, std::int64_t size);
/// Throws T004 for an index that is an unreduced sum.
void require_no_sum(Type index);
/// The states that each operand is cast to. The data agree as for a linear op. Indices are I or R: they have
/// no cotangent; where one varies everything does. Throws T004 for indices that are an unreduced sum, and for
/// data that is one where an index varies.
std::vector<AxisStates> states_by_indices(const Types& operands, const AreIndices& are_indices);
/// The states of the results of operands that agree already; throws T004 if they do not. For `infer`.
AxisStates agreed_states_by_indices(const Types& operands, const AreIndices& are_indices);
/// Throws T007 unless `index` is i32 or i64; `label` is the constraint.
void require_index(Type index, std::string_view label);

/// jvp of an op that is linear in its data: the op on the tangents, at the same indices.
Jvp jvp_by_indices(const Op& op, const Arrays& operands, const Tangents& tangents,
                   const AreIndices& are_indices);
/// Refuses to transpose by indices.
void require_known_indices(const LinearOperands& operands, const AreIndices& are_indices);

}  // namespace tutti
