// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// True for ops whose elements may be computed one by one, wherever they are needed: no memory, no loops.
bool is_expression(const OpKind& kind);

/// Held element i of the op's result, from those of its operands.
/// Throws T015 naming an op that PTX cannot do so.
Held expression(ThreadValues& values, const Op& op, int i);

}  // namespace tutti::kernels
