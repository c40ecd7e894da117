// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tutti::bench {

/// One time step of the elements 1 to `columns` of a row, by hand: examples/heat_model.hpp. Element 0 and the
/// one behind them are borders.
inline void heat_row(float* out, const float* row, const float* above, const float* below,
                     std::int64_t columns, float spread) {
#pragma omp simd
  for (std::int64_t j = 1; j <= columns; ++j)
    out[j] = row[j] + spread * (above[j] + below[j] + (row[j - 1] + row[j + 1]) - 4 * row[j]);
}

}  // namespace tutti::bench
