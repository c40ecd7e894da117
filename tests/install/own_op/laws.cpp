// SPDX-License-Identifier: Apache-2.0
#include "second_difference.hpp"
#include "soft_threshold.hpp"

// The ops that the laws try.
namespace tutti {
std::vector<ops::OpRow> tried_ops() {
  return {{"second_difference", rod::SecondDifference::examples()},
          {"soft_threshold", rod::SoftThreshold::examples()}};
}
}  // namespace tutti
