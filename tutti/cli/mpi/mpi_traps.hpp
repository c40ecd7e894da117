// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/cli/mpi/mpi_report.hpp"

namespace tutti::cli {

/// Finds settings of a job that make it slow or wrong. Each line says what is found, then what to do. A hint
/// comes last.
std::vector<std::string> traps_of(const MpiReport& report);

}  // namespace tutti::cli
