// expect: format_with_numbers_and_without\.cpp:9
// expect: some places have numbers, others none
// SPDX-License-Identifier: Apache-2.0
// A message numbers all places or none.
#include "tutti/base/require.hpp"

void refuse(int dim, const char* text) {
  using namespace tutti;
  ops::require(dim < 2, Code::dim, "{}: dim {0}", text, dim);
}
