// SPDX-License-Identifier: Apache-2.0
// Refusals and examples of the functions of Unary. Their facts are in tensor/loops/element_fn.cpp, their
// rules in unary.cpp.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

/// Throws T007: fn does not take x.
[[noreturn]] void refuse(UnaryFn fn, Type x);
/// An operand in the domain, away from the kinks.
ExampleOperand example_operand(UnaryFn fn, Type type);

}  // namespace tutti
