// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/kernel/kernel_request.hpp"

namespace tutti::cli {

/// Runs a collective on the GPUs of this machine, compares the results with the definition, and prints the
/// backend and the time of a call. Ranks are dealt to the GPUs in turn, so several ranks may share a GPU.
/// Returns the exit status: 1 for a wrong result. Throws R004 without a driver or GPU, or if no backend here
/// can run the collective.
int run_kernel(const KernelRequest& request, const KernelArguments& arguments);

}  // namespace tutti::cli
