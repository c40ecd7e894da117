// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::cli {

using Row = std::vector<std::string>;

/// Rows with columns of equal width, one line each. The first `numbers` columns are aligned to the right.
/// There is at least one row, and all have the same number of cells.
std::string table(const std::vector<Row>& rows, std::size_t numbers);

}  // namespace tutti::cli
