// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/cli/mpi/mpi_survey.hpp"
#include "tutti/cli/words/options.hpp"

namespace tutti::cli {

int mpi_info(const MpiInfoArguments& arguments) {
  require(arguments.split.empty() || !arguments.mesh.empty(), Code::usage,
          "--split {}: there is no mesh to split; give one with --mesh", arguments.split);
  std::optional<MpiReport> report = survey_of_mpi();
  // Only process 0 has the report. The other processes return and wait in MPI_Finalize. If process 0 refuses
  // the mesh, it alone prints the error, and mpirun ends the others.
  if (!report.has_value()) return 0;
  if (!arguments.mesh.empty()) {
    report->boxes = boxes_of(arguments.mesh, arguments.split, static_cast<int>(report->processes.size()));
    report->mesh = arguments.mesh;
  }
  if (arguments.json)
    fmt::print("{}\n",
               mpi_report_json(*report).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else fmt::print("{}", mpi_report_text(*report));
  return 0;
}

}  // namespace tutti::cli
