// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "tests/kernels/tiny_group.hpp"

namespace tutti::kernels {

/// Fails unless the report has a fault of this kind whose text has all of these parts.
void expect_fault(const CheckReport& report, FaultKind kind, const std::vector<std::string_view>& parts);

void expect_no_fault(const CheckReport& report);

}  // namespace tutti::kernels
