// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tutti {

/// Programs of one op each, of every op, and a pretty text with a map, a loop and a call.
const std::vector<std::string>& example_texts();

}  // namespace tutti
