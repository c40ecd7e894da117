// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "tutti/types/mesh.hpp"
#include "tutti/xla/pjrt/client.hpp"

namespace tutti::xla {

/// Chooses a device for each position of the mesh. Returns their ids in row-major order of the positions.
/// Uses the sizes of the mesh's axes, and ignores device numbers in the mesh.
/// CPUs and GPUs are ordered by process, then id. A smaller mesh gets the first ones.
/// TPUs have coordinates in a torus. The order keeps these promises, if a box of chips with enough devices
/// exists:
/// - Neighbours on the last axis are neighbours in the torus: two cores of a chip, or two chips with a link.
/// - The same holds for the last k axes, and for all axes before them, taken as one axis. k is the largest
///   number for which each of the k axes takes whole dims of the box. If k is the number of axes, it holds
///   for the whole mesh.
/// - The order along several dims of the box is a ring if one of these dims is even: its end is next to its
///   start.
/// - A mesh that is smaller than the machine stays in one slice where it can. Among the boxes with the
///   largest k it takes the most compact one.
/// Without such a box, chips follow each other row by row, forward and backward in turn.
/// Slices of TPUs have no links between each other, so they are outermost.
/// Throws R004 if the mesh has more devices than there are.
std::vector<int> default_order(std::span<const DeviceInfo> devices, const Mesh& mesh);

}  // namespace tutti::xla
