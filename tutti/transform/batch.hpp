// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// True if values of this type have a batch dimension once `axis` is removed: V and U. I and R are the same
/// in all lanes.
bool has_lanes(Type type, const Axis& axis);

/// Removes `axis` from a program typed over it: inputs and outputs that are V or U over it gain dim 0 of its
/// size.
/// Throws T010 with the op's reason where a rule is refused.
Program batch(const Program& program, const Axis& axis);

/// The same, recorded in the current builder. An operand that is V in type may be handed in unbatched: the
/// same in every lane. Outputs that are V or U come out batched.
Arrays inline_batched(const Program& program, const Axis& axis, const BatchedArrays& arguments);

}  // namespace tutti
