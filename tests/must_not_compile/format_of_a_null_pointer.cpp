// expect: format_of_a_null_pointer\.cpp:9
// expect: use of deleted function
// SPDX-License-Identifier: Apache-2.0
// A null pointer is no text.
#include "tutti/base/require.hpp"

void refuse(int dim, std::nullptr_t text) {
  using namespace tutti;
  ops::require(dim < 2, Code::dim, "dim {} of {}", dim, text);
}
