// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/search/search_of.hpp"

namespace tutti {

/// Steps on one mesh where a dim does not divide: slices and sums where blocks fit, then one exchange of
/// boxes, or a slice, then masks. Padding is added up where blocks are; it never travels in an exchange.
KnownSteps uneven_steps(const PlanRequest& request);

}  // namespace tutti
