// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/gather.hpp"

#include <algorithm>
#include <concepts>
#include <limits>

#include "tutti/base/counted.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/take_from_the_start.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

const NeverDestroyed<AreIndices> known_indices({false, true});
const AreIndices& are_indices = *known_indices;
constexpr WindowLabels labels{"gather", 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 15, 16, 17, 18, 19};

void require_sizes(const WindowSizes& sizes, const GatherDims& dims, Type x, Type indices) {
  require(static_cast<int>(sizes.size()) == x.rank(), Code::dim,
          "sizes {} for {}, which has {}; give a window size for each (gather_c20)", bracketed(sizes), x,
          counted(x.rank(), "dim"));
  for (int i = 0; i < x.rank(); ++i) {
    std::int64_t size = sizes[static_cast<std::size_t>(i)];
    require(0 <= size && size <= x.shape()[i], Code::shape,
            "windows of {} along dim {} of {}, which has {}; they cannot be larger (gather_c21)",
            counted(size, "element"), i, x, x.shape()[i]);
    bool collapsed = contains(dims.collapsed_slice_dims, Dim{i}),
         batching = contains(dims.operand_batching_dims, Dim{i});
    require(size <= 1 || !(collapsed || batching), Code::shape,
            "windows of {} along dim {} of {}, a {} dim; they have one there ({})", counted(size, "element"),
            i, x, collapsed ? "collapsed" : "batching", collapsed ? "gather_c9" : "gather_c12");
  }
  bool takes_from_nothing = x.elements() == 0 && std::ranges::find(sizes, 0) != sizes.end() &&
                            windows_shape(dims, indices, sizes).elements() > 0;
  require(!takes_from_nothing, Code::shape, "{} has no elements to take (gather_c21)", x);
}

// The value of an element outside of the array.
Tensor filling(DType dtype) {
  return with_element(dtype, []<class T>(std::type_identity<T>) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::signed_integral<T>) return Tensor::scalar(Limits::min());
    else if constexpr (std::integral<T>) return Tensor::scalar(Limits::max());  // of bool true
    else return Tensor::scalar_of(dtype_of<T>(), std::numeric_limits<double>::quiet_NaN());
  });
}

// The indices of a dim of this size, from 0 on. Gather refuses those that are no i32 or i64.
Array counted_in(const Array& indices, std::int64_t size) {
  if (indices.dtype() != DType::i32 && indices.dtype() != DType::i64) return indices;
  require_no_sum(indices.type());
  return from_the_start(size < most_numbered_by_i32 ? indices : convert(indices, DType::i64), size);
}

Array counted_in(const Number& number, std::int64_t size) {
  auto index = static_cast<std::int64_t>(as_scalar(number, DType::i32).at(0));
  DType dtype = size < most_numbered_by_i32 ? DType::i32 : DType::i64;
  return constant(as_scalar(index < 0 ? index + size : index, dtype));
}

// Workers share the outermost loop over windows if it makes blocks of the result.
kernel::Opaque::Shared shared_windows(const Windows& windows, Type result) {
  const std::int64_t lines = windows.outermost();
  const bool makes_blocks = !windows.batch.empty() && lines * windows.batch[0].windows_stride ==
                                                          static_cast<std::int64_t>(result.bytes());
  return {lines, 1, makes_blocks ? 1 : lines};
}

}  // namespace

std::vector<AxisStates> Gather::wants(const Types& operands) const {
  return states_by_indices(operands, are_indices);
}

Parameters Gather::parameters() const {
  Parameters parameters = parameters_of(dims);
  parameters.emplace_back("sizes", bracketed(sizes));
  return parameters;
}

Types Gather::infer(const Types& operands) const {
  const Type &x = operands[0], &indices = operands[1];
  require_window_dims(dims, x, indices, windows_rank(dims, indices), labels);
  require_sizes(sizes, dims, x, indices);
  return {
      Type(x.dtype(), windows_shape(dims, indices, sizes), agreed_states_by_indices(operands, are_indices))};
}

Kernel Gather::kernel(const Layout& layout) const {
  Type x = layout.operands()[0], indices = layout.operands()[1], result = layout.results()[0];
  Windows windows = windows_of(dims, x, indices, result, sizes);
  return kernel::Opaque{.nanoseconds = 20 + 10 * static_cast<double>(windows.count()) +
                                       0.05 * static_cast<double>(result.bytes()),
                        .run =
                            [windows, bytes = bytes_per_element(x.dtype())](const kernel::Unit& unit) {
                              gather_windows(unit.results[0], unit.operands[0], unit.operands[1], windows,
                                             bytes, unit.lines.begin, unit.lines.end);
                            },
                        .shared = shared_windows(windows, result)};
}

Jvp Gather::jvp(const Arrays& operands, const Tangents& tangents) const {
  return jvp_by_indices(*this, operands, tangents, are_indices);
}

Tangents Gather::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  Type x = operands[0].type;
  Array inside = brought_inside(dims, *operands[1].known, x.shape(), sizes);
  return {apply_one(Scatter{ScatterKind::add, dims}, {zero_tangent(dual(x)), inside, *cotangents[0]}), {}};
}

BatchedArrays Gather::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [x, of_array] = operands[0];
  const auto& [indices, of_indices] = operands[1];
  if (!of_array && !of_indices) return {{apply_one(*this, {x, indices}), false}};
  Gather op{with_lanes(dims, of_array, of_indices), sizes};
  if (of_array) op.sizes.insert(op.sizes.begin(), of_indices ? std::min(axis.size, 1) : axis.size);
  return {{apply_one(op, {x, indices}), true}};
}

Lowered Gather::lower(Emitter& emitter, const Lowered& operands) const {
  stablehlo::Attributes fields;
  auto add = [&](const char* field, const Dims& named) {
    if (!named.empty()) fields.push_back({field, stablehlo::integers(indices(named))});
  };
  add("offset_dims", dims.offset_dims);
  add("collapsed_slice_dims", dims.collapsed_slice_dims);
  add("operand_batching_dims", dims.operand_batching_dims);
  add("start_indices_batching_dims", dims.start_indices_batching_dims);
  add("start_index_map", dims.start_index_map);
  fields.push_back({"index_vector_dim", stablehlo::integer(dims.index_vector_dim.index)});
  const stablehlo::Value inside = emit_brought_inside(emitter, dims, operands[1], sizes);
  return {emitter.emit("stablehlo.gather", {operands[0], inside}, emitter.result_types()[0],
                       {{"dimension_numbers", stablehlo::record("gather", std::move(fields))},
                        {"slice_sizes", stablehlo::integers(sizes)},
                        {"indices_are_sorted", {false}}})};
}

std::vector<Example> Gather::examples() {
  const Axes& axes = example_mesh().axes();
  const Dims none, d0{Dim{0}}, d1{Dim{1}}, d01{Dim{0}, Dim{1}};
  Type matrix(DType::f64, {5, 3}), box(DType::f32, {2, 4, 3});
  auto indices = [](const Shape& shape, const AxisStates& states = {}, DType dtype = DType::i32) {
    return ExampleOperand(Type(dtype, shape, states), -2, 6);
  };
  // Rows by number; windows at places; elements, one per row.
  const Gather rows{{d1, d0, none, none, d0, Dim{1}}, {1, 3}};
  const Gather windows{{d1, d0, none, none, d01, Dim{1}}, {1, 2}};
  const Gather of_each{{none, {Dim{0}, Dim{2}}, d1, d1, {Dim{2}, Dim{0}}, Dim{2}}, {1, 1, 1}};
  return {
      {rows, {matrix, indices({4})}},
      {rows, {matrix.with(axes[0], varying), indices({4}, {{axes[0], varying}}, DType::i64)}},
      {rows, {matrix.with(axes[1], unreduced), indices({2}, {{axes[1], reduced}})}},
      {rows, {matrix.with(axes[2], reduced), indices({3})}},
      {windows, {matrix, indices({4, 2}, {}, DType::i64)}},
      {of_each, {box, indices({3, 4, 2})}},
      {of_each, {box.with(axes[0], varying), indices({1, 4, 2}, {{axes[0], varying}})}},
      {Gather{{d01, none, none, none, d1, Dim{0}}, {2, 2}}, {Type(DType::i32, {3, 4}), indices({1})}},
      {Gather{{d0, d0, none, none, d0, Dim{0}}, {1, 3}}, {Type(DType::boolean, {5, 3}), indices({})}},
      {rows, {matrix, indices({0})}},
      {Gather{{none, none, none, none, none, Dim{0}}, {}}, {Type(DType::f32, {}), indices({0})}},
  };
}

Array gather(const Operand& x, const Array& indices, const GatherDims& dims, const WindowSizes& sizes,
             GatherMode mode) {
  return front_end(Gather::name, x.where(), [&] {
    Array array = as_array(x);
    Array windows = apply_one(Gather{dims, sizes}, {array, indices});
    if (mode == GatherMode::clip) return windows;
    return select(lies_inside(dims, indices, array.shape(), sizes), windows,
                  constant(filling(array.dtype())));
  });
}

Array take_from_the_start(const Array& x, const Array& indices, Dim dim, GatherMode mode) {
  Dims around;
  for (Dim other : other_dims(x.rank(), {dim}))
    around.push_back(other < dim ? other : Dim{other.index - 1 + indices.rank()});
  GatherDims dims{.offset_dims = around,
                  .collapsed_slice_dims = {dim},
                  .start_index_map = {dim},
                  .index_vector_dim = Dim{indices.rank()}};
  WindowSizes sizes = x.shape().with(dim, std::min<std::int64_t>(x.shape()[dim], 1)).sizes();
  return gather(x, indices, dims, sizes, mode);
}

Array take(const Operand& x, const Operand& indices, int dim, GatherMode mode) {
  return front_end("take", x.where(), [&] {
    Array array = as_array(x);
    Dim from = as_dim(dim, array.type());
    std::int64_t size = array.shape()[from];
    Array wanted = indices.array() ? counted_in(*indices.array(), size) : counted_in(*indices.number(), size);
    return take_from_the_start(array, wanted, from, mode);
  });
}

Array take_along_from_the_start(const Array& x, const Array& indices, Dim dim, GatherMode mode) {
  Dims others = other_dims(x.rank(), {dim});
  GatherDims dims{.offset_dims = {},
                  .collapsed_slice_dims = {dim},
                  .operand_batching_dims = others,
                  .start_indices_batching_dims = others,
                  .start_index_map = {dim},
                  .index_vector_dim = Dim{x.rank()}};
  WindowSizes sizes = x.shape().sizes();
  for (std::int64_t& size : sizes) size = std::min<std::int64_t>(size, 1);
  return gather(x, indices, dims, sizes, mode);
}

Array take_along_axis(const Operand& x, const Array& indices, int dim, GatherMode mode) {
  return front_end("take_along_axis", x.where(), [&] {
    Array array = as_array(x);
    Dim from = as_dim(dim, array.type());
    require(indices.rank() == array.rank(), Code::shape,
            "{} and its indices, {}, have {} and {} dims; they must be as many: use take for fewer",
            array.type(), indices.type(), array.rank(), indices.rank());
    require(indices.shape().with(from, 0) == array.shape().with(from, 0), Code::shape,
            "{} and {} differ in another dim than {}; only that one may differ", array.type(), indices.type(),
            from.index);
    return take_along_from_the_start(array, counted_in(indices, array.shape()[from]), from, mode);
  });
}

}  // namespace tutti
