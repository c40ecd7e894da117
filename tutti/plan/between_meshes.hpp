// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/search/search_of.hpp"

namespace tutti {

/// Steps from one mesh to another: sums and others on the first, one move, others on the second. What a
/// device holds is known from block() and Mesh::device_id() alone.
/// Throws R003 for a move between too many devices.
KnownSteps steps_between_meshes(const PlanRequest& request);

/// True if both meshes have the same devices, in any order.
bool have_same_devices(const Mesh& a, const Mesh& b);

}  // namespace tutti
