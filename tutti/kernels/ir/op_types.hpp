// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Infers the types of an op's results from the types of its operands.
/// Throws I001 with op and types if the op does not take these operands.
std::vector<ValueType> result_types(const OpKind& kind, const std::vector<ValueType>& operands);

/// Checks an op's regions against its operands and results: their number, arguments and terminators. Does not
/// check the ops inside. Throws I001.
void check_regions(const Function& function, const Op& op);

}  // namespace tutti::kernels
