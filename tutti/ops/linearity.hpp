// SPDX-License-Identifier: Apache-2.0
// The rules that all linear, bilinear and element-by-element ops share.
#pragma once

#include "tutti/ir/rules.hpp"

namespace tutti::ops {

/// jvp of an op that is linear in all operands together: the op on the tangents, zeros where there are none.
Jvp linear_jvp(const Op& op, const Arrays& operands, const Tangents& tangents);
/// jvp of an op that is linear in each of two operands: the sum of the op with one tangent at a time.
Jvp bilinear_jvp(const Op& op, const Arrays& operands, const Tangents& tangents);
/// Results of the op and no tangents: for results that are bool or integers, or piecewise constant.
Jvp constant_jvp(const Op& op, const Arrays& operands);

/// batch of an op that works element by element: the op on operands that all have dim 0, or none of them.
BatchedArrays elementwise_batch(const Op& op, const Axis& axis, const BatchedArrays& operands);
/// `x` with dim 0 over the lanes of `axis`; repeated if it is the same in every lane.
Array materialised(const Batched& x, const Axis& axis);

/// a + b, where absent is zero.
std::optional<Array> sum_of(const std::optional<Array>& a, const std::optional<Array>& b);

}  // namespace tutti::ops
