// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/kernels/spec/manifest.hpp"

namespace tutti::cli {

/// Runs the kernels of a manifest on the model of the ranks in as many schedules as half a minute allows, at most 1,000,
/// and prints what was found. Large blocks have fewer schedules, or some of their tiles only, which is said.
/// Returns the exit status: 1 for a fault.
int check_kernel(const kernels::Manifest& manifest);

}  // namespace tutti::cli
