// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dynamic_update_slice.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/ops/window_starts.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

AreIndices are_indices(std::size_t operands) {
  AreIndices are(operands, true);
  are[0] = are[1] = false;
  return are;
}

}  // namespace

std::vector<AxisStates> DynamicUpdateSlice::wants(const Types& operands) const {
  return states_by_indices(operands, are_indices(operands.size()));
}

Types DynamicUpdateSlice::infer(const Types& operands) const {
  const Type &x = operands[0], &update = operands[1];
  require(x.dtype() == update.dtype(), Code::dtype,
          "{} and the update, {}, have different dtypes (dynamic_update_slice_c2); convert one of them: {}",
          x, update, conversion_to(std::max(x.dtype(), update.dtype())));
  require(x.rank() == update.rank(), Code::shape,
          "{} has {}, the update, {}, has {}; they must be as many (dynamic_update_slice_c3)", x,
          counted(x.rank(), "dim"), update, update.rank());
  require_starts(x, Types(operands.begin() + 2, operands.end()), "dynamic_update_slice_c4",
                 "dynamic_update_slice_c5");
  for (int i = 0; i < x.rank(); ++i)
    require(update.shape()[i] <= x.shape()[i], Code::shape,
            "an update of {} along dim {} of {}, which has {}; it cannot be larger "
            "(dynamic_update_slice_c6)",
            counted(update.shape()[i], "element"), i, x, x.shape()[i]);
  return {x.with(agreed_states_by_indices(operands, are_indices(operands.size())))};
}

Kernel DynamicUpdateSlice::kernel(const Layout& layout) const {
  Type x = layout.operands()[0], update = layout.operands()[1];
  WindowInMemory window =
      window_in_memory(x, update.shape(), x.rank() == 0 ? DType::i32 : layout.operands()[2].dtype());
  std::vector<CopyLoop> into = window.loops;
  for (CopyLoop& loop : into) std::swap(loop.to_stride, loop.from_stride);
  return kernel::Opaque{.nanoseconds = 20 + 0.05 * static_cast<double>(update.bytes()),
                        .run =
                            [window, into, bytes = x.bytes()](const kernel::Unit& unit) {
                              if (unit.results[0] != unit.operands[0])
                                std::memcpy(unit.results[0], unit.operands[0], bytes);
                              strided_copy(unit.results[0] + window.offset(unit.operands.subspan(2)),
                                           unit.operands[1], into, window.element_bytes);
                            },
                        .changes = 0};
}

Jvp DynamicUpdateSlice::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_indices(*this, operands, tangents, are_indices(operands.size()));
}

Tangents DynamicUpdateSlice::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices(operands.size()));
  const Array& ct = *cotangents[0];
  Type update = operands[1].type;
  Arrays starts;
  for (std::size_t i = 2; i < operands.size(); ++i) starts.push_back(*operands[i].known);
  auto at_starts = [&](Arrays arrays) {
    arrays.insert(arrays.end(), starts.begin(), starts.end());
    return arrays;
  };
  Tangents result(operands.size());
  // Reads ct first: then the cotangent of x may lie where ct does.
  if (operands[1].linear()) result[1] = apply_one(DynamicSlice{update.shape().sizes()}, at_starts({ct}));
  if (operands[0].linear()) result[0] = apply_one(*this, at_starts({ct, zero_tangent(dual(update))}));
  return result;
}

BatchedArrays DynamicUpdateSlice::batch(const Axis& axis, const BatchedArrays& operands,
                                        const Types& types) const {
  BatchedArrays starts(operands.begin() + 2, operands.end());
  if (std::ranges::none_of(operands, &Batched::batched)) {
    Arrays arrays;
    for (const Batched& operand : operands) arrays.push_back(operand.array);
    return {{apply_one(*this, arrays), false}};
  }
  Array x = materialised(operands[0], axis), update = materialised(operands[1], axis);
  if (std::ranges::any_of(starts, &Batched::batched))
    return {{scatter(x, vectors_of_starts(starts, axis), update, windows_of_lanes(types[0].rank(), true),
                     {.mode = GatherMode::clip}),
             true}};
  std::vector<Operand> behind{0};
  for (const Batched& start : starts) behind.push_back(start.array);
  return {{dynamic_update_slice(x, update, behind), true}};
}

Lowered DynamicUpdateSlice::lower(Emitter& emitter, const Lowered& operands) const {
  const Shape window = emitter.operand_types()[1].shape();
  return {emitter.emit("stablehlo.dynamic_update_slice", with_starts_inside(emitter, operands, 2, window),
                       emitter.result_types()[0])};
}

std::vector<Example> DynamicUpdateSlice::examples() {
  const Axes& axes = example_mesh().axes();
  auto start = [](const AxisStates& states = {}, DType dtype = DType::i32) {
    return ExampleOperand(Type(dtype, {}, states), -2, 6);
  };
  Type row(DType::f64, {5}), part(DType::f64, {2}), matrix(DType::f64, {4, 3}), corner(DType::f64, {2, 2});
  AxisStates on_a{{axes[0], varying}};
  return {
      {DynamicUpdateSlice{}, {row, part, start()}},
      {DynamicUpdateSlice{}, {row.with(on_a), part.with(on_a), start(on_a, DType::i64)}},
      {DynamicUpdateSlice{},
       {row.with(axes[1], unreduced), part.with(axes[1], unreduced), start({{axes[1], reduced}})}},
      {DynamicUpdateSlice{},
       {matrix.with(axes[2], reduced), corner.with(axes[2], reduced), start(), start()}},
      {DynamicUpdateSlice{}, {matrix.with(on_a), corner.with(on_a), start(on_a), start(on_a)}},
      {DynamicUpdateSlice{}, {Type(DType::f32, {3, 1}), Type(DType::f32, {0, 1}), start(), start()}},
      {DynamicUpdateSlice{}, {Type(DType::i32, {4}), Type(DType::i32, {4}), start({}, DType::i64)}},
      {DynamicUpdateSlice{}, {Type(DType::boolean, {4}, on_a), Type(DType::boolean, {3}, on_a), start(on_a)}},
      {DynamicUpdateSlice{}, {Type(DType::f32, {}), Type(DType::f32, {})}},
  };
}

Array dynamic_update_slice(const Operand& x, const Operand& update, const std::vector<Operand>& starts) {
  return front_end(DynamicUpdateSlice::name, x.where(), [&] {
    Arrays operands = as_starts(starts);
    operands.insert(operands.begin(), {as_array(x, {update}), as_array(update, {x})});
    return apply_one(DynamicUpdateSlice{}, operands);
  });
}

Array dynamic_update_slice_in_dim(const Operand& x, const Operand& update, const Operand& start, int dim) {
  return front_end("dynamic_update_slice_in_dim", x.where(), [&] {
    Array array = as_array(x);
    return dynamic_update_slice(array, update, start_in_dim(array.type(), start, as_dim(dim, array.type())));
  });
}

}  // namespace tutti
