// SPDX-License-Identifier: Apache-2.0
#include "tests/support/read_back.hpp"

#include "tutti/lower/lower.hpp"
#include "tutti/read/program/device_program.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {

Program read_back(const Program& program, const Mesh& mesh) {
  const SourceModule source(stablehlo::write(lower_per_device(program, mesh)), "written");
  return device_program(source, mesh, program.types_of(program.inputs));
}

}  // namespace tutti
