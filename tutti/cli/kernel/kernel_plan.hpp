// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/cli/kernel/kernel_request.hpp"

namespace tutti::cli {

/// What a kernel does, and what a launcher must give it, in lines.
std::string plan_text(const kernels::Manifest& manifest);
/// Is there a kernel? Why this launch? What happens instead? In lines.
std::string why_text(const KernelRequest& request);

}  // namespace tutti::cli
