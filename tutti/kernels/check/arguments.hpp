// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

/// Makes the memory of a group and its calls, with the arguments that each manifest asks for. While schedules
/// run, adds the waits given up for an absent rank to `timeouts`, which must outlive the result.
/// Throws as check() does.
std::unique_ptr<GroupSetup> group_of(std::span<const EmittedKernels> emitted, const CheckOptions& options,
                                     std::int64_t& timeouts);

}  // namespace tutti::kernels
