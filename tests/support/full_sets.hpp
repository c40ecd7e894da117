// SPDX-License-Identifier: Apache-2.0
// CI tries a part of large sets of cases, `make soak` all of them.
#pragma once

#include <cstdlib>

namespace tutti {

/// True if TUTTI_TEST_FULL is set.
inline bool tries_full_sets() { return std::getenv("TUTTI_TEST_FULL") != nullptr; }

}  // namespace tutti
