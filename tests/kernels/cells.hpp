// SPDX-License-Identifier: Apache-2.0
// The kernels that the checker's tests run: every collective in every variant, on tiles of few lanes.
#pragma once

#include <string>
#include <vector>

#include "tutti/kernels/check/check.hpp"

namespace tutti::kernels {

/// The size of a small kernel: lanes of a tile, and the most blocks of a rank.
struct Size {
  std::int64_t tile = 2;
  int blocks = 2;
};

/// One kernel: a spec and how its barrier is encoded.
struct Cell {
  CollectiveSpec spec;
  Encoding encoding = Encoding::poll;
};
std::string to_string(const Cell& cell);
/// A name for tests: "all_gather_push_poll_f32_dim_0_world_2".
std::string identifier(const Cell& cell);

/// Every collective that takes the dtype, in every variant: blocks of `shape`, along `dim` where the
/// collective has dims.
/// A ppermute is the chain i -> i + 1: the first rank receives from nobody, and the last sends to nobody. In
/// a world of 2 the ranks swap.
std::vector<CollectiveSpec> specs_of(DType dtype, const Shape& shape, Dim dim, int world);
/// specs_of() in every encoding. Packets have no barrier, so they appear once.
std::vector<Cell> cells_of(DType dtype, const Shape& shape, Dim dim, int world);

/// The kernels of a cell on small tiles.
EmittedKernels small_kernels(const Cell& cell, Size size = {});

}  // namespace tutti::kernels
