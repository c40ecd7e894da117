// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/cli/words/machine.hpp"
#include "tutti/run/machine.hpp"

namespace tutti::cli {

/// Opens the machine of --machine. Throws the errors of open_local, open_mpi and open_xla; R004 for a machine
/// that this build has not, and R002 for options that XLA's devices have not.
Machine open_machine(const MachineChoice& choice, const Mesh& mesh, const MachineOptions& options);

}  // namespace tutti::cli
