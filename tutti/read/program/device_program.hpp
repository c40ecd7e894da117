// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/base/inside.hpp"
#include "tutti/ir/program.hpp"
#include "tutti/read/source.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// The program of one device in a text of `lower_per_device`: the body of its only map. `inputs` are the
/// types of the parameters on one device; terms of sums vary, because a text does not tell them apart.
/// Throws S001 and S002 as ModuleProgram does, and I001 for a text of another form.
Program device_program(const SourceModule& source, const Mesh& mesh, Types inputs);

}  // namespace tutti
