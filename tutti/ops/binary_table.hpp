// SPDX-License-Identifier: Apache-2.0
// Operands, names and examples of the functions of Binary; their rules are in binary.cpp.
#pragma once

#include <span>
#include <string_view>

#include "tutti/base/inside.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/op.hpp"

namespace tutti {

bool takes(BinaryFn fn, DType dtype);
/// The StableHLO op that computes fn.
std::string_view stablehlo_name(BinaryFn fn);
/// Operands in the domain, away from the kinks; integers may meet every edge.
std::vector<ExampleOperand> example_operands(BinaryFn fn, Type x, Type y);
About about_binary(BinaryFn fn);
/// All of them, in the order in which `tutti rules` lists them.
std::span<const BinaryFn> all_binary_functions();

}  // namespace tutti
