// SPDX-License-Identifier: Apache-2.0
// Laws: an op that communicates says the least bytes that its devices exchange. With one device a process,
// the plan of each process receives as many, never fewer; a report shows the types that the rules infer.
#include <fmt/core.h>

#include <algorithm>

#include "tests/laws/law.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/run/watch/plan_report.hpp"
#include "tutti/run/watch/program_report.hpp"

namespace tutti {
namespace {

/// The most bytes that a process of one device sends, or receives, in the transfers of its plan. Sums go in
/// chunks, however small they are.
Report::Transfers most_transfers(const Program& program) {
  Report::Transfers most;
  const int devices = example_mesh().devices();
  for (int self = 0; self < devices; ++self) {
    Processes processes = Processes::of(example_mesh(), devices, self);
    processes.largest_whole_fold = 0;
    const Plan plan(program, processes, {});
    const Report::Transfers own = step_plan(plan, {}).transfers.value_or(Report::Transfers{});
    most = {std::max(most.sent, own.sent), std::max(most.received, own.received)};
  }
  return most;
}

/// Only whole shares can be compared: the first process has the larger one of others.
bool has_equal_shares(const Example& example) {
  return example.operands[0].type.elements() % joint_size(example.op->communicates()) == 0;
}

/// Sub-programs are inlined, or loops; borders with terms are replaced by their moves first.
bool is_one_collective(const Example& example) {
  const Leave* leave = example.op.as<Leave>();
  return example.op->programs().empty() && !example.op.as<Start>() && !example.op.as<Done>() &&
         example.op->name() != "composite" && !(leave && !leave->sharding.unreduced.empty());
}

void receives_what_it_says(const Example& example, Findings& findings) {
  const Traffic traffic = example.op->traffic(types_of(example.operands));
  if (example.op->communicates().empty()) {
    findings.expect(traffic == Traffic{}, [&] { return described(example) + ": local, but has traffic"; });
    return;
  }
  if (!is_one_collective(example) || traffic.depends_on_values) return;
  const Report::Transfers found = most_transfers(program_of(example));
  const auto said = [&] {
    return fmt::format("{}: says {} B received, transfers receive {} B and send {} B", described(example),
                       traffic.received, found.received, found.sent);
  };
  findings.expect(found.received >= traffic.received, said);
  findings.expect(found.sent >= traffic.sent, said);
  if (has_equal_shares(example)) findings.expect(found.received == traffic.received, said);
}

/// A report's rows have the types that the ops infer, at every depth.
void reports_the_types_of_rules(const Example& example, Findings& findings) {
  const Program program = program_of(example);
  const Report report = report_of(program, example_mesh());
  const auto compare = [&](auto&& self, const Program& inside, const Report::Part& part) -> void {
    findings.expect(part.rows.size() == inside.equations.size(),
                    [&] { return described(example) + ": another number of rows"; });
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      const Equation& equation = inside.equations[i];
      const Types inferred = equation.op->infer(inside.types_of(equation.operands));
      findings.expect(std::ranges::equal(part.rows[i].results, inferred, {}, &Report::Value::type),
                      [&] { return fmt::format("{}: row {} has other types", described(example), i); });
      std::size_t next = 0;
      for (const SubProgram& sub : equation.op->programs())
        if (sub) self(self, *sub, part.rows[i].parts[next++]);
    }
  };
  compare(compare, program, report.program);
}

class traffic : public EveryOp {};
TEST_P(traffic, is_what_transfers_between_processes_carry) { expect_holds(receives_what_it_says); }
INSTANTIATE_TEST_SUITE_P(every_op, traffic, every_op(), op_name);

class reports : public EveryOp {};
TEST_P(reports, show_the_types_that_rules_infer) { expect_holds(reports_the_types_of_rules); }
INSTANTIATE_TEST_SUITE_P(every_op, reports, every_op(), op_name);

/// A sum over devices that says half of its bytes, or twice as many.
template <int percent>
struct SumOfOtherTraffic : AllReduce {
  Traffic traffic(const Types& operands) const {
    Traffic all = AllReduce::traffic(operands);
    all.sent = all.sent * percent / 100;
    all.received = all.received * percent / 100;
    return all;
  }
  static std::vector<Example> examples() {
    const Axis axis = example_mesh().axes()[0];
    return {
        {SumOfOtherTraffic{{ReduceKind::sum, {axis}}}, {Type(DType::f64, {4}).with(axis, State::varying)}}};
  }
  bool operator==(const SumOfOtherTraffic&) const = default;
};

TEST(traffic, of_too_few_or_too_many_bytes_is_caught) {
  EXPECT_FALSE(holds(receives_what_it_says, SumOfOtherTraffic<50>::examples()));
  EXPECT_FALSE(holds(receives_what_it_says, SumOfOtherTraffic<200>::examples()));
  EXPECT_TRUE(holds(receives_what_it_says, SumOfOtherTraffic<100>::examples()));
}

}  // namespace
}  // namespace tutti
