// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/stacking.hpp"
#include "tutti/ops/states.hpp"

#include <algorithm>

namespace tutti {

Types AssumeInvariant::infer(const Types& operands) const {
  require_states(operands[0], axes, {State::varying},
                 "only of varying values can it be assumed that they are equal; a sum is made equal by psum");
  return {operands[0].with(axes, State::invariant)};
}

Traffic AssumeInvariant::traffic(const Types& operands) const { return first_traffic(operands[0], axes); }

// A digit of one step reads the first position.
Kernel AssumeInvariant::kernel(const Layout& layout) const {
  kernel::View view = kernel::identity_view(layout.results()[0].shape());
  for (const Axis& axis : axes) view.digits.push_back({1, kernel::along(axis), kernel::nowhere});
  return view;
}

Jvp AssumeInvariant::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents AssumeInvariant::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {keep_on_one(*cotangents[0], axes)};
}

// The first lane stands for all.
BatchedArrays AssumeInvariant::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  Array value = operands[0].batched ? take_lane(operands[0].array, 0) : operands[0].array;
  Axes rest = without(axes, axis);
  return {{rest.empty() ? value : apply_one(AssumeInvariant{rest}, {value}), false}};
}

Lowered AssumeInvariant::lower(Emitter&, const Lowered& operands) const { return operands; }

std::vector<Example> AssumeInvariant::examples() {
  constexpr double everywhere = 1.5;  // it is true of these
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    if (!std::ranges::is_sorted(axes)) continue;
    Type x = Type(DType::f32, {3, 2}).with(axes, State::varying);
    examples.push_back({AssumeInvariant{axes}, {{x, everywhere, everywhere}}});
  }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back({AssumeInvariant{{a}}, {{Type(DType::i32, {}).with(a, State::varying), 3, 3}}});
  return examples;
}

Array assume_invariant(const Operand& x, const AxisNames& axes) {
  return front_end("assume_invariant", x.where(), [&] {
    Array value = as_array(x);
    Axes over, once_reduced;
    for (const Axis& axis : axes.resolve()) {
      State state = value.type().at(axis);
      if (state == State::reduced) once_reduced.push_back(axis);
      else if (state != State::invariant) over.push_back(axis);
    }
    value = cast_to(value, once_reduced, State::invariant);
    std::ranges::sort(over);
    return over.empty() ? value : apply_one(AssumeInvariant{over}, {value});
  });
}

}  // namespace tutti
