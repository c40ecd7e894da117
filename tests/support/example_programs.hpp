// SPDX-License-Identifier: Apache-2.0
// The examples of ops as programs with inputs, for peers that compile whole programs.
#pragma once

#include <functional>

#include "tests/support/differences.hpp"

namespace tutti {

/// One program of all examples, so that XLA compiles once: their operands are its inputs, their results its outputs. Its
/// starts are done at once.
Program program_of(const std::vector<Example>& examples);

/// Inputs of that program: equal along the axes where the types say so, else different.
Values random_inputs(const std::vector<Example>& examples);

/// `change` applied to every element of the floats, and to the parts of complex numbers.
Values changed(Values values, const std::function<double(std::int64_t, double)>& change);

/// Every other of the first elements of floats becomes a number that arithmetic would spoil.
Values with_special_numbers(Values inputs);

}  // namespace tutti
