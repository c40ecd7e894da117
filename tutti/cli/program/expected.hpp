// SPDX-License-Identifier: Apache-2.0
// Compares results with the arrays of --expect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/api/load.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti::cli {

/// The expected array of each result; none for a result without a file.
using Expected = std::vector<std::optional<Tensor>>;

/// Reads the files of --expect: .npy files for the first results, or one archive for all of them. An archive
/// that has the name of a result is matched by name, another one by position.
/// Throws R001 for a file that is no array, R002 for an archive that has other arrays than one per result.
Expected read_expected(const std::vector<std::string>& files, const std::vector<LoadedArray>& results);

/// The difference allowed: `absolute` + `relative` times the largest expected value.
struct Tolerance {
  std::optional<double> relative;  // none: 1e-5 for floats, 0 for others
  double absolute = 0;
};

/// Compares each result with what is expected and prints a line for it. Integers are compared exactly.
/// Returns false if one differs by more than the tolerance.
bool all_as_expected(const Expected& expected, const std::vector<LoadedArray>& names, const Tensors& results,
                     const Tolerance& tolerance);

}  // namespace tutti::cli
