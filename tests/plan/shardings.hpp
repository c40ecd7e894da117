// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/plan.hpp"

namespace tutti {

enum class Sums { none, some };
/// All shardings of an array of `shape` on `mesh` that divide evenly; with `some` those with unreduced axes, too.
std::vector<Sharding> all_shardings(const Mesh& mesh, const Shape& shape, Sums sums);

/// "[xy][] P{z}" on a mesh whose axes have names of one letter: the form of the tables of transitions. "R" is free.
Sharding sharding_of(const Mesh& mesh, int rank, std::string_view text);
/// "x2 y4": a mesh.
Mesh mesh_of(std::string_view text);

}  // namespace tutti
