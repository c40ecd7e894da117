// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tutti/cli/mpi/mpi_report.hpp"

namespace tutti::cli {

/// Asks all processes for their facts, and measures links of process 0. All processes call it. Process 0 gets
/// the report, without a mesh; the others get none. Initialises MPI.
/// Throws R004 if the tool was built without MPI, R007 with MPI's own text.
std::optional<MpiReport> survey_of_mpi();

}  // namespace tutti::cli
