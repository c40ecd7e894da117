// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/scatter.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/tensor/loops/elementwise.hpp"

namespace tutti {
namespace {

const AreIndices are_indices{false, true, false};
constexpr WindowLabels labels{"scatter", 2, 22, 19, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21};

// Sizes of the updates' windows along the dims of the array.
WindowSizes sizes_of(const WindowDims& dims, const Shape& array, const Shape& updates) {
  WindowSizes sizes(static_cast<std::size_t>(array.rank()), 1);
  Dims own = window_dims_of_array(dims, array.rank());
  for (std::size_t i = 0; i < own.size(); ++i)
    sizes[static_cast<std::size_t>(own[i].index)] = updates[dims.window[i]];
  for (Dim dim : dims.collapsed)
    sizes[static_cast<std::size_t>(dim.index)] = std::min<std::int64_t>(array[dim], 1);
  for (Dim dim : dims.batching)
    sizes[static_cast<std::size_t>(dim.index)] = std::min<std::int64_t>(array[dim], 1);
  return sizes;
}

// Bool: does this element of the updates stand in the result? Of those that meet, the last one wrote its number there.
Array stays(const WindowDims& dims, const Array& indices, const Shape& array, const Shape& updates,
            const WindowSizes& sizes) {
  Array numbers = reshape(arange(updates.elements(), DType::i64), updates);
  Array nobody = broadcast_to(constant(Tensor::scalar(std::int64_t{-1})), array);
  Array last = apply_one(Scatter{ScatterKind::replace, dims}, {nobody, indices, numbers});
  return equal(apply_one(Gather{dims, sizes}, {last, indices}), numbers);
}

// False if no two windows can cover the same element: there is at most one for each index of the shared batch dims.
bool may_meet(const Windows& windows) {
  return std::ranges::any_of(windows.batch, [](const Windows::Batch& loop) {
    return loop.size > 1 && loop.array_stride == 0;
  });
}

// Sums of f16 and bf16 are rounded once: all stand in scratch as f32 until they are complete.
Kernel added_in_f32(const WindowDims& dims, Type x, Type indices, Type updates, const WindowSizes& sizes) {
  DType dtype = x.dtype();
  Type wide_x = x.with(DType::f32), wide_updates = updates.with(DType::f32);
  Windows windows = windows_of(dims, wide_x, indices, wide_updates, sizes);
  std::size_t first = (wide_x.bytes() + 63) / 64 * 64;
  return kernel::Opaque{.nanoseconds = 20 + 10 * static_cast<double>(windows.count()) +
                                       0.2 * static_cast<double>(x.bytes() + updates.bytes()),
                        .scratch_bytes = first + wide_updates.bytes(),
                        .run = [=](const kernel::Unit& unit) {
                          std::byte *sums = unit.scratch, *terms = unit.scratch + first;
                          convert_kernel(dtype, DType::f32)(sums, &unit.operands[0], x.elements());
                          convert_kernel(dtype, DType::f32)(terms, &unit.operands[2], updates.elements());
                          scatter_windows(sums, unit.operands[1], terms, windows, DType::f32,
                                          ScatterKind::add);
                          const std::byte* const complete[] = {sums};
                          convert_kernel(DType::f32, dtype)(unit.results[0], complete, x.elements());
                        }};
}

Array scattered(ScatterKind kind, const Operand& x, const Array& indices, const Operand& updates,
                const WindowDims& dims, GatherMode mode) {
  Scatter op{kind, dims};
  return front_end(op.name(), x.where(), [&] {
    Array array = as_array(x, {updates}), windows = as_array(updates, {x}), wanted = indices;
    if (!updates.array()) {
      WindowSizes ones(static_cast<std::size_t>(array.rank()), 1);
      windows = broadcast_to(windows, windows_shape(dims, indices.type(), ones));
    }
    op.infer({array.type().with(AxisStates{}), indices.type().with(AxisStates{}),
              windows.type().with(AxisStates{})});
    if (mode == GatherMode::clip)
      wanted = brought_inside(dims, indices, array.shape(), sizes_of(dims, array.shape(), windows.shape()));
    return apply_one(op, {array, wanted, windows});
  });
}

}  // namespace

std::string_view Scatter::name() const {
  switch (kind) {
    case ScatterKind::add: return "scatter_add";
    case ScatterKind::replace: return "scatter";
  }
  return {};
}

About Scatter::about() const {
  switch (kind) {
    case ScatterKind::add:
      return {"An array to whose windows, one per index vector, updates are added.", "scatter_add"};
    case ScatterKind::replace:
      return {"An array of which windows, one per index vector, are replaced by updates.", "scatter"};
  }
  return {};
}

std::vector<AxisStates> Scatter::wants(const Types& operands) const {
  return states_by_indices(operands, are_indices);
}

Types Scatter::infer(const Types& operands) const {
  const Type &x = operands[0], &indices = operands[1], &updates = operands[2];
  require_same_dtype(x, updates);
  if (kind == ScatterKind::add) require_summable(x);
  require_window_dims(dims, x, indices, windows_rank(dims, indices), labels);
  require(updates.rank() == windows_rank(dims, indices), Code::shape,
          "the updates are {}, of rank {}; {} and these dims have windows of rank {} (scatter_c4)",
          to_string(updates), updates.rank(), to_string(indices), windows_rank(dims, indices));
  WindowSizes sizes = sizes_of(dims, x.shape(), updates.shape());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    require(sizes[i] <= x.shape().sizes()[i], Code::shape,
            "the updates are windows of {} along dim {} of {}, which has {}; they cannot be larger "
            "(scatter_c4)",
            counted(sizes[i], "element"), i, to_string(x), x.shape().sizes()[i]);
  require(updates.shape() == windows_shape(dims, indices, sizes), Code::shape,
          "the updates are {}, the windows of {} have the shape [{}] (scatter_c4)", to_string(updates),
          to_string(indices), to_string(windows_shape(dims, indices, sizes)));
  return {x.with(agreed_states_by_indices(operands, are_indices))};
}

Kernel Scatter::kernel(const Layout& layout) const {
  Type x = layout.operands()[0], indices = layout.operands()[1], updates = layout.operands()[2];
  WindowSizes sizes = sizes_of(dims, x.shape(), updates.shape());
  Windows windows = windows_of(dims, x, indices, updates, sizes);
  if (kind == ScatterKind::add && is_half(x.dtype()) && may_meet(windows))
    return added_in_f32(dims, x, indices, updates, sizes);
  return kernel::Opaque{.nanoseconds = 20 + 10 * static_cast<double>(windows.count()) +
                                       0.05 * static_cast<double>(updates.bytes()),
                        .run =
                            [windows, x, kind = kind](const kernel::Unit& unit) {
                              if (unit.results[0] != unit.operands[0])
                                std::memcpy(unit.results[0], unit.operands[0], x.bytes());
                              scatter_windows(unit.results[0], unit.operands[1], unit.operands[2], windows,
                                              x.dtype(), kind);
                            },
                        .changes = 0};
}

// Also a replacement is linear: which elements stay does not depend on their values.
Jvp Scatter::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_indices(*this, operands, tangents, are_indices);
}

Tangents Scatter::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  const Array &ct = *cotangents[0], &indices = *operands[1].known;
  const Shape &array = operands[0].type.shape(), &updates = operands[2].type.shape();
  WindowSizes sizes = sizes_of(dims, array, updates);
  bool adds = kind == ScatterKind::add;
  Tangents result(3);
  if (operands[2].linear()) {  // reads ct first: then the cotangent of x may lie where ct does
    Array counts =
        adds ? lies_inside(dims, indices, array, sizes) : stays(dims, indices, array, updates, sizes);
    Array windows = apply_one(Gather{dims, sizes}, {ct, indices});
    result[2] = select(counts, windows, zero_tangent(windows.type()));
  }
  if (operands[0].linear())
    result[0] = adds ? ct : apply_one(*this, {ct, indices, zero_tangent(ct.type().with(updates))});
  return result;
}

BatchedArrays Scatter::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [indices, of_indices] = operands[1];
  bool of_data = operands[0].batched || operands[2].batched;
  if (!of_data && !of_indices)
    return {{apply_one(*this, {operands[0].array, indices, operands[2].array}), false}};
  Scatter op{kind, with_lanes(dims, true, of_indices)};
  return {{apply_one(op, {materialised(operands[0], axis), indices, materialised(operands[2], axis)}), true}};
}

Lowered Scatter::lower(Emitter& emitter, const Lowered& operands) const {
  stablehlo::Attributes fields;
  auto add = [&](const char* field, const Dims& named) {
    if (!named.empty()) fields.push_back({field, stablehlo::integers(indices(named))});
  };
  add("update_window_dims", dims.window);
  add("inserted_window_dims", dims.collapsed);
  add("input_batching_dims", dims.batching);
  add("scatter_indices_batching_dims", dims.indices_batching);
  add("scatter_dims_to_operand_dims", dims.index_map);
  fields.push_back({"index_vector_dim", stablehlo::integer(dims.index_vector.index)});
  Type scalar(emitter.result_types()[0].dtype(), {});
  auto update = [&](const Lowered& x) -> Lowered {
    if (kind == ScatterKind::replace) return {x[1]};
    return {emitter.emit("stablehlo.add", x, scalar)};
  };
  return emitter.emit_with_regions("stablehlo.scatter", operands, emitter.result_types(),
                                   {{{scalar, scalar}, update}},
                                   {{"scatter_dimension_numbers",
                                     stablehlo::record("scatter", std::move(fields))},
                                    {"indices_are_sorted", {false}},
                                    {"unique_indices", {false}}});
}

std::vector<Example> Scatter::examples() {
  const Axes& axes = example_mesh().axes();
  const Dims none, d0{Dim{0}}, d1{Dim{1}}, d01{Dim{0}, Dim{1}};
  auto indices = [](const Shape& shape, const AxisStates& states = {}, DType dtype = DType::i32) {
    return ExampleOperand(Type(dtype, shape, states), -1, 5);
  };
  const WindowDims rows{d1, d0, none, none, d0, Dim{1}}, windows{d1, d0, none, none, d01, Dim{1}},
      of_each{none, {Dim{0}, Dim{2}}, d1, d1, {Dim{2}, Dim{0}}, Dim{2}};
  std::vector<Example> examples;
  for (ScatterKind kind : {ScatterKind::add, ScatterKind::replace}) {
    auto add = [&](const WindowDims& dims, DType dtype, const Shape& x, ExampleOperand where,
                   const Shape& updates, const AxisStates& states = {}) {
      examples.push_back(
          {Scatter{kind, dims}, {Type(dtype, x, states), where, Type(dtype, updates, states)}});
    };
    const auto& [a, b, c] = std::tuple(axes[0], axes[1], axes[2]);
    add(rows, DType::f64, {5, 3}, indices({4}), {4, 3});
    add(rows, DType::f64, {4, 2}, indices({6}, {{a, varying}}, DType::i64), {6, 2}, {{a, varying}});
    add(rows, DType::f64, {3, 2}, indices({2}, {{b, reduced}}), {2, 2}, {{b, unreduced}});
    add(rows, DType::f32, {3, 2}, indices({2}), {2, 1}, {{c, reduced}});
    add(windows, DType::f64, {5, 3}, indices({4, 2}, {}, DType::i64), {4, 2});
    add(of_each, DType::f32, {2, 4, 3}, indices({3, 4, 2}), {3, 4});
    add({d0, d0, none, none, d0, Dim{0}}, DType::i32, {5, 3}, indices({}), {3});
    add(rows, DType::i64, {5, 3}, indices({0}), {0, 3});
    add({none, none, none, none, none, Dim{0}}, DType::f32, {}, indices({0}), {});
  }
  examples.push_back({Scatter{ScatterKind::replace, rows},
                      {Type(DType::boolean, {5, 2}), indices({4}), Type(DType::boolean, {4, 2})}});
  return examples;
}

Array scatter(const Operand& x, const Array& indices, const Operand& updates, const WindowDims& dims,
              GatherMode mode) {
  return scattered(ScatterKind::replace, x, indices, updates, dims, mode);
}

Array scatter_add(const Operand& x, const Array& indices, const Operand& updates, const WindowDims& dims,
                  GatherMode mode) {
  return scattered(ScatterKind::add, x, indices, updates, dims, mode);
}

}  // namespace tutti
