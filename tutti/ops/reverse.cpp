// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reverse.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {

Parameters Reverse::parameters() const { return {{"dims", to_string(dims)}}; }

Types Reverse::infer(const Types& operands) const {
  require_in_range(dims, operands[0], "reverse_c3");
  require_distinct(dims, operands[0], "reverse_c2");
  return {operands[0]};
}

Kernel Reverse::kernel(const Layout& layout) const {
  const Shape& shape = layout.results()[0].shape();
  kernel::View view;
  for (int i = 0; i < shape.rank(); ++i) {
    bool turned = contains(dims, Dim{i});
    view.digits.push_back({shape[i], kernel::along(Dim{i}, turned ? -1 : 1), kernel::along(Dim{i})});
    view.start.push_back(turned ? std::max<std::int64_t>(shape[i] - 1, 0) : 0);
  }
  return view;
}

Jvp Reverse::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Reverse::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(*this, {*cotangents[0]})};
}

BatchedArrays Reverse::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{apply_one(Reverse{shifted(dims, batched ? 1 : 0)}, {x}), batched}};
}

Lowered Reverse::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.reverse", operands, emitter.result_types()[0],
                       {{"dimensions", stablehlo::integers(indices(dims))}})};
}

std::vector<Example> Reverse::examples() {
  const Axes& axes = example_mesh().axes();
  const Dims first{Dim{0}}, last{Dim{1}}, outer{Dim{2}, Dim{0}};
  Type matrix(DType::f64, {3, 5});
  return {
      {Reverse{first}, {matrix}},
      {Reverse{last}, {matrix.with(axes[0], varying)}},
      {Reverse{{Dim{0}, Dim{1}}}, {matrix.with(axes[1], unreduced).with(axes[2], reduced)}},
      {Reverse{outer}, {Type(DType::f32, {2, 3, 4}).with(axes[2], varying)}},
      {Reverse{first}, {Type(DType::i32, {4, 0})}},
      {Reverse{last}, {Type(DType::i64, {4, 0})}},
      {Reverse{first}, {Type(DType::boolean, {6}).with(axes[0], varying)}},
      {Reverse{{}}, {Type(DType::f32, {})}},
  };
}

Array rev(const Operand& x, const WhichDims& dims) {
  return front_end("rev", x.where(), [&] {
    Array array = as_array(x);
    Dims turned = dims.resolve(array.type());
    return turned.empty() ? array : apply_one(Reverse{turned}, {array});
  });
}

}  // namespace tutti
