// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/machine.hpp"
#include "tutti/base/inside.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "tutti/base/require.hpp"

namespace tutti::cli {

namespace {

MachineChoice named_machine(const std::string& text) {
  constexpr std::string_view prefix = "xla:";
  if (text == "local") return LocalMachine{};
  if (text == "mpi") return MpiMachine{};
  if (text == "xla") return XlaMachine{};
  require(text.starts_with(prefix) && text.size() > prefix.size(), Code::usage,
          "--machine {}: there is no such machine; say local, mpi, xla, or xla:FILE with the file of a PJRT "
          "plugin",
          text);
  return XlaMachine{text.substr(prefix.size())};
}

/// The number that the first of these variables has, if one is set.
int number_in(std::initializer_list<const char*> variables, int otherwise) {
  for (const char* name : variables)
    if (const char* text = std::getenv(name)) {
      std::from_chars(text, text + std::strlen(text), otherwise);
      break;
    }
  return otherwise;
}

}  // namespace

int started_processes() { return number_in({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, 1); }
int number_of_started_process() { return number_in({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}, 0); }

MachineChoice machine_of(const std::string& text) {
  MachineChoice machine = named_machine(text);
  const int started = started_processes();
  require(started <= 1 || std::holds_alternative<MpiMachine>(machine), Code::device,
          "{} processes were started, and each would do all the work; say --machine mpi", started);
  return machine;
}

}  // namespace tutti::cli
