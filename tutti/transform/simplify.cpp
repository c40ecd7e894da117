// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/simplify.hpp"

#include <algorithm>
#include <map>

#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/enter.hpp"
#include "tutti/ops/leave.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {

Program without_dead_code(Program program) {
  PerVar<bool> live(program);
  for (Var var : program.outputs) live[var] = true;
  std::vector<Equation> kept;
  for (auto it = program.equations.rbegin(); it != program.equations.rend(); ++it) {
    if (std::ranges::none_of(it->results, [&](Var var) { return live[var]; })) continue;
    for (Var var : it->operands) live[var] = true;
    kept.push_back(std::move(*it));
  }
  std::ranges::reverse(kept);
  program.equations = std::move(kept);
  return program;
}

Program without_common_subexpressions(Program program) {
  PerVar<Var> same(program);  // the variable that holds the value
  for (std::size_t var = 0; var < program.types.size(); ++var)
    same[static_cast<Var>(var)] = static_cast<Var>(var);
  std::map<std::pair<std::string_view, std::vector<Var>>, std::vector<std::size_t>> seen;
  std::vector<Equation> kept;
  for (Equation& equation : program.equations) {
    for (Var& var : equation.operands) var = same[var];
    std::vector<std::size_t>& candidates = seen[{equation.op->name(), equation.operands}];
    auto found = std::ranges::find_if(candidates, [&](std::size_t i) { return kept[i].op == equation.op; });
    if (found == candidates.end()) {
      candidates.push_back(kept.size());
      kept.push_back(std::move(equation));
    } else {
      for (std::size_t i = 0; i < equation.results.size(); ++i)
        same[equation.results[i]] = kept[*found].results[i];
    }
  }
  program.equations = std::move(kept);
  for (Var& var : program.outputs) var = same[var];
  return program;
}

Program with_early_casts(const Program& program) {
  Builder builder;
  PerVar<Array> values(program);
  PerVar<const Equation*> made_by(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (const Equation& equation : program.equations) {
    const Equation* source = equation.operands.size() == 1 ? made_by[equation.operands[0]] : nullptr;
    bool swaps = equation.op.as<Cast>() && source && source->op.as<BroadcastInDim>();
    Arrays results = swaps ? repeat(*source, repeat(equation, values.of(source->operands)))
                           : repeat(equation, values.of(equation.operands));
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[equation.results[i]] = results[i];
      made_by[equation.results[i]] = &equation;
    }
  }
  return without_dead_code(builder.finish(values.of(program.outputs)));
}

Op with_changed_programs(const Op& op, const std::function<Program(const Program&)>& change) {
  std::vector<SubProgram> programs = op->programs();
  if (programs.empty()) return op;
  for (SubProgram& program : programs) program = shared(change(*program));
  return op->with_programs(programs);
}

Program without_places(Program program) {
  for (Equation& equation : program.equations) {
    equation.op = with_changed_programs(equation.op, without_places);
    equation.where = {};
  }
  return program;
}

Program with_borders_as_moves(const Program& program, const std::function<bool(const Equation&)>& stays) {
  Builder builder;
  PerVar<Array> values(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (const Equation& equation : program.equations) {
    const Enter* enter = equation.op.as<Enter>();
    const Leave* leave = equation.op.as<Leave>();
    if ((!enter && !leave) || stays(equation)) {
      auto inner = [&](const Program& program_inside) {
        return with_borders_as_moves(program_inside, stays);
      };
      Equation same{with_changed_programs(equation.op, inner), {}, {}, equation.where};
      Arrays results = repeat(same, values.of(equation.operands));
      for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
      continue;
    }
    values[equation.results[0]] = replay(equation, [&] {
      const Array& x = values[equation.operands[0]];
      return enter ? enter_by_moves(x, enter->sharding) : leave_by_moves(x, leave->sharding);
    });
  }
  return builder.finish(values.of(program.outputs));
}

}  // namespace tutti
