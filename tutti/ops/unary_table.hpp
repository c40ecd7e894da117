// SPDX-License-Identifier: Apache-2.0
// What the functions of Unary take, and how they are named and tried; their rules are in unary.cpp.
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

bool takes(UnaryFn fn, DType dtype);
/// Throws T007: fn does not take x.
[[noreturn]] void refuse(UnaryFn fn, Type x);
/// The StableHLO or CHLO op that computes fn. Empty if it takes several: exp2, log2, log10, trigamma.
std::string_view stablehlo_name(UnaryFn fn);
/// An operand in the domain, away from the kinks.
ExampleOperand example_operand(UnaryFn fn, Type type);
About about_unary(UnaryFn fn);
/// All of them, in the order in which `tutti rules` lists them.
std::span<const UnaryFn> all_unary_functions();

}  // namespace tutti
