// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/plan_of.hpp"

#include "tutti/base/counted.hpp"

namespace tutti::xla {
namespace {

std::vector<Report::XlaPlan::Memory> memory(const Executable& executable) {
  const std::optional<CompiledMemory> memory = executable.memory();
  if (!memory) return {};
  std::vector<Report::XlaPlan::Memory> rows{{"arguments", memory->arguments, ""},
                                            {"results", memory->results,
                                             in_bytes(memory->aliased) +
                                                 " in the memory of arguments that are given away"},
                                            {"temporary", memory->temporary, ""}};
  if (memory->peak > 0) rows.push_back({"peak", memory->peak, ""});
  rows.push_back({"code", memory->code, ""});
  return rows;
}

std::vector<std::pair<std::string, std::string>> costs(const Executable& executable) {
  std::vector<std::pair<std::string, std::string>> costs;
  if (const std::optional<Values> values = executable.cost())
    for (const auto& [name, value] : *values) costs.emplace_back(name, to_string(value));
  return costs;
}

}  // namespace

Report::XlaPlan plan_of(const Compiled& compiled) {
  return {.machine = {},
          .compile = compiled.seconds * 1e9,
          .is_from_cache = compiled.is_from_cache,
          .text_bytes = static_cast<std::int64_t>(compiled.text_bytes),
          .memory = memory(compiled.executable),
          .costs = costs(compiled.executable),
          .copies = {}};
}

}  // namespace tutti::xla
