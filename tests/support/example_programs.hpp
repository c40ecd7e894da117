// SPDX-License-Identifier: Apache-2.0
// The examples of ops as programs with inputs, for peers that compile whole programs.
#pragma once

#include <functional>

#include "tests/support/differences.hpp"

namespace tutti {

/// One program of all examples, so that XLA compiles once. Inputs: the operands of all examples. Outputs:
/// their results. Each start is followed by its done.
Program program_of(const std::vector<Example>& examples);

/// The same for peers that choose other signs or phases of eigenvectors: projections_of in their place.
Program program_without_phases(const std::vector<Example>& examples);

/// The projection onto each eigenvector, in which phases cancel. v: [.., n, n] -> [.., n, n, n].
Array projections_of(const Array& v);

/// Random inputs of that program: equal on devices where the types say so, else different.
Values random_inputs(const std::vector<Example>& examples);

/// Applies `change` to every float, and to both parts of every complex number.
Values changed(Values values, const std::function<double(std::int64_t, double)>& change);

/// Replaces every second of the first floats by a number that arithmetic would change.
Values with_special_numbers(Values inputs);

}  // namespace tutti
