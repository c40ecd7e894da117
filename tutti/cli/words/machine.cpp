// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/words/machine.hpp"
#include "tutti/base/inside.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
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

}  // namespace

int started_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* text = std::getenv(name)) {
      int count = 1;
      std::from_chars(text, text + std::strlen(text), count);
      return count;
    }
  return 1;
}

MachineChoice machine_of(const std::string& text) {
  MachineChoice machine = named_machine(text);
  const int started = started_processes();
  require(started <= 1 || std::holds_alternative<MpiMachine>(machine), Code::device,
          "{} processes were started, and each would do all the work; say --machine mpi", started);
  return machine;
}

}  // namespace tutti::cli
