// SPDX-License-Identifier: Apache-2.0
#include "tests/support/halves.hpp"

#include "tests/install/own_op/second_difference.hpp"
#include "tests/install/own_op/soft_threshold.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace tutti {

std::vector<OpRow> tried_ops() {
  std::vector<OpRow> rows = all_ops();
  rows.push_back({"second_difference", rod::SecondDifference::examples()});
  rows.push_back({"soft_threshold", rod::SoftThreshold::examples()});
  if (!has_fft()) std::erase_if(rows, [](const OpRow& row) { return row.name == "fft"; });
  for (OpRow& row : rows)
    for (Example& example : row.examples) example = from_the_start(example);
  return rows;
}

std::vector<OpRow> lowered_ops() {
  std::vector<OpRow> rows = tried_ops();
  const auto is_refused = [](const Example& example) { return !example.op->refusal(Rule::lower).empty(); };
  std::erase_if(rows, [&](const OpRow& row) { return is_refused(row.examples[0]); });
  for (OpRow& row : rows) std::erase_if(row.examples, is_refused);
  return rows;
}

}  // namespace tutti
