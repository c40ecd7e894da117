// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/kernel/kernel_request.hpp"

namespace tutti::cli {

/// Runs a collective on the GPUs of this machine, compares the results with the definition, and prints what ran and how
/// long a call takes. Ranks take turns on the GPUs; all of them are on one if there is one.
/// Returns the exit status: 1 for a wrong result. Throws R004 without a driver or GPU, or if nothing here can run it.
int run_kernel(const KernelRequest& request, const KernelArguments& arguments);

}  // namespace tutti::cli
