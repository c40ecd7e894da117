// SPDX-License-Identifier: Apache-2.0
// Results beside the arrays of --expect.
#pragma once

#include <vector>

#include "tutti/api/load.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/cli/words/options.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::cli {

/// Compares results with the arrays of --expect and prints a line for each. Returns false if one differs by
/// more than the tolerance. Throws R001 for a file that is no array, R002 for more arrays than results.
bool all_as_expected(const RunArguments& arguments, const std::vector<LoadedArray>& names,
                     const Tensors& results);

}  // namespace tutti::cli
