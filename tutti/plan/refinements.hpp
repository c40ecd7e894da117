// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/plan.hpp"

namespace tutti {

/// The same request; shardings on different refined meshes of one mesh come to stand on the mesh that is
/// refined as both are.
/// With options.parts, cuts that neither needs are left out.
/// If their parts of axes do not fit each other, they stay on two meshes.
PlanRequest on_one_mesh(PlanRequest request);

/// The plan's request on meshes with axes cut into their prime factors, if its options allow it and a better
/// plan is likely:
/// ways to cut, where the primes of an axis differ. As many axes are cut as a search bears, those that move
/// first.
std::vector<PlanRequest> refinements(const ReshardPlan& plan);

}  // namespace tutti
