// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/explain.hpp"

#include <fmt/core.h>

#include "tutti/base/counted.hpp"

namespace tutti::xla {
namespace {

std::string line(const char* what, std::int64_t bytes, const std::string& note = "") {
  return fmt::format("  {:<12} {:>10}{}{}\n", what, in_bytes(bytes), note.empty() ? "" : "  ", note);
}

std::string memory(const Executable& executable) {
  const std::optional<CompiledMemory> memory = executable.memory();
  if (!memory) return "";
  std::string text = "memory of one device, as XLA counts it\n" + line("arguments", memory->arguments) +
                     line("results", memory->results,
                          in_bytes(memory->aliased) + " in the memory of arguments that are given away") +
                     line("temporary", memory->temporary);
  if (memory->peak > 0) text += line("peak", memory->peak);
  return text + line("code", memory->code);
}

std::string cost(const Executable& executable) {
  const std::optional<Values> values = executable.cost();
  if (!values || values->empty()) return "";
  std::string text;
  for (const auto& [name, value] : *values)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, to_string(value));
  return "cost of one device, as XLA estimates it: " + text + "\n";
}

}  // namespace

std::string explained(const std::string& machine, const Compiled& compiled, double prepared,
                      const Copies& copies, std::int64_t kept_bytes) {
  std::string text =
      fmt::format("on {}\n{} by XLA in {:.1f} ms, after {:.1f} ms of preparation: {} of StableHLO\n", machine,
                  compiled.is_from_cache ? "read from the cache" : "compiled", compiled.seconds * 1e3,
                  prepared * 1e3, in_bytes(static_cast<std::int64_t>(compiled.text_bytes)));
  text += memory(compiled.executable) + cost(compiled.executable) + to_string(copies);
  if (kept_bytes > 0)
    text += fmt::format("kept on the devices: {} of copies of arguments, while these live\n",
                        in_bytes(kept_bytes));
  return text;
}

}  // namespace tutti::xla
