// SPDX-License-Identifier: Apache-2.0
// Parts of axes: a sharding may name x(p)s, the factor of size s of an axis x behind slower factors whose
// product is p. It then stands on a refined mesh: the same devices, with x cut into axes of their own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// Where each axis of a mesh is cut: ascending products of slower factors. x=8 as x(1)2, x(2)4 is cut at 2.
using Cuts = std::vector<std::vector<int>>;

/// No cuts.
Cuts cuts_of_whole(const Mesh& whole);
/// How the mesh was cut from mesh.whole().
Cuts cuts_of(const Mesh& mesh);
/// All cuts of both. None if those of an axis do not divide each other: x=6 at 2 and at 3.
std::optional<Cuts> joined(Cuts a, const Cuts& b);
/// `whole` with these cuts; without any, itself.
Mesh refined(const Mesh& whole, const Cuts& cuts);

/// The axes of a refined mesh that make up a part of an axis, slowest first. The mesh is cut where the part
/// begins and ends.
Axes axes_of_part(const Mesh& refined_mesh, const AxisFactor& part);
/// The same sharding on a mesh that has all cuts of its own: x becomes x(1)2, x(2)4.
Sharding refined(const Sharding& sharding, const Mesh& finer);

/// The same sharding on the mesh that is cut only where a part in it begins or ends.
Sharding on_coarsest_mesh(const Sharding& sharding);

/// The names of axes, with parts that follow each other as one: x(1)2, x(2)4 is x.
std::vector<std::string> merged_names(std::span<const Axis> axes);

}  // namespace tutti
