// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/transpose.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {
namespace {

Dims inverse(const Dims& permutation) {
  Dims inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<std::size_t>(permutation[i].index)] = Dim{static_cast<int>(i)};
  return inverse;
}

Array permuted(const Array& x, const Dims& permutation) {
  return permutation == dims_of(x.rank()) ? x : apply_one(Transpose{permutation}, {x});
}

}  // namespace

Parameters Transpose::parameters() const { return {{"permutation", to_string(permutation)}}; }

Types Transpose::infer(const Types& operands) const {
  const Type& x = operands[0];
  require(static_cast<int>(permutation.size()) == x.rank(), Code::dim,
          "the permutation {} names {}, {} has {}; name every dim once (transpose_c2)",
          to_string(permutation), counted(std::ssize(permutation), "dim"), x, x.rank());
  require_in_range(permutation, x, "transpose_c2");
  require_distinct(permutation, x, "transpose_c2");
  std::vector<std::int64_t> sizes;
  for (Dim dim : permutation) sizes.push_back(x.shape()[dim]);
  return {x.with(Shape(std::move(sizes)))};
}

Kernel Transpose::kernel(const Layout& layout) const {
  const Shape& to = layout.results()[0].shape();
  kernel::View view;
  for (int i = 0; i < to.rank(); ++i)
    view.digits.push_back(
        {to[i], kernel::along(permutation[static_cast<std::size_t>(i)]), kernel::along(Dim{i})});
  return view;
}

Jvp Transpose::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Transpose::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {permuted(*cotangents[0], inverse(permutation))};
}

BatchedArrays Transpose::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  if (!batched) return {{permuted(x, permutation), false}};
  Dims behind = shifted(permutation, 1);
  behind.insert(behind.begin(), Dim{0});
  return {{permuted(x, behind), true}};
}

Lowered Transpose::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.transpose", operands, emitter.result_types()[0],
                       {{"permutation", stablehlo::integers(indices(permutation))}})};
}

std::vector<Example> Transpose::examples() {
  const Axes& axes = example_mesh().axes();
  Type matrix(DType::f64, {3, 2}), box(DType::f32, {2, 3, 5});
  Dims swapped{Dim{1}, Dim{0}}, turned{Dim{2}, Dim{0}, Dim{1}};
  return {
      {Transpose{swapped}, {matrix}},
      {Transpose{swapped}, {matrix.with(axes[0], varying)}},
      {Transpose{swapped}, {matrix.with(axes[1], unreduced).with(axes[2], reduced)}},
      {Transpose{turned}, {box}},
      {Transpose{{Dim{0}, Dim{2}, Dim{1}}}, {box.with(axes[2], varying)}},
      {Transpose{swapped}, {Type(DType::i32, {0, 3})}},
      {Transpose{{Dim{0}}}, {Type(DType::boolean, {4})}},
      {Transpose{{}}, {Type(DType::f32, {})}},
  };
}

Array transpose(const Operand& x) {
  return front_end(Transpose::name, x.where(), [&] {
    Array array = as_array(x);
    Dims reversed = dims_of(array.rank());
    std::ranges::reverse(reversed);
    return permuted(array, reversed);
  });
}

Array transpose(const Operand& x, const std::vector<int>& permutation) {
  return front_end(Transpose::name, x.where(), [&] {
    Array array = as_array(x);
    return permuted(array, as_dims(permutation, array.type()));
  });
}

Array ops::move_dim(const Array& x, Dim from, Dim to) {
  Dims permutation = dims_of(x.rank());
  permutation.erase(permutation.begin() + from.index);
  permutation.insert(permutation.begin() + to.index, from);
  return permuted(x, permutation);
}

}  // namespace tutti
