// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/cli/kernel/kernel_request.hpp"

namespace tutti::cli {

/// Describes a kernel in lines: its phases, and the resources that a launcher must provide.
std::string plan_text(const kernels::Manifest& manifest);
/// Explains a request in lines: whether a kernel exists, the reasons for its launch, and the fallback.
std::string why_text(const KernelRequest& request);

}  // namespace tutti::cli
