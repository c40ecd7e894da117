// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/at_position.hpp"

#include <algorithm>

#include "tutti/control/scan.hpp"
#include "tutti/control/switch.hpp"
#include "tutti/control/while.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/axis_index.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/tensor/kernels.hpp"
#include "tutti/transform/replay.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

/// One lane of x, bit for bit: the maximum of it and the least there is; of terms of a sum, which have no maximum, the sum
/// of it and zeros.
Array lane_of(const Array& x, const Axis& axis, const Array& position) {
  auto is_sum = [](const auto& axis_and_state) { return axis_and_state.second == State::unreduced; };
  bool has_terms = std::ranges::any_of(x.type().states(), is_sum);
  Dims others;
  for (int i = 1; i < x.rank(); ++i) others.push_back(Dim{i});
  Array is_it = insert_dims(equal(iota(DType::i32, Shape{axis.size}, 0), position), others, x.shape());
  if (has_terms) return reduce_sum(select(is_it, x, zeros_of(x.type())), 0);
  Tensor least(x.dtype(), Shape{});
  write_neutral_element(ReduceKind::max, x.dtype(), least.mutable_bytes());
  return reduce_max(select(is_it, x, broadcast_to(constant(least), x.shape())), 0);
}

/// The op on sub-programs at the position, which they take as an operand more.
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
          // As a batch of which only one lane is there: values that are the same in all lanes stay alone.
          BatchedArrays alone;
          for (const Array& operand : operands) alone.push_back({operand, false});
          BatchedArrays results = equation.op->batch(*axis, alone, before.types_of(equation.operands));
          for (std::size_t i = 0; i < results.size(); ++i)
            values[equation.results[i]] =
                results[i].batched ? lane_of(results[i].array, *axis, position) : results[i].array;
        }
      });
    result = without_dead_code(builder.finish(values.of(before.outputs)));
  }
  return result;
}

}  // namespace tutti
