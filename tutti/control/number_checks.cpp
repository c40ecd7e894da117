// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/number_checks.hpp"

#include <algorithm>

#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/effects/check_numbers.hpp"
#include "tutti/transform/replay.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

bool is_checked(const Equation& equation, const Program& program) {
  const auto can_be_wrong = [&](Var var) { return is_inexact(program.type(var).dtype()); };
  if (equation.operands.empty() || !equation.op->programs().empty()) return false;
  if (std::ranges::none_of(equation.results, can_be_wrong)) return false;
  if (equation.op->communicates().empty()) return true;
  const auto* sum = equation.op.as<AllReduce>();
  return sum && sum->kind == ReduceKind::sum;
}

}  // namespace

Program with_number_checks(const Program& program) {
  Builder builder;
  PerVar<Array> values(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (const Equation& equation : program.equations) {
    const Equation inside{with_changed_programs(equation.op, with_number_checks), {}, {}, equation.where};
    const Arrays operands = values.of(equation.operands);
    const Arrays results = repeat(inside, operands);
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
    if (!is_checked(equation, program)) continue;
    Arrays all = results;
    all.insert(all.end(), operands.begin(), operands.end());
    const CheckNumbers check{std::string(equation.op->name()), static_cast<int>(results.size())};
    repeat({check, {}, {}, equation.where}, all);
  }
  return builder.finish(values.of(program.outputs));
}

}  // namespace tutti
