// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/ir/program.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// What a program computes, from the definition of its kernels alone: device after device, element after element,
/// every device with storage of its own. Outputs are those of device 0. For programs whose sums are exact.
Tensors evaluated(const Program& program, const Mesh& mesh, const Tensors& inputs);

}  // namespace tutti
