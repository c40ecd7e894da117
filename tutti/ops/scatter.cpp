// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/scatter.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tutti/base/counted.hpp"
#include "tutti/base/in_lines.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
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

const NeverDestroyed<AreIndices> known_indices({false, true, false});
const AreIndices& are_indices = *known_indices;
constexpr WindowLabels labels{"scatter", 2, 22, 19, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21};

// Sizes of the updates' windows along the dims of the array.
WindowSizes sizes_of(const GatherDims& dims, const Shape& array, const Shape& updates) {
  WindowSizes sizes(static_cast<std::size_t>(array.rank()), 1);
  Dims own = window_dims_of_array(dims, array.rank());
  for (std::size_t i = 0; i < own.size(); ++i)
    sizes[static_cast<std::size_t>(own[i].index)] = updates[dims.offset_dims[i]];
  for (Dim dim : dims.collapsed_slice_dims)
    sizes[static_cast<std::size_t>(dim.index)] = std::min<std::int64_t>(array[dim], 1);
  for (Dim dim : dims.operand_batching_dims)
    sizes[static_cast<std::size_t>(dim.index)] = std::min<std::int64_t>(array[dim], 1);
  return sizes;
}

// Bool: does this element of the updates stand in the result? Of those that meet, the last one wrote its
// number there.
Array stays(const GatherDims& dims, const Array& indices, const Shape& array, const Shape& updates,
            const WindowSizes& sizes) {
  Array numbers = reshape(arange(updates.elements(), DType::i64), updates);
  Array nobody = broadcast_to(constant(Tensor::scalar(std::int64_t{-1})), array);
  Array last = apply_one(Scatter{ScatterKind::replace, dims}, {nobody, indices, numbers});
  return equal(apply_one(Gather{dims, sizes}, {last, indices}), numbers);
}

// False if no two windows can cover the same element: there is at most one for each index of the shared batch
// dims.
bool may_meet(const Windows& windows) {
  return std::ranges::any_of(windows.batch, [](const Windows::Batch& loop) {
    return loop.size > 1 && loop.array_stride == 0;
  });
}

// Sums and products of f16 and bf16 are rounded once: all stand in scratch as f32 until they are complete.
Kernel combined_in_f32(ScatterKind kind, const GatherDims& dims, Type x, Type indices, Type updates,
                       const WindowSizes& sizes) {
  DType dtype = x.dtype();
  Type wide_x = x.with(DType::f32), wide_updates = updates.with(DType::f32);
  Windows windows = windows_of(dims, wide_x, indices, wide_updates, sizes);
  std::size_t first = in_lines(wide_x.bytes());
  return kernel::Opaque{.nanoseconds = 20 + 10 * static_cast<double>(windows.count()) +
                                       0.2 * static_cast<double>(x.bytes() + updates.bytes()),
                        .scratch_bytes = first + wide_updates.bytes(),
                        .run = [=](const kernel::Unit& unit) {
                          std::byte *wide = unit.scratch, *terms = unit.scratch + first;
                          convert_kernel(dtype, DType::f32)(wide, &unit.operands[0], x.elements());
                          convert_kernel(dtype, DType::f32)(terms, &unit.operands[2], updates.elements());
                          scatter_windows(wide, unit.operands[1], terms, windows, DType::f32, kind);
                          const std::byte* const complete[] = {wide};
                          convert_kernel(DType::f32, dtype)(unit.results[0], complete, x.elements());
                        }};
}

// A replacement is linear like a sum: which elements stay does not depend on their values.
bool is_linear(ScatterKind kind) { return kind == ScatterKind::add || kind == ScatterKind::replace; }
bool rounds(ScatterKind kind) { return kind == ScatterKind::add || kind == ScatterKind::multiply; }

// The tangent of a product: each factor's tangent times the other factors.
std::optional<Array> tangent_of_product(const Scatter& op, const Arrays& operands, const Tangents& tangents) {
  const Array &x = operands[0], &indices = operands[1], &updates = operands[2];
  std::optional<Array> by_x, by_updates;
  if (tangents[0]) by_x = *tangents[0] * apply_one(op, {ones(x.shape(), x.dtype()), indices, updates});
  if (tangents[2]) {
    require(op.unique_indices, Code::refused_rule,
            "jvp is refused: the derivative of a product by its updates is only known where no two of them "
            "meet; if none do, say so with .unique_indices = true");
    Array factors = apply_one(Gather{op.dims, sizes_of(op.dims, x.shape(), updates.shape())}, {x, indices});
    by_updates = apply_one(Scatter{ScatterKind::add, op.dims},
                           {zero_tangent(x.type()), indices, *tangents[2] * factors});
  }
  return sum_of(by_x, by_updates);
}

// The tangent of a maximum or minimum: the mean of those of the elements that are the result.
Array tangent_of_extreme(const Scatter& op, const Arrays& operands, const Tangents& tangents,
                         const Array& result) {
  const Array &x = operands[0], &indices = operands[1], &updates = operands[2];
  Gather of_updates{op.dims, sizes_of(op.dims, x.shape(), updates.shape())};
  Scatter added{ScatterKind::add, op.dims};
  Array is_kept = equal(x, result),
        is_nan = not_equal(x, x);  // which equals nothing, even if nothing meets it
  Array stays = convert(is_kept | is_nan, x.dtype());
  Array hits = convert(equal(updates, apply_one(of_updates, {result, indices})), x.dtype());
  Array t = tangents[0] ? *tangents[0] * stays : zero_tangent(x.type());
  Array s = tangents[2] ? *tangents[2] * hits : zero_tangent(updates.type());
  Array sum = apply_one(added, {t, indices, s}), count = apply_one(added, {stays, indices, hits});
  return sum / maximum(count, 1);
}

std::optional<ReduceKind> reduction_of(ScatterKind kind) {
  switch (kind) {
    case ScatterKind::add: return ReduceKind::sum;
    case ScatterKind::multiply: return ReduceKind::prod;
    case ScatterKind::min: return ReduceKind::min;
    case ScatterKind::max: return ReduceKind::max;
    case ScatterKind::replace: return {};
  }
  return {};
}

Array scattered(ScatterKind kind, const Operand& x, const Array& indices, const Operand& updates,
                const GatherDims& dims, const ScatterOptions& options) {
  Scatter op{kind, dims, options.unique_indices};
  return front_end(op.name(), x.where(), [&] {
    Array array = as_array(x, {updates}), windows = as_array(updates, {x}), wanted = indices;
    if (!updates.array()) {
      WindowSizes ones(static_cast<std::size_t>(array.rank()), 1);
      windows = broadcast_to(windows, windows_shape(dims, indices.type(), ones));
    }
    op.infer({array.type().with(AxisStates{}), indices.type().with(AxisStates{}),
              windows.type().with(AxisStates{})});
    if (options.mode == GatherMode::clip)
      wanted = brought_inside(dims, indices, array.shape(), sizes_of(dims, array.shape(), windows.shape()));
    return apply_one(op, {array, wanted, windows});
  });
}

}  // namespace

std::string_view Scatter::name() const {
  switch (kind) {
    case ScatterKind::add: return "scatter_add";
    case ScatterKind::replace: return "scatter";
    case ScatterKind::multiply: return "scatter_multiply";
    case ScatterKind::min: return "scatter_min";
    case ScatterKind::max: return "scatter_max";
  }
  return {};
}

About Scatter::about() const {
  switch (kind) {
    case ScatterKind::add:
      return {"An array to whose windows, one per index vector, updates are added.", "scatter_add"};
    case ScatterKind::replace:
      return {"An array of which windows, one per index vector, are replaced by updates.", "scatter"};
    case ScatterKind::multiply:
      return {"An array whose windows, one per index vector, are multiplied by updates.", "scatter_multiply"};
    case ScatterKind::min:
      return {"The smaller elements of updates and of an array's windows, one per index vector.",
              "scatter_min"};
    case ScatterKind::max:
      return {"The larger elements of updates and of an array's windows, one per index vector.",
              "scatter_max"};
  }
  return {};
}

std::vector<AxisStates> Scatter::wants(const Types& operands) const {
  return is_linear(kind) ? states_by_indices(operands, are_indices) : joined_states(operands, Mixing::alike);
}

Parameters Scatter::parameters() const {
  Parameters parameters = parameters_of(dims);
  if (unique_indices) parameters.emplace_back("unique_indices", "true");
  return parameters;
}

void ops::require_taken(ScatterKind kind, Type x) {
  switch (kind) {
    case ScatterKind::replace: return;
    case ScatterKind::add: return require_summable(x);
    case ScatterKind::multiply:
      return require(x.dtype() != DType::boolean, Code::dtype,
                     "{} is bool, which has no product; for \"and\" take the minimum, or convert it to i32",
                     x);
    case ScatterKind::min:
    case ScatterKind::max: return require_order(x);
  }
}

Types Scatter::infer(const Types& operands) const {
  const Type &x = operands[0], &indices = operands[1], &updates = operands[2];
  require_same_dtype(x, updates);
  require_taken(kind, x);
  require_window_dims(dims, x, indices, windows_rank(dims, indices), labels);
  require(updates.rank() == windows_rank(dims, indices), Code::shape,
          "the updates are {}, of rank {}; {} and these dims have windows of rank {} (scatter_c4)", updates,
          updates.rank(), indices, windows_rank(dims, indices));
  WindowSizes sizes = sizes_of(dims, x.shape(), updates.shape());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    require(sizes[i] <= x.shape().sizes()[i], Code::shape,
            "the updates are windows of {} along dim {} of {}, which has {}; they cannot be larger "
            "(scatter_c4)",
            counted(sizes[i], "element"), i, x, x.shape().sizes()[i]);
  require(updates.shape() == windows_shape(dims, indices, sizes), Code::shape,
          "the updates are {}, the windows of {} have the shape [{}] (scatter_c4)", updates, indices,
          windows_shape(dims, indices, sizes));
  return {x.with(is_linear(kind) ? agreed_states_by_indices(operands, are_indices)
                                 : agreed_states(operands, Mixing::alike))};
}

Kernel Scatter::kernel(const Layout& layout) const {
  Type x = layout.operands()[0], indices = layout.operands()[1], updates = layout.operands()[2];
  if (x.elements() == 0)  // no window lies inside; a collapsed dim would count as one element
    return kernel::Opaque{.nanoseconds = 20, .run = [](const kernel::Unit&) {}, .changes = 0};
  WindowSizes sizes = sizes_of(dims, x.shape(), updates.shape());
  Windows windows = windows_of(dims, x, indices, updates, sizes);
  if (rounds(kind) && is_half(x.dtype()) && may_meet(windows))
    return combined_in_f32(kind, dims, x, indices, updates, sizes);
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

Jvp Scatter::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (is_linear(kind)) return jvp_by_indices(*this, operands, tangents, are_indices);
  if (!tangents[0] && !tangents[2]) return constant_jvp(*this, operands);
  if (kind == ScatterKind::multiply) {
    std::optional<Array> tangent = tangent_of_product(*this, operands, tangents);
    return {tutti::apply(*this, operands), {tangent}};
  }
  Array result = apply_one(*this, operands);
  return {{result}, {tangent_of_extreme(*this, operands, tangents, result)}};
}

Tangents Scatter::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require_known_indices(operands, are_indices);
  const Array &ct = *cotangents[0], &indices = *operands[1].known;
  const Shape &array = operands[0].type.shape(), &updates = operands[2].type.shape();
  WindowSizes sizes = sizes_of(dims, array, updates);
  bool adds = kind == ScatterKind::add;
  Tangents result(3);
  if (operands[2].linear()) {  // reads ct first: then the cotangent of x may lie where ct does
    Array counts = adds || unique_indices ? lies_inside(dims, indices, array, sizes)
                                          : stays(dims, indices, array, updates, sizes);
    Array windows = apply_one(Gather{dims, sizes}, {ct, indices});
    result[2] = select(counts, windows, zero_tangent(windows.type()));
  }
  if (operands[0].linear())
    result[0] = adds ? ct : apply_one(*this, {ct, indices, zero_tangent(ct.type().with(updates))});
  return result;
}

std::string_view Scatter::refusal(Rule rule) const {
  if (rule != Rule::transpose || is_linear(kind)) return "";
  return "a product, maximum or minimum is not linear in both together";
}

BatchedArrays Scatter::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [indices, of_indices] = operands[1];
  bool of_data = operands[0].batched || operands[2].batched;
  if (!of_data && !of_indices)
    return {{apply_one(*this, {operands[0].array, indices, operands[2].array}), false}};
  Scatter op{kind, with_lanes(dims, true, of_indices), unique_indices};
  return {{apply_one(op, {materialised(operands[0], axis), indices, materialised(operands[2], axis)}), true}};
}

Lowered Scatter::lower(Emitter& emitter, const Lowered& operands) const {
  stablehlo::Attributes fields;
  auto add = [&](const char* field, const Dims& named) {
    if (!named.empty()) fields.push_back({field, stablehlo::integers(indices(named))});
  };
  add("update_window_dims", dims.offset_dims);
  add("inserted_window_dims", dims.collapsed_slice_dims);
  add("input_batching_dims", dims.operand_batching_dims);
  add("scatter_indices_batching_dims", dims.start_indices_batching_dims);
  add("scatter_dims_to_operand_dims", dims.start_index_map);
  fields.push_back({"index_vector_dim", stablehlo::integer(dims.index_vector_dim.index)});
  const stablehlo::Attributes attributes{{"scatter_dimension_numbers",
                                          stablehlo::record("scatter", std::move(fields))},
                                         {"indices_are_sorted", {false}},
                                         {"unique_indices", {false}}};
  const Type result = emitter.result_types()[0], scalar = result.with(Shape{});
  if (const std::optional<ReduceKind> reduction = reduction_of(kind))
    return {emitter.emit_with_reducer("stablehlo.scatter", *reduction, operands, result, attributes)};
  auto second = [](const Lowered& x) -> Lowered { return {x[1]}; };
  return emitter.emit_with_regions("stablehlo.scatter", operands, {result}, {{{scalar, scalar}, second}},
                                   attributes);
}

Array scatter(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
              const ScatterOptions& options) {
  return scattered(ScatterKind::replace, x, indices, updates, dims, options);
}

Array scatter_add(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                  const ScatterOptions& options) {
  return scattered(ScatterKind::add, x, indices, updates, dims, options);
}

Array scatter_multiply(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                       const ScatterOptions& options) {
  return scattered(ScatterKind::multiply, x, indices, updates, dims, options);
}

Array scatter_min(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                  const ScatterOptions& options) {
  return scattered(ScatterKind::min, x, indices, updates, dims, options);
}

Array scatter_max(const Operand& x, const Array& indices, const Operand& updates, const GatherDims& dims,
                  const ScatterOptions& options) {
  return scattered(ScatterKind::max, x, indices, updates, dims, options);
}

}  // namespace tutti
