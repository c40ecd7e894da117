// SPDX-License-Identifier: Apache-2.0
// CI tries a part of large sets of cases, `make soak` all of them.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "tests/support/sanitizer.hpp"

namespace tutti {

/// True if TUTTI_TEST_FULL is set.
inline bool tries_full_sets() { return std::getenv("TUTTI_TEST_FULL") != nullptr; }

/// Under sanitizers, tests take one in so many pairs of shardings. Each pair takes ten times as long there
/// and runs the same code.
inline std::size_t one_in_sanitized() { return has_sanitizer() ? 11 : 1; }

}  // namespace tutti
