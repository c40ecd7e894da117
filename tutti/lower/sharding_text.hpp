// SPDX-License-Identifier: Apache-2.0
// Shardy's spellings. They are the same in every module: its one mesh is the symbol @mesh.
#pragma once

#include <vector>

#include "tutti/stablehlo/tree.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// "sdy.mesh"() <{mesh = #sdy.mesh<["data"=4, "model"=2]>, sym_name = "mesh"}>
stablehlo::Operation mesh_symbol(const Mesh& mesh);
/// #sdy.sharding<@mesh, [{"data"}, {}], unreduced={"model"}>; `reduced` has no spelling: equal values are
/// equal values.
stablehlo::Attribute sharding_attribute(const Sharding& sharding);
/// #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>
stablehlo::Attribute per_value_attribute(const std::vector<Sharding>& shardings);
/// #sdy<manual_axes{"data", "model"}>
stablehlo::Attribute manual_axes_attribute(const Mesh& mesh);

}  // namespace tutti
