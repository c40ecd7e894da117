// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tutti/cli/mpi/mpi_report.hpp"

namespace tutti::cli {

/// Measures up to two links of process 0: to the next process on its host, and to the first one on another
/// host. All processes call it, after MPI is initialised. Process 0 alone passes `processes` and gets links.
/// Takes 0.2 s, and longer where 4 MiB take longer than 0.05 s. A tool without MPI has no such function.
std::vector<MpiLink> measured_links(const std::vector<MpiProcess>& processes, int self);

}  // namespace tutti::cli
