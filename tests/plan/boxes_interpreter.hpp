// SPDX-License-Identifier: Apache-2.0
// Plans run element by element, for uneven blocks and several meshes. All that is known of a sharding is
// block().
#pragma once

#include "tests/support/shardings.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {

/// Runs the steps of `plan`: a device reads only what it holds, or what members of its group, or senders of
/// its pairs, hold.
/// Empty if each device then holds its block of the request's target, of the sum of all terms, and if
/// exchanges and moves report the bytes and peers of the device that receives the most; else what is wrong.
std::string wrong_boxes(const ReshardPlan& plan);

/// Elements that the device which lacks the most of its block after the plan lacks before it.
std::int64_t missing_elements(const PlanRequest& request);

/// "x2 y2" on these devices of the machine.
Mesh mesh_on(std::string_view axes, const std::vector<int>& devices);

}  // namespace tutti
