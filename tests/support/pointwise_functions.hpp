// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/support/functions.hpp"

namespace tutti {

/// Those of elementary functions, activations and layers; local_functions has them.
std::vector<Function> pointwise_functions();

}  // namespace tutti
