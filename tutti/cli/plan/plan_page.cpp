// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/plan/plan_page.hpp"

#include "tutti/plan/take_step.hpp"
#include "tutti/run/watch/describe.hpp"
#include "tutti/types/parts.hpp"

namespace tutti::cli {
namespace {

Report::Value value(int number, const ReshardPlan& plan, const Sharding& sharding) {
  return {number, padded_local_type(plan.request.whole, sharding)};
}

/// The step as an equation: from variable i to variable i + 1.
Report::Row row(int i, const ReshardPlan& plan, const PlanStep& step) {
  Report::Row row{.op = std::string(op_name(step)),
                  .parameters = {{"to", to_string(step.after)}},
                  .operands = {i},
                  .results = {value(i + 1, plan, step.after)}};
  if (step.received_bytes > 0)
    row.collective =
        Report::Collective{step.axes,
                           {.sent = step.sent_bytes, .received = step.received_bytes, .peers = Groups{}}};
  return row;
}

}  // namespace

Report report_of(const ReshardPlan& plan) {
  const PlanRequest& request = plan.request;
  Report report{.machine = to_string(request.whole), .mesh = request.from.mesh};
  report.program.inputs.push_back(value(0, plan, request.from));
  for (const PlanStep& step : plan.steps) {
    const int i = static_cast<int>(report.program.rows.size());
    report.program.rows.push_back(row(i, plan, step));
  }
  const int last = static_cast<int>(plan.steps.size());
  report.program.outputs.push_back(last);
  report.arguments.push_back({"array", 0, request.from});
  report.results.push_back({"", last, request.to});
  report.exchanges.push_back(exchange_of(plan));
  return report;
}

}  // namespace tutti::cli
