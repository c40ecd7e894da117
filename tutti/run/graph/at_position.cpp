// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/at_position.hpp"

#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/transform/replay.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

/// Applies the op of `equation` to its sub-programs at `position`, which becomes an additional operand.
Arrays inside(const Equation& equation, const Axis& axis, const Array& position, Arrays operands) {
  std::vector<SubProgram> programs;
  for (const SubProgram& program : equation.op->programs())
    programs.push_back(shared(at_position(*program, {axis})));
  Op op = equation.op->with_programs(programs);
  auto place = operands.begin();
  if (const Scan* scan = op.as<Scan>()) {
    Scan more = *scan;
    ++more.consts;
    op = more;
  } else if (const While* loop = op.as<While>()) {
    While more = *loop;
    ++more.consts;
    op = more;
  } else {
    ++place;  // after the index of a switch
  }
  operands.insert(place, position);
  return tutti::apply(op, operands);
}

}  // namespace

Program at_position(const Program& program, const Axes& axes) {
  Program result = program;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    Program before = std::move(result);
    Builder builder;
    PerVar<Array> values(before);
    Array position = builder.input(Type(DType::i32, {}));
    for (Var var : before.inputs) values[var] = builder.input(before.type(var).with(*axis, State::invariant));
    for (const Equation& equation : before.equations)
      replay(equation, [&] {
        Arrays operands = values.of(equation.operands);
        const AxisIndex* index = equation.op.as<AxisIndex>();
        if (index && index->axes == Axes{*axis}) {
          values[equation.results[0]] = position;
        } else if (!equation.op->programs().empty()) {
          Arrays results = inside(equation, *axis, position, operands);
          for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
        } else {
          // Use the batch rule with no operand batched. A result that is batched nevertheless is indexed at
          // `position`.
          BatchedArrays alone;
          for (const Array& operand : operands) alone.push_back({operand, false});
          BatchedArrays results = equation.op->batch(*axis, alone, before.types_of(equation.operands));
          for (std::size_t i = 0; i < results.size(); ++i)
            values[equation.results[i]] =
                results[i].batched ? dynamic_index_in_dim(results[i].array, position) : results[i].array;
        }
      });
    result = without_dead_code(builder.finish(values.of(before.outputs)));
  }
  return result;
}

}  // namespace tutti
