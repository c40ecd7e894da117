// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/watch/describe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "tutti/base/counted.hpp"
#include "tutti/base/overloaded.hpp"
#include "tutti/ops/moves/exchange.hpp"
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

/// "add, mul and 2 more".
std::string in_a_list(const std::vector<std::string>& names, std::size_t most_named) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i)
    text += (text.empty() ? "" : ", ") + names[i];
  if (names.size() > most_named) text += fmt::format(" and {} more", names.size() - most_named);
  return text;
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

std::vector<Report::StepOp> equation_ops(const Program& program) {
  std::vector<Report::StepOp> ops;
  std::map<std::pair<std::string, std::string>, std::size_t> seen;  // by name and place
  for (const Equation& equation : program.equations) {
    std::string name(equation.op->name());
    const std::size_t nth = seen[{name, to_string(equation.where)}]++;
    ops.push_back({std::move(name), equation.where, nth});
  }
  return ops;
}

std::vector<Report::StepOp> ops_of(const Graph& graph, const Step& step,
                                   const std::vector<Report::StepOp>& ops) {
  std::vector<Report::StepOp> of_step;
  for (TaskId i : step.tasks)
    if (const std::optional<std::size_t> e = graph.tasks[i].equation) of_step.push_back(ops[*e]);
  return of_step;
}

std::string named(const std::vector<Report::StepOp>& ops, std::size_t most_named) {
  std::vector<std::string> names;
  for (const Report::StepOp& op : ops) names.push_back(op.name);
  return in_a_list(names, most_named);
}

Where place_of(const Graph& graph, const Step& step) {
  for (TaskId i : step.tasks)
    if (const Equation* equation = equation_of(graph, i); equation && equation->where.known())
      return equation->where;
  return {};
}

std::string op_names(const Graph& graph, const Step& step) {
  constexpr std::size_t most_named = 12;
  std::vector<std::string> names;
  for (TaskId i : step.tasks)
    if (const Equation* equation = equation_of(graph, i)) names.emplace_back(equation->op->name());
  return in_a_list(names, most_named);
}

std::string describe(const Graph& graph, const Step& step) {
  const std::string ops = op_names(graph, step);
  Where where = place_of(graph, step);
  return kind_name(step.kind) + (ops.empty() ? "" : " " + ops) +
         (where.known() ? " (" + to_string(where) + ")" : "");
}

Report::Transfers transfers_of(const TransferWork& work) {
  Report::Transfers transfers;
  for (const TransferWork::Part& part : work.sends) transfers.sent += part.bytes;
  for (const TransferWork::Part& part : work.receives) transfers.received += part.bytes;
  return transfers;
}

std::optional<Report::Transfers> transfers_of(const Graph& graph, const Step& step) {
  std::optional<Report::Transfers> all;
  for (TaskId i : step.tasks)
    if (const auto* work = std::get_if<TransferWork>(&graph.tasks[i].work)) {
      const Report::Transfers own = transfers_of(*work), before = all.value_or(Report::Transfers{});
      all = {before.sent + own.sent, before.received + own.received};
    }
  return all;
}

Report::Exchange exchange_of(const ReshardPlan& plan) {
  Report::Exchange exchange{.type = plan.request.whole,
                            .from = plan.request.from,
                            .to = plan.request.to,
                            .received = plan.totals.bytes};
  for (const PlanStep& step : plan.steps)
    exchange.steps.push_back({std::string(op_name(step)), step.after, step.axes, step.sent_bytes,
                              step.received_bytes, step.seconds * 1e9});
  return exchange;
}

std::vector<Report::Exchange> exchanges_of(const Program& program) {
  std::vector<Report::Exchange> exchanges;
  for (const Equation& equation : program.equations) {
    if (!equation.op.as<Exchange>() || is_first_half(program, equation)) continue;
    const Equation* first = other_half(program, equation);
    if (!first) first = &equation;
    const auto plan =
        shared_plan(request_for(program.type(first->operands[0]), first->op.as<Exchange>()->from,
                                equation.op.as<Exchange>()->to));
    exchanges.push_back(exchange_of(*plan));
    exchanges.back().where = equation.where;
  }
  return exchanges;
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

std::string part_name(SubPrograms::Control how, std::int64_t length, std::size_t program) {
  switch (how) {
    case SubPrograms::Control::choose: return fmt::format("branch {}", program);
    case SubPrograms::Control::repeat: return "each of " + counted(length, "trip");
    case SubPrograms::Control::loop: return program == 0 ? "test" : "trip";
  }
  return {};
}

}  // namespace tutti
