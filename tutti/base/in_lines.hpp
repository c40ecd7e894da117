// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tutti {

/// `bytes`, rounded up to whole cache lines: where the next array in scratch begins.
constexpr std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace tutti
