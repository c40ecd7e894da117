// SPDX-License-Identifier: Apache-2.0
#include "tests/support/halves.hpp"

namespace tutti {

std::vector<OpRow> tried_ops() {
  std::vector<OpRow> rows = all_ops();
  for (OpRow& row : rows)
    for (Example& example : row.examples) example = from_the_start(example);
  return rows;
}

}  // namespace tutti
