// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/ptxas.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/support/command.hpp"

namespace tutti::kernels {
namespace {

/// The number before `unit` in a line; 0 if there is none.
int number_before(const std::string& line, const std::string& unit) {
  std::smatch match;
  return std::regex_search(line, match, std::regex("([0-9]+) " + unit)) ? std::stoi(match[1]) : 0;
}

}  // namespace

std::optional<std::string> find_ptxas() {
  const std::string candidates =
      "$(command -v ptxas) /usr/local/cuda/bin/ptxas .venv/lib/python3*/site-packages/nvidia/*/bin/ptxas "
      ".venv-triton/lib/python3*/site-packages/triton/backends/nvidia/bin/ptxas";
  const std::string found =
      run_command("for f in " + candidates + "; do [ -x \"$f\" ] && echo \"$f\" && break; done").out;
  if (found.empty()) return std::nullopt;
  return found.substr(0, found.find('\n'));
}

Assembly assemble(const std::string& ptxas, const std::string& ptx, const std::string& architecture) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() /
                                     ("tutti_ptx_" + architecture + "_" + std::to_string(getpid()) + ".ptx");
  std::ofstream(file) << ptx;
  const Finished run = run_command(ptxas + " -v -arch=" + architecture + " -o /dev/null " + file.string());
  std::filesystem::remove(file);
  Assembly assembly;
  if (run.status != 0) assembly.errors = run.err.empty() ? "ptxas failed" : run.err;
  std::istringstream lines(run.err);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, std::regex("Compiling entry function '([^']+)'")))
      assembly.entries.push_back({match[1], 0, 0, 0, 0});
    if (assembly.entries.empty()) continue;
    Assembled& entry = assembly.entries.back();
    if (line.find("bytes stack frame") != std::string::npos) {
      entry.stack_bytes = number_before(line, "bytes stack frame");
      entry.spill_bytes =
          number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
    }
    if (line.find("Used ") == std::string::npos) continue;
    entry.registers = number_before(line, "registers");
    entry.barriers = number_before(line, "barriers");
  }
  return assembly;
}

}  // namespace tutti::kernels
