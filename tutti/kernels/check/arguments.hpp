// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "tutti/kernels/check/machine.hpp"

namespace tutti::kernels {

/// The memory of a group and the calls of options.calls, with the arguments that each manifest asks for. Times out
/// expected of an absent rank are added to `timeouts`.
/// Throws what check() throws.
std::unique_ptr<GroupSetup> group_of(std::span<const EmittedKernels> emitted, const CheckOptions& options,
                                     std::int64_t& timeouts);

}  // namespace tutti::kernels
