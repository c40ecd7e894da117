// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tutti::cli {

/// The positions along one axis that a process has.
struct MpiRange {
  std::string axis;
  int first = 0, size = 1;
};
/// The devices of a process: one range per axis of the mesh.
using MpiBox = std::vector<MpiRange>;

/// The boxes that open_mpi gives to `count` processes. `mesh` is "data=4,model=2", `split` "data=2" or empty.
/// Throws T014 for a text that is no mesh, and the errors of open_mpi: R004 if the processes do not divide
/// the mesh, T001 for a split of an axis that the mesh has not.
std::vector<MpiBox> boxes_of(const std::string& mesh, const std::string& split, int count);

/// "data 2..3, model 0"
std::string to_string(const MpiBox& box);

}  // namespace tutti::cli
