// expect: format_arguments\.cpp:9
// expect: constant expression
// SPDX-License-Identifier: Apache-2.0
// A message with more holes than values is refused when compiled, not when thrown.
#include "tutti/base/require.hpp"

void refuse(int dim, int rank) {
  using namespace tutti;
  ops::require(dim < rank, Code::dim, "dim {} is out of range for rank {}", dim);
}
