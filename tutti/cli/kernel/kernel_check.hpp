// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::cli {

/// Checks the kernels of a manifest on a model of the ranks, and prints the faults and the bytes moved. Runs
/// up to 1,000 schedules in about 30 s. Large blocks get fewer schedules or skip tiles, and the output says
/// so.
/// Returns the exit status: 1 for a fault.
/// Throws R003 for ranks that load and store more than 200 million elements in a schedule all the same.
int check_kernel(const kernels::Manifest& manifest);

}  // namespace tutti::cli
