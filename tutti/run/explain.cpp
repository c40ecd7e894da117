// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/explain.hpp"

#include <fmt/core.h>

#include "tutti/run/cost.hpp"

namespace tutti {
namespace {

std::string kind_name(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::region: return "region";
    case Node::Kind::columns: return "columns";
    case Node::Kind::copy: return "copy";
    case Node::Kind::units: return "units";
    case Node::Kind::control: return "control";
  }
  return {};
}

std::string who(const Graph& graph, const Placement& placement, const Split& split) {
  switch (split.by) {
    case Split::By::worker: return fmt::format("worker {}", split.which);
    case Split::By::axis:
      return fmt::format("{} workers by '{}'", placement.workers,
                         graph.mesh.axes()[static_cast<std::size_t>(split.which)].name);
    case Split::By::tiles: return fmt::format("{} workers by tiles", placement.workers);
  }
  return {};
}

}  // namespace

std::string describe(const Graph& graph, const Node& node) {
  constexpr std::size_t most_named = 12;
  std::string text = kind_name(node.kind), ops;
  std::size_t named = 0;
  Where where;
  for (int i : node.atoms) {
    int e = graph.atoms[static_cast<std::size_t>(i)].equation;
    if (e < 0) continue;
    const Equation& equation = graph.program.equations[static_cast<std::size_t>(e)];
    if (!where.known()) where = equation.where;
    if (named++ < most_named) ops += (ops.empty() ? " " : ", ") + std::string(equation.op->name());
  }
  text += ops;
  if (named > most_named) text += fmt::format(" and {} more", named - most_named);
  if (where.known()) text += " (" + to_string(where) + ")";
  return text;
}

std::string explained(const Graph& graph, const Nodes& nodes, const Placement& placement,
                      const BufferPlan& buffers, std::size_t scratch_bytes, int moved_inputs) {
  std::string text;
  for (int phase = 0; phase < placement.phases; ++phase) {
    text += fmt::format("phase {}\n", phase);
    for (const Node& node : nodes.list)
      if (node.phase == phase)
        text += fmt::format("  {}: {}, {} bytes, about {:.0f} ns\n", who(graph, placement, node.split),
                            describe(graph, node), static_cast<std::int64_t>(moved_bytes(graph, node)),
                            node.nanoseconds);
  }
  text += fmt::format("about {:.1f} us; {} bytes of buffers ({} results in place of an operand), {} of "
                      "scratch for each of {} workers\n",
                      placement.nanoseconds / 1e3, buffers.bytes, buffers.shared_in_place, scratch_bytes,
                      placement.workers);
  if (moved_inputs > 0)
    text +=
        fmt::format("{} inputs are gathered inside: they are used whole beside being split\n", moved_inputs);
  return text;
}

}  // namespace tutti
