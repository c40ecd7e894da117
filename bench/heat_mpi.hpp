// SPDX-License-Identifier: Apache-2.0
// The heat equation by Open MPI and loops by hand: a square plate, split by rows. Borders travel as messages.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/heat_row.hpp"

namespace tutti::bench {

/// The rows of one process, inside of a border of one element.
class HeatByMpi {
 public:
  HeatByMpi(std::int64_t rows, std::int64_t columns, int rank, int ranks)
      : rows_(rows),
        columns_(columns),
        above_(rank > 0 ? rank - 1 : MPI_PROC_NULL),
        below_(rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL),
        now_(static_cast<std::size_t>((rows + 2) * width())),
        next_(now_.size()) {}

  void set(const std::vector<float>& field) {
    for (std::int64_t i = 0; i < rows_; ++i)
      std::copy_n(field.begin() + i * columns_, columns_, row(now_, i) + 1);
  }
  std::vector<float> get() {
    std::vector<float> field(static_cast<std::size_t>(rows_ * columns_));
    for (std::int64_t i = 0; i < rows_; ++i)
      std::copy_n(row(now_, i) + 1, columns_, field.begin() + i * columns_);
    return field;
  }

  /// So many time steps; `spread` as in examples/heat_model.hpp.
  void run(int steps, float spread) {
    for (int step = 0; step < steps; ++step) {
      exchange_borders();
      for (std::int64_t i = 0; i < rows_; ++i)
        heat_row(row(next_, i), row(now_, i), row(now_, i - 1), row(now_, i + 1), columns_, spread);
      std::swap(now_, next_);
    }
  }

 private:
  std::int64_t width() const { return columns_ + 2; }
  /// Row -1 is the border above, row rows_ the one below.
  float* row(std::vector<float>& field, std::int64_t i) const { return field.data() + (i + 1) * width(); }

  void exchange_borders() {
    const auto exchange = [&](std::int64_t sent, int to, std::int64_t received, int from) {
      MPI_Sendrecv(row(now_, sent), static_cast<int>(width()), MPI_FLOAT, to, 0, row(now_, received),
                   static_cast<int>(width()), MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    exchange(rows_ - 1, below_, -1, above_);
    exchange(0, above_, rows_, below_);
  }

  std::int64_t rows_, columns_;
  int above_, below_;
  std::vector<float> now_, next_;
};

}  // namespace tutti::bench
