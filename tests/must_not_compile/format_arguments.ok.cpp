// SPDX-License-Identifier: Apache-2.0
// Control of format_arguments.cpp: as many values as holes.
#include "tutti/base/require.hpp"

void refuse(int dim, int rank) {
  using namespace tutti;
  ops::require(dim < rank, Code::dim, "dim {} is out of range for rank {}", dim, rank);
}
