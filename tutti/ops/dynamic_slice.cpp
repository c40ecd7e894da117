// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dynamic_slice.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dynamic_update_slice.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/window_starts.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

AreIndices are_indices(std::size_t operands) {
  AreIndices are(operands, true);
  are[0] = false;
  return are;
}

}  // namespace

std::vector<AxisStates> DynamicSlice::wants(const Types& operands) const {
  return states_by_indices(operands, are_indices(operands.size()));
}

Parameters DynamicSlice::parameters() const { return {{"sizes", bracketed(sizes)}}; }

Types DynamicSlice::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_starts(x, Types(operands.begin() + 1, operands.end()), "dynamic_slice_c2", "dynamic_slice_c3");
  require(static_cast<int>(sizes.size()) == x.rank(), Code::dim,
          "sizes {} for {}, which has {}; give one for each (dynamic_slice_c2)", bracketed(sizes), x,
          counted(x.rank(), "dim"));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    require(sizes[i] >= 0, Code::shape, "a window of {} along dim {} of {}; a size is 0 or more",
            counted(sizes[i], "element"), i, x);
    require(sizes[i] <= x.shape().sizes()[i], Code::shape,
            "a window of {} along dim {} of {}, which has {}; it cannot be larger (dynamic_slice_c4)",
            counted(sizes[i], "element"), i, x, x.shape().sizes()[i]);
  }
  return {Type(x.dtype(), Shape(sizes), agreed_states_by_indices(operands, are_indices(operands.size())))};
}

Kernel DynamicSlice::kernel(const Layout& layout) const {
  Type x = layout.operands()[0], result = layout.results()[0];
  DType start_dtype = x.rank() == 0 ? DType::i32 : layout.operands()[1].dtype();
  return kernel::Opaque{.nanoseconds = 20 + 0.05 * static_cast<double>(result.bytes()),
                        .run = [window = window_in_memory(x, result.shape(), start_dtype)](
                                   const kernel::Unit& unit) {
                          strided_copy(unit.results[0],
                                       unit.operands[0] + window.offset(unit.operands.subspan(1)),
                                       window.loops, window.element_bytes);
                        }};
}

Jvp DynamicSlice::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_indices(*this, operands, tangents, are_indices(operands.size()));
}

Tangents DynamicSlice::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices(operands.size()));
  Arrays into{zero_tangent(dual(operands[0].type)), *cotangents[0]};
  for (std::size_t i = 1; i < operands.size(); ++i) into.push_back(*operands[i].known);
  Tangents result(operands.size());
  result[0] = apply_one(DynamicUpdateSlice{}, into);
  return result;
}

BatchedArrays DynamicSlice::batch(const Axis& axis, const BatchedArrays& operands, const Types& types) const {
  const auto& [x, batched] = operands[0];
  BatchedArrays starts(operands.begin() + 1, operands.end());
  WindowSizes with_lanes = sizes;
  if (std::ranges::any_of(starts, &Batched::batched)) {
    if (batched) with_lanes.insert(with_lanes.begin(), std::min(axis.size, 1));
    Gather op{windows_of_lanes(types[0].rank(), batched), with_lanes};
    return {{apply_one(op, {x, vectors_of_starts(starts, axis)}), true}};
  }
  Arrays arrays{x};
  for (const Batched& start : starts) arrays.push_back(start.array);
  if (!batched) return {{apply_one(*this, arrays), false}};
  with_lanes.insert(with_lanes.begin(), axis.size);
  std::vector<Operand> behind{0};
  behind.insert(behind.end(), arrays.begin() + 1, arrays.end());
  return {{dynamic_slice(x, behind, with_lanes), true}};
}

Lowered DynamicSlice::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.dynamic_slice", with_starts_inside(emitter, operands, 1, Shape(sizes)),
                       emitter.result_types()[0], {{"slice_sizes", stablehlo::integers(sizes)}})};
}

std::vector<Example> DynamicSlice::examples() {
  const Axes& axes = example_mesh().axes();
  auto start = [](const AxisStates& states = {}, DType dtype = DType::i32) {
    return ExampleOperand(Type(dtype, {}, states), -2, 6);
  };
  Type row(DType::f64, {5}), matrix(DType::f64, {4, 5});
  AxisStates on_a{{axes[0], varying}};
  return {
      {DynamicSlice{{2}}, {row, start()}},
      {DynamicSlice{{3}}, {row.with(on_a), start(on_a, DType::i64)}},
      {DynamicSlice{{2}}, {row.with(axes[1], unreduced), start({{axes[1], reduced}})}},
      {DynamicSlice{{2, 5}}, {matrix.with(axes[2], reduced), start(), start()}},
      {DynamicSlice{{1, 2}}, {matrix.with(on_a), start(on_a), start(on_a)}},
      {DynamicSlice{{0, 1}}, {Type(DType::f32, {3, 1}), start(), start()}},
      {DynamicSlice{{3}}, {Type(DType::i32, {4}), start({}, DType::i64)}},
      {DynamicSlice{{2}}, {Type(DType::boolean, {4}, on_a), start(on_a)}},
      {DynamicSlice{{}}, {Type(DType::f32, {})}},
  };
}

Array dynamic_slice(const Operand& x, const std::vector<Operand>& starts,
                    const std::vector<std::int64_t>& sizes) {
  return front_end(DynamicSlice::name, x.where(), [&] {
    Arrays operands = as_starts(starts);
    operands.insert(operands.begin(), as_array(x));
    return apply_one(DynamicSlice{sizes}, operands);
  });
}

Array dynamic_slice_in_dim(const Operand& x, const Operand& start, std::int64_t size, int dim) {
  return front_end("dynamic_slice_in_dim", x.where(), [&] {
    Array array = as_array(x);
    Dim from = as_dim(dim, array.type());
    return dynamic_slice(array, start_in_dim(array.type(), start, from),
                         array.shape().with(from, size).sizes());
  });
}

Array dynamic_index_in_dim(const Operand& x, const Operand& index, int dim) {
  return front_end("dynamic_index_in_dim", x.where(), [&] {
    Array array = as_array(x);
    Dim from = as_dim(dim, array.type());
    return reshape(dynamic_slice_in_dim(array, index, 1, from.index), array.shape().erased(from));
  });
}

}  // namespace tutti
