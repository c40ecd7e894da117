// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/ir/array.hpp"

namespace tutti {

/// A function made of ops, as `tutti explain` shows it.
struct FunctionRow {
  std::string_view name, source;  // ours, and the function that it follows: "numpy.roll"
  std::string_view call;          // as a user writes it: "roll(x, 1)"
  Types operands;                 // of the example
  std::function<Arrays(const Arrays& operands)> example;
};

/// Every function of this folder by its name, in order of name.
const std::vector<FunctionRow>& functions_made_of_ops();

}  // namespace tutti
