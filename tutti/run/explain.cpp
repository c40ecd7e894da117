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
    case Split::By::together: return fmt::format("{} workers together", placement.workers);
  }
  return {};
}

/// What a sub-program is to its step.
std::string part(const Sub& sub, std::size_t program) {
  switch (sub.how) {
    case Sub::How::choose: return fmt::format("branch {}", program);
    case Sub::How::call: return "call";
    case Sub::How::repeat: return fmt::format("each of {} trips", sub.length);
    case Sub::How::loop: return program == 0 ? "test" : "trip";
  }
  return {};
}

std::string phases(const Plan& plan, const std::string& indent) {
  std::string text;
  for (int phase = 0; phase < plan.placement().phases; ++phase) {
    text += fmt::format("{}phase {}\n", indent, phase);
    for (const Node& node : plan.nodes().list) {
      if (node.phase != phase) continue;
      bool together = node.split.by == Split::By::together;
      text += fmt::format("{}  {}: {}, {} bytes, about {:.0f} ns\n", indent,
                          who(plan.graph(), plan.placement(), node.split), describe(plan.graph(), node),
                          static_cast<std::int64_t>(moved_bytes(plan.graph(), node)),
                          together ? node.split_nanoseconds : node.nanoseconds);
      if (const SubWork* work = sub_work(plan.graph(), node))
        for (std::size_t i = 0; i < work->plans.size(); ++i)
          text += fmt::format("{}    {}\n", indent, part(work->sub, i)) +
                  phases(*work->plans[i], indent + "      ");
    }
  }
  return text;
}

/// Sub-programs have buffers of their own.
std::int64_t all_bytes(const Plan& plan) {
  std::int64_t bytes = plan.buffers().bytes;
  for (const Node& node : plan.nodes().list)
    if (const SubWork* work = sub_work(plan.graph(), node))
      for (const std::shared_ptr<Plan>& sub : work->plans) bytes += all_bytes(*sub);
  return bytes;
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

std::string explained(const Plan& plan, int moved_inputs) {
  std::string text = phases(plan, "");
  text += fmt::format("about {:.1f} us; {} bytes of buffers ({} results in place of an operand), {} of "
                      "scratch for each of {} workers\n",
                      plan.placement().nanoseconds / 1e3, all_bytes(plan), plan.buffers().shared_in_place,
                      plan.schedule().scratch_bytes, plan.placement().workers);
  if (moved_inputs > 0)
    text +=
        fmt::format("{} inputs are gathered inside: they are used whole beside being split\n", moved_inputs);
  return text;
}

}  // namespace tutti
