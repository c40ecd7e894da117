// expect: format_with_a_single_brace\.cpp:9
// expect: a } is neither doubled nor the end of a place
// SPDX-License-Identifier: Apache-2.0
// A brace that closes no place is doubled.
#include "tutti/base/require.hpp"

void refuse(int dim, int rank) {
  using namespace tutti;
  ops::require(dim < 2, Code::dim, "dim }0} of {}", dim, rank);
}
