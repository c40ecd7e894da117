// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/base/inside.hpp"

#include <numeric>

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/stacking.hpp"

namespace tutti {

Types AxisIndex::infer(const Types&) const { return {Type(DType::i32, {}).with(axes, State::varying)}; }

// The table 0 .. n-1. Each device sees the element at its position.
Kernel AxisIndex::kernel(const Layout&) const {
  int n = joint_size(axes);
  std::vector<std::int32_t> table(static_cast<std::size_t>(n));
  std::iota(table.begin(), table.end(), 0);
  kernel::View view;
  for (const Axis& axis : axes) {
    n /= axis.size;
    view.digits.push_back({axis.size, kernel::along(Dim{0}, n), kernel::along(axis)});
  }
  return kernel::Literal{Tensor(Shape{joint_size(axes)}, table), view};
}

Jvp AxisIndex::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

// Along `axis` the position is the lane's number. Positions along the other axes are added, each with its
// row-major weight.
BatchedArrays AxisIndex::batch(const Axis& axis, const BatchedArrays&, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {}), false}};
  Array index = iota(Shape{axis.size}, DType::i32, 0);
  std::optional<Array> sum;
  for (const Axis& other : axes) {
    Array position = other == axis ? index : insert_dim(axis_index(other), Dim{0}, axis.size);
    sum = sum_of(sum, position * size_after(axes, other));
  }
  return {{*sum, true}};
}

Lowered AxisIndex::lower(Emitter& emitter, const Lowered&) const { return {emitter.position(axes)}; }

std::vector<Example> AxisIndex::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) examples.push_back({AxisIndex{axes}, {}});
  return examples;
}

Array axis_index(const AxisNames& axes) {
  return front_end("axis_index", axes.where(), [&] { return apply_one(AxisIndex{axes.resolve()}, {}); });
}

int axis_size(const AxisNames& axes) {
  return front_end("axis_size", axes.where(), [&] { return joint_size(axes.resolve()); });
}

}  // namespace tutti
