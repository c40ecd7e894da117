// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// Writes the program of one device as StableHLO (lower_per_device), and reads it again. Inputs have the
/// states that they have in the program; terms of sums vary, because a text does not tell them apart.
Program read_back(const Program& program, const Mesh& mesh);

}  // namespace tutti
