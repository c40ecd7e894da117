// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/read/source.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// The mesh of a symbol sdy.mesh, which stands at `where`. Throws T014.
Mesh mesh_of(const stablehlo::MeshAxes& axes, Where where);
/// The mesh that `sdy.mesh @name` declares. Throws T014 if there is none of that name.
Mesh mesh_named(const SourceModule& source, std::string_view name);
/// The largest mesh that a module declares; none if it declares none.
std::optional<Mesh> largest_mesh(const SourceModule& source);

/// A sharding of the text on `mesh`, of an array of rank `rank`, with only those axes that are in `axes`.
/// Throws T001 for an axis that the mesh has not, T013 for parts of axes, and for another rank.
Sharding sharding_on(const Mesh& mesh, const stablehlo::ValueSharding& sharding, int rank, const Axes& axes);

}  // namespace tutti
