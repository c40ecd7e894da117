// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// The types of the op's results, from those of its operands.
/// Throws I001 with op and types if the op does not take them.
std::vector<ValueType> result_types(const OpKind& kind, const std::vector<ValueType>& operands);

/// Checks number, arguments and terminators of the op's regions against its operands and results; not the ops inside.
/// Throws I001.
void check_regions(const Function& function, const Op& op);

}  // namespace tutti::kernels
