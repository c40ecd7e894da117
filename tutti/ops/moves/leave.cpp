// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/leave.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/traffic_of.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/moves/borders.hpp"
#include "tutti/ops/moves/enter.hpp"

namespace tutti {

Types Leave::infer(const Types& operands) const {
  const Type& part = operands[0];
  Type whole = global_type(part, sharding);
  Type expected = local_type(whole, sharding);
  require(part == expected, Code::state, "{} does not leave by {}, which needs {}", part, sharding, expected);
  return {whole};
}

// Terms are summed, then the parts are gathered.
Traffic Leave::traffic(const Types& operands) const {
  Axes split;
  for (const Axes& axes : sharding.dims) split.insert(split.end(), axes.begin(), axes.end());
  return sum_traffic(operands[0], sharding.unreduced, {}) + gather_traffic(operands[0], split, {});
}

Kernel Leave::kernel(const Layout& layout) const {
  ensure(sharding.unreduced.empty(),
         "a border with unreduced axes is replaced by its moves before it is compiled");
  kernel::View view = sharding_view(layout.results()[0], sharding);
  for (kernel::Digit& digit : view.digits) std::swap(digit.from, digit.to);
  return view;
}

Jvp Leave::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Leave::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {enter(*cotangents[0], dual(sharding))};
}

BatchedArrays Leave::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  if (!operands[0].batched) return {{leave(operands[0].array, sharding), false}};
  return {{leave(operands[0].array, with_batch_dim(sharding)), true}};
}

std::vector<Example> Leave::examples() {
  std::vector<Example> examples;
  for (const Example& example : Enter::examples()) {
    const Sharding& sharding = example.op.as<Enter>()->sharding;
    examples.push_back({Leave{sharding}, {local_type(example.operands[0].type, sharding)}});
  }
  return examples;
}

Array leave(const Array& x, const Sharding& sharding) { return apply_one(Leave{sharding}, {x}); }

Array leave_by_moves(const Array& x, const Sharding& sharding) {
  Array whole = cast_to(x, sharding.reduced, State::invariant);
  if (!sharding.unreduced.empty()) whole = all_reduce(whole, sharding.unreduced);
  for (int i = 0; i < x.rank(); ++i) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(i)];
    if (!axes.empty()) whole = all_gather(whole, axes, Dim{i}, Stacking::tiled, State::invariant);
  }
  return whole;
}

}  // namespace tutti
