// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/plan.hpp"

namespace tutti::cli {

/// Runs the steps on virtual devices, with an array of different integers, and compares every element on
/// every device with block(), before the first step and after each one. Along an unreduced axis the devices
/// hold terms that are not zero.
/// The integers are i32, whatever the dtype of the plan: steps are the same for all.
/// Throws I001 for an element that is wrong, R003 without memory.
void check_by_running(const ReshardPlan& plan);

}  // namespace tutti::cli
