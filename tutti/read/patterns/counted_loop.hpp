// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/read/reading.hpp"

namespace tutti {

/// The results of a while loop that counts from 0 to a number: as a scan, which has a gradient. Carries that
/// are only read in slices at the count are its xs; those that are only written at the count, all of them,
/// are its ys; those that stay are captured. None: another loop.
std::optional<Arrays> counted_loop(const OpReader& op);

}  // namespace tutti
