// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/mpi/mpi_boxes.hpp"

#include <fmt/format.h>

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/processes.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti::cli {
namespace {

/// It is written like a mesh.
Processes::Split parse_split(const std::string& text) try {
  Processes::Split split;
  if (text.empty()) return split;
  const Mesh parts = parse_mesh(text);
  for (const Axis& axis : parts.axes()) split.emplace_back(axis.name, axis.size);
  return split;
} catch (const Error& error) {
  fail(error.code(), "--split: {}", error.message().substr(std::string_view("mesh: ").size()));
}

}  // namespace

std::vector<MpiBox> boxes_of(const std::string& mesh, const std::string& split, int count) {
  const Mesh whole = parse_mesh(mesh);
  const Processes::Split parts = parse_split(split);
  std::vector<MpiBox> boxes;
  for (int self = 0; self < count; ++self) {
    const Processes processes = Processes::of(whole, count, self, parts);
    MpiBox& box = boxes.emplace_back();
    for (std::size_t i = 0; i < whole.axes().size(); ++i) {
      const Axis& own = processes.box().axes()[i];
      box.push_back({std::string(own.name), processes.first(i), own.size});
    }
  }
  return boxes;
}

std::string to_string(const MpiBox& box) {
  std::string text;
  for (const MpiRange& range : box) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", range.axis, range.first);
    if (range.size > 1) text += fmt::format("..{}", range.first + range.size - 1);
  }
  return text;
}

}  // namespace tutti::cli
