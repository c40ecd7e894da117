// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ptx/thread_values.hpp"

namespace tutti::kernels {

/// True for ops whose elements can be computed one by one at any place: no memory accesses, no regions.
bool is_expression(const OpKind& kind);

/// Computes held element i of an op's result from the elements of its operands.
/// Throws T015 naming the op if PTX cannot compute it.
ElementValue expression(ThreadValues& values, const Op& op, int i);

}  // namespace tutti::kernels
