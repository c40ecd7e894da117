// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {

/// classify() for a request from one mesh to another.
Classified classify_between_meshes(const PlanRequest& request);

}  // namespace tutti
