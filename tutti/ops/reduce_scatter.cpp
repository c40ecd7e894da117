// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reduce_scatter.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/all_gather.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {

Parameters ReduceScatter::parameters() const {
  return {{"axes", to_string(axes)},
          {"dim", std::to_string(dim.index)},
          {"stacking", std::string(tutti::name(stacking))}};
}

Types ReduceScatter::infer(const Types& operands) const {
  require_summable(operands[0]);
  require_states(operands[0], axes, {State::unreduced},
                 "it takes terms of a sum; cast varying values with pcast(x, axes, unreduced)");
  return {unstacked(operands[0], dim, stacking, axes, "reduce_scatter_c1").with(axes, State::varying)};
}

Kernel ReduceScatter::kernel(const Layout& layout) const {
  return Fold{ReduceKind::sum, axes, {unstacking_view(layout.operands()[0], dim, stacking, axes)}};
}

Jvp ReduceScatter::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents ReduceScatter::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {all_gather(*cotangents[0], axes, dim, stacking, State::reduced)};
}

// Over one of our own axes the lanes are added here, and the blocks along that axis become the lanes.
BatchedArrays ReduceScatter::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const Batched& x = operands[0];
  if (!contains(axes, axis))
    return {{reduce_scatter(x.array, axes, Dim{dim.index + x.batched}, stacking), x.batched}};
  Array sum = reduce_sum(materialised(x, axis), 0);
  Array lanes = split_lanes(sum, axes, axis, dim, stacking);  // [n of rest, n of axis, block]
  Axes rest = without(axes, axis);
  if (rest.empty()) return {{reshape(lanes, lanes.shape().erased(Dim{0})), true}};
  return {{reduce_scatter(lanes, rest, Dim{0}, Stacking::new_dim), true}};
}

Lowered ReduceScatter::lower(Emitter& emitter, const Lowered& operands) const {
  const Type& whole = emitter.operand_types()[0];
  stablehlo::Attributes attributes = emitter.collective(axes, true);
  attributes.emplace_back("scatter_dimension", stablehlo::integer(dim.index));
  Type block = whole.with(whole.shape().with(dim, whole.shape()[dim] / joint_size(axes)));
  stablehlo::Value own = emitter.emit_with_reducer("stablehlo.reduce_scatter", ReduceKind::sum, operands,
                                                   block, std::move(attributes));
  if (stacking == Stacking::tiled) return {own};
  return {emitter.emit("stablehlo.reshape", {own}, emitter.result_types()[0])};
}

std::vector<Example> ReduceScatter::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    Type whole = Type(DType::f32, {3, joint_size(axes)}).with(axes, State::unreduced);
    examples.push_back({ReduceScatter{axes, Dim{1}, Stacking::new_dim}, {whole}});
    examples.push_back({ReduceScatter{axes, Dim{0}, Stacking::tiled},
                        {whole.with(DType::f64).scaled(Dim{0}, joint_size(axes))}});
  }
  const Axis& a = example_mesh().axes()[0];
  examples.push_back(
      {ReduceScatter{{a}, Dim{0}, Stacking::new_dim}, {Type(DType::i32, {2}).with(a, State::unreduced)}});
  return examples;
}

Array reduce_scatter(const Array& x, const Axes& axes, Dim dim, Stacking stacking) {
  return apply_one(ReduceScatter{axes, dim, stacking}, {x});
}

Array psum_scatter(const Operand& x, const AxisNames& axes, const PsumScatterOptions& options) {
  return front_end("psum_scatter", x.where(), [&] {
    Array terms = as_array(x);
    Axes over = axes.resolve();
    for (const Axis& axis : over)
      if (terms.type().at(axis) != State::unreduced)
        terms = cast_to(cast_to(terms, {axis}, State::varying), {axis}, State::unreduced);
    return reduce_scatter(terms, over, as_dim(options.dim, terms.type()),
                          options.tiled ? Stacking::tiled : Stacking::new_dim);
  });
}

}  // namespace tutti
