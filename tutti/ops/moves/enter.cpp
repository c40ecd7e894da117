// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/enter.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/moves/borders.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {

Types Enter::infer(const Types& operands) const {
  require_states(operands[0], axes_of(sharding), {State::invariant},
                 "only what is equal along an axis is split over it, or becomes terms or reduced there");
  if (!sharding.unreduced.empty()) require_summable(operands[0]);
  return {local_type(operands[0], sharding)};
}

Kernel Enter::kernel(const Layout& layout) const {
  ensure(sharding.unreduced.empty(),
         "a border with unreduced axes is replaced by its moves before it is compiled");
  return sharding_view(layout.operands()[0], sharding);
}

Jvp Enter::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Enter::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {leave(*cotangents[0], dual(sharding))};
}

BatchedArrays Enter::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  if (!operands[0].batched) return {{enter(operands[0].array, sharding), false}};
  return {{enter(operands[0].array, with_batch_dim(sharding)), true}};
}

std::vector<Example> Enter::examples() {
  const Axes& axes = example_mesh().axes();
  auto split = [&](std::vector<Axes> dims) { return Sharding{example_mesh(), std::move(dims), {}, {}}; };
  return {
      {Enter{split({{}, {}})}, {Type(DType::f64, {3, 2})}},
      {Enter{split({{axes[0]}, {}})}, {Type(DType::f32, {4, 3})}},
      {Enter{split({{axes[2]}, {axes[1], axes[0]}})}, {Type(DType::f64, {4, 8})}},
      {Enter{split({{axes[0], axes[1], axes[2]}})}, {Type(DType::i32, {16})}},
      {Enter{{example_mesh(), {{axes[0]}}, {}, {axes[1]}}}, {Type(DType::f64, {6})}},
  };
}

Array enter(const Array& x, const Sharding& sharding) { return apply_one(Enter{sharding}, {x}); }

Array enter_by_moves(const Array& x, const Sharding& sharding) {
  Array part = x;
  for (int i = 0; i < x.rank(); ++i) {
    const Axes& axes = sharding.dims[static_cast<std::size_t>(i)];
    if (!axes.empty()) part = own_block(part, axes, Dim{i}, Stacking::tiled);
  }
  if (!sharding.unreduced.empty()) part = mask(part, sharding.unreduced);
  return cast_to(part, sharding.reduced, State::reduced);
}

}  // namespace tutti
