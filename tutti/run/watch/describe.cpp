// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/describe.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/plan/plan.hpp"
#include "tutti/plan/take_step.hpp"

namespace tutti {
namespace {

/// The equation of a task; null for copies that the planner added.
const Equation* equation_of(const Graph& graph, TaskId task) {
  std::optional<std::size_t> e = graph.tasks[task].equation;
  return e ? &graph.program.equations[*e] : nullptr;
}

/// Blocks without digits in common are exchanged in two: the first half, if `half` is the second; else null.
const Equation* other_half(const Program& program, const Equation& half) {
  for (const Equation& equation : program.equations)
    if (equation.op.as<Exchange>() && to_string(equation.where) == to_string(half.where) &&
        equation.results[0] == half.operands[0])
      return &equation;
  return nullptr;
}

bool is_first_half(const Program& program, const Equation& half) {
  return std::ranges::any_of(program.equations, [&](const Equation& equation) {
    return equation.op.as<Exchange>() && other_half(program, equation) == &half;
  });
}

}  // namespace

std::string kind_name(Step::Kind kind) {
  switch (kind) {
    case Step::Kind::region: return "region";
    case Step::Kind::columns: return "columns";
    case Step::Kind::copy: return "copy";
    case Step::Kind::opaque: return "opaque";
    case Step::Kind::transfer: return "transfer";
    case Step::Kind::await: return "await";
    case Step::Kind::control: return "control";
  }
  return {};
}

std::string ops_of(const Graph& graph, const Step& step, std::size_t most_named) {
  std::string ops;
  std::size_t named = 0;
  for (TaskId i : step.tasks) {
    const Equation* equation = equation_of(graph, i);
    if (equation && named++ < most_named)
      ops += (ops.empty() ? "" : ", ") + std::string(equation->op->name());
  }
  if (named > most_named) ops += fmt::format(" and {} more", named - most_named);
  return ops;
}

Where place_of(const Graph& graph, const Step& step) {
  for (TaskId i : step.tasks)
    if (const Equation* equation = equation_of(graph, i); equation && equation->where.known())
      return equation->where;
  return {};
}

std::string describe(const Graph& graph, const Step& step) {
  std::string ops = ops_of(graph, step);
  Where where = place_of(graph, step);
  return kind_name(step.kind) + (ops.empty() ? "" : " " + ops) +
         (where.known() ? " (" + to_string(where) + ")" : "");
}

std::vector<std::string> messages_of(const Program& program) {
  std::vector<std::string> texts;
  for (const Equation& equation : program.equations) {
    if (!equation.op.as<Exchange>() || is_first_half(program, equation)) continue;
    const Equation* first = other_half(program, equation);
    if (!first) first = &equation;
    const auto plan =
        shared_plan(request_for(program.type(first->operands[0]), first->op.as<Exchange>()->from,
                                equation.op.as<Exchange>()->to));
    std::string steps;
    for (const PlanStep& step : plan->steps)
      steps += (steps.empty() ? "" : ", ") + std::string(op_name(step));
    texts.push_back(fmt::format("exchange{} as messages: {}; {} received by a device",
                                equation.where.known() ? " (" + to_string(equation.where) + ")" : "",
                                steps.empty() ? "none" : steps, in_bytes(plan->totals.bytes)));
  }
  return texts;
}

std::string split_name(const Graph& graph, const Split& split) {
  return std::visit(Overloaded{[](OnWorker on) { return fmt::format("worker {}", on.worker); },
                               [&](ByAxis by) {
                                 return fmt::format("by '{}'", graph.mesh.axes()[by.axis].name);
                               },
                               [](ByTiles) { return std::string("by tiles"); },
                               [](Together) { return std::string("together"); }},
                    split);
}

std::string part_name(const SubPrograms& sub, std::size_t program) {
  switch (sub.how) {
    case SubPrograms::Control::choose: return fmt::format("branch {}", program);
    case SubPrograms::Control::repeat: return "each of " + counted(sub.length, "trip");
    case SubPrograms::Control::loop: return program == 0 ? "test" : "trip";
  }
  return {};
}

}  // namespace tutti
