// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/zero_tangent.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {

Types ZeroTangent::infer(const Types&) const {
  ensure(tangent(type).has_value(), "{} has no tangent", type);
  return {type};
}

// One zero, seen at every index.
Kernel ZeroTangent::kernel(const Layout&) const {
  kernel::View view;
  for (int i = 0; i < type.rank(); ++i)
    view.digits.push_back({type.shape()[i], kernel::nowhere, kernel::along(Dim{i})});
  return kernel::Literal{Tensor({}, type.dtype()), view};
}

Jvp ZeroTangent::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

Tangents ZeroTangent::transpose(const LinearOperands&, const Tangents&) const { return {}; }

// Along the axis the states go with it: where the lanes held values of their own, they still do.
// The same in every lane, also as terms of a sum.
BatchedArrays ZeroTangent::batch(const Axis& axis, const BatchedArrays&, const Types&) const {
  return {{zero_tangent(type.with(axis, State::invariant)), false}};
}

Lowered ZeroTangent::lower(Emitter& emitter, const Lowered&) const {
  return {emitter.emit("stablehlo.broadcast_in_dim", {emitter.constant(Tensor({}, type.dtype()))}, type,
                       {{"broadcast_dimensions", stablehlo::integers({})}})};
}

std::vector<Example> ZeroTangent::examples() {
  const Axes& axes = example_mesh().axes();
  return {{ZeroTangent{Type(DType::f32, {})}, {}},
          {ZeroTangent{Type(DType::f64, {3, 2}, {{axes[0], varying}})}, {}},
          {ZeroTangent{Type(DType::f32, {3}, {{axes[0], unreduced}, {axes[1], reduced}})}, {}}};
}

Array zero_tangent(Type type) { return apply_one(ZeroTangent{type}, {}); }

}  // namespace tutti
