// expect: format_of_a_wide_character\.cpp:9
// expect: a value of a message is a number, a text, or has to_string
// SPDX-License-Identifier: Apache-2.0
// A wide character is no number.
#include "tutti/base/require.hpp"

void refuse(int dim, wchar_t sign) {
  using namespace tutti;
  ops::require(dim < 2, Code::dim, "dim {} of {}", dim, sign);
}
