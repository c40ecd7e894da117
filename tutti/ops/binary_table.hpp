// SPDX-License-Identifier: Apache-2.0
// Examples of the functions of Binary. Their facts are in tensor/loops/element_fn.cpp, their rules in
// binary.cpp.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// Operands in the domain, away from the kinks; integers may meet every edge.
std::vector<ExampleOperand> example_operands(BinaryFn fn, Type x, Type y);

}  // namespace tutti
