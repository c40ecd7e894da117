// SPDX-License-Identifier: Apache-2.0
// Groups of devices of the text as axes. A text names devices, by their positions in the mesh; the types of
// values need axes.
#pragma once

#include "tutti/devices/groups.hpp"
#include "tutti/read/source.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// The devices that communicate: along `axes`, row-major in this order; with `groups`, in these groups of
/// positions along them.
struct Communication {
  Axes axes;
  Groups groups = {};
};

/// replica_groups as rows of devices. Empty: one row of all. Throws T009 for rows that the mesh has not.
Groups rows_of(const SourceModule& source, const stablehlo::Attribute& groups, const Mesh& mesh);

/// The axes whose rows these are, in any order of rows. If there are none: the axes that some row crosses,
/// with groups, if those are the same at all positions along the others; else all axes of `bound`.
/// Throws T009 if the rows go beyond the axes that are bound, or differ along those that are not.
Communication communication_of(const Groups& rows, const Mesh& mesh, const Axes& bound);

/// Source and target positions along axes.
struct Permutation {
  Axes axes;
  Pairs pairs;
};
/// source_target_pairs of devices as pairs along the axes that some pair crosses, if those pairs are the same
/// at all positions along the others; else along all axes of `bound`. Throws T009 as above.
Permutation permutation_of(const Pairs& devices, const Mesh& mesh, const Axes& bound);

}  // namespace tutti
