// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/window_dims.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/clamp.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/reduce.hpp"

namespace tutti {
namespace {

Dims joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool has_vector_dim(const GatherDims& dims, int indices_rank) {
  return dims.index_vector_dim.index < indices_rank;
}

// Dims of the indices that run through the vectors.
Dims vector_dims(const GatherDims& dims, int indices_rank) {
  Dims vectors = dims_of(indices_rank);
  std::erase(vectors, dims.index_vector_dim);
  return vectors;
}

std::vector<std::int64_t> strides_of(Type type) {
  std::vector<std::int64_t> strides(static_cast<std::size_t>(type.rank()));
  auto stride = static_cast<std::int64_t>(bytes_per_element(type.dtype()));
  for (int i = type.rank(); i-- > 0; stride *= type.shape()[i]) strides[static_cast<std::size_t>(i)] = stride;
  return strides;
}

std::int64_t at(const std::vector<std::int64_t>& numbers, Dim dim) {
  return numbers[static_cast<std::size_t>(dim.index)];
}

std::string label(const WindowLabels& labels, int number) { return fmt::format("{}_c{}", labels.op, number); }

void require_ascending(const Dims& dims, std::string_view what, const std::string& label) {
  require(std::ranges::is_sorted(dims), Code::dim, "{} dims {} are not in ascending order ({}); sort them",
          what, dims, label);
}

void require_batching(const GatherDims& dims, Type array, Type indices, const WindowLabels& labels) {
  require(dims.operand_batching_dims.size() == dims.start_indices_batching_dims.size(), Code::dim,
          "{} of {} and {} of {}; they go in pairs ({})",
          counted(std::ssize(dims.operand_batching_dims), "batching dim"), array,
          dims.start_indices_batching_dims.size(), indices, label(labels, labels.batching_count));
  for (std::size_t i = 0; i < dims.operand_batching_dims.size(); ++i) {
    Dim own = dims.operand_batching_dims[i], partner = dims.start_indices_batching_dims[i];
    require(array.shape()[own] == indices.shape()[partner], Code::shape,
            "dim {} of {} has size {}, its partner, dim {} of {}, has {}; they must be equal ({})", own.index,
            array, array.shape()[own], partner.index, indices, indices.shape()[partner],
            label(labels, labels.batching_sizes));
  }
}

void require_index_vectors(const GatherDims& dims, Type indices, const WindowLabels& labels) {
  require(0 <= dims.index_vector_dim.index && dims.index_vector_dim.index <= indices.rank(), Code::dim,
          "index_vector {} is out of range for {}; it is one of its dims, or its rank ({})",
          dims.index_vector_dim.index, indices, label(labels, labels.vector));
  std::int64_t length = has_vector_dim(dims, indices.rank()) ? indices.shape()[dims.index_vector_dim] : 1;
  require(static_cast<std::int64_t>(dims.start_index_map.size()) == length, Code::dim,
          "index_map {} names {}, the index vectors of {} have {}; name a dim for each ({})",
          dims.start_index_map, counted(std::ssize(dims.start_index_map), "dim"), indices,
          counted(length, "component"), label(labels, labels.map_size));
  require(!contains(dims.start_indices_batching_dims, dims.index_vector_dim), Code::dim,
          "dim {} of {} holds the index vectors, so it is no batching dim ({})", dims.index_vector_dim.index,
          indices, label(labels, labels.not_vector));
}

/// Adds an inner loop. Leaves out loops of size 1; joins the loop to the one around it if together they walk
/// through memory in even steps. Whole rows become one loop over consecutive elements.
void add_loop(std::vector<CopyLoop>& loops, const CopyLoop& inner) {
  if (inner.size == 1) return;
  if (!loops.empty() && loops.back().to_stride == inner.size * inner.to_stride &&
      loops.back().from_stride == inner.size * inner.from_stride)
    loops.back() = {loops.back().size * inner.size, inner.to_stride, inner.from_stride};
  else loops.push_back(inner);
}

// The last starts of windows that lie inside, one per component, in the indices' dtype and shape.
Array limits(const GatherDims& dims, const Array& indices, const Shape& array, const WindowSizes& sizes) {
  std::int64_t largest = indices.dtype() == DType::i32 ? std::numeric_limits<std::int32_t>::max()
                                                       : std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> values;
  for (Dim dim : dims.start_index_map) values.push_back(std::min(array[dim] - at(sizes, dim), largest));
  Tensor row(Shape{static_cast<std::int64_t>(values.size())}, DType::i64);
  std::ranges::copy(values, row.mutable_data<std::int64_t>());
  if (indices.dtype() == DType::i32) {
    Tensor narrow(row.shape(), DType::i32);
    std::ranges::transform(values, narrow.mutable_data<std::int32_t>(),
                           [](std::int64_t value) { return static_cast<std::int32_t>(value); });
    row = narrow;
  }
  if (!has_vector_dim(dims, indices.rank())) return broadcast_to(constant(row.reshaped({})), indices.shape());
  return insert_dims(constant(row), vector_dims(dims, indices.rank()), indices.shape());
}

}  // namespace

Parameters ops::parameters_of(const GatherDims& dims) {
  return {{"window", to_string(dims.offset_dims)},
          {"collapsed", to_string(dims.collapsed_slice_dims)},
          {"batching", to_string(dims.operand_batching_dims)},
          {"indices_batching", to_string(dims.start_indices_batching_dims)},
          {"index_map", to_string(dims.start_index_map)},
          {"index_vector", std::to_string(dims.index_vector_dim.index)}};
}

void ops::require_window_dims(const GatherDims& dims, Type array, Type indices, int windows_rank,
                              const WindowLabels& labels) {
  auto named = [&](int number) { return label(labels, number); };
  require_index(indices, named(labels.vector));
  Dims left_out = joined(dims.collapsed_slice_dims, dims.operand_batching_dims);
  require_in_range(dims.collapsed_slice_dims, array, named(labels.collapsed_range));
  require_in_range(dims.operand_batching_dims, array, named(labels.batching_range));
  require_distinct(left_out, array, named(labels.once));
  require_ascending(dims.collapsed_slice_dims, "collapsed", named(labels.collapsed_order));
  require_ascending(dims.operand_batching_dims, "batching", named(labels.batching_order));
  require_in_range(dims.start_indices_batching_dims, indices, named(labels.indices_batching_range));
  require_distinct(dims.start_indices_batching_dims, indices, named(labels.indices_batching_once));
  require_index_vectors(dims, indices, labels);
  require_batching(dims, array, indices, labels);
  require_in_range(dims.start_index_map, array, named(labels.map_range));
  require_distinct(joined(dims.start_index_map, dims.operand_batching_dims), array, named(labels.map_once));
  require(dims.offset_dims.size() + left_out.size() == static_cast<std::size_t>(array.rank()), Code::dim,
          "{} window, {} collapsed and {} batching dims do not make up the {} of {} ({})",
          dims.offset_dims.size(), dims.collapsed_slice_dims.size(), dims.operand_batching_dims.size(),
          counted(array.rank(), "dim"), array, named(labels.rank));
  require_ascending(dims.offset_dims, "window", named(labels.window_order));
  for (std::size_t i = 0; i < dims.offset_dims.size(); ++i) {
    require(0 <= dims.offset_dims[i].index && dims.offset_dims[i].index < windows_rank, Code::dim,
            "window dim {} is out of range for windows of rank {} ({})", dims.offset_dims[i].index,
            windows_rank, named(labels.window_range));
    require(i == 0 || dims.offset_dims[i - 1] != dims.offset_dims[i], Code::dim,
            "window dim {} is named twice; name each dim once ({})", dims.offset_dims[i].index,
            named(labels.window_order));
  }
}

int ops::windows_rank(const GatherDims& dims, Type indices) {
  return static_cast<int>(dims.offset_dims.size() + vector_dims(dims, indices.rank()).size());
}

Dims ops::window_dims_of_array(const GatherDims& dims, int rank) {
  return other_dims(rank, joined(dims.collapsed_slice_dims, dims.operand_batching_dims));
}

Shape ops::windows_shape(const GatherDims& dims, Type indices, const WindowSizes& sizes) {
  int rank = windows_rank(dims, indices);
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank));
  Dims own = window_dims_of_array(dims, static_cast<int>(sizes.size()));
  for (std::size_t i = 0; i < own.size(); ++i)
    shape[static_cast<std::size_t>(dims.offset_dims[i].index)] = at(sizes, own[i]);
  Dims vectors = vector_dims(dims, indices.rank()), outer = other_dims(rank, dims.offset_dims);
  for (std::size_t i = 0; i < vectors.size(); ++i)
    shape[static_cast<std::size_t>(outer[i].index)] = indices.shape()[vectors[i]];
  return Shape(std::move(shape));
}

Windows ops::windows_of(const GatherDims& dims, Type array, Type indices, Type windows,
                        const WindowSizes& sizes) {
  std::vector<std::int64_t> of_array = strides_of(array), of_indices = strides_of(indices),
                            of_windows = strides_of(windows);
  Windows layout;
  layout.index_dtype = indices.dtype();
  Dims vectors = vector_dims(dims, indices.rank()), outer = other_dims(windows.rank(), dims.offset_dims);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    auto partner = std::ranges::find(dims.start_indices_batching_dims, vectors[i]) -
                   dims.start_indices_batching_dims.begin();
    bool goes_along = partner < std::ssize(dims.start_indices_batching_dims);
    layout.batch.push_back(
        {indices.shape()[vectors[i]], at(of_indices, vectors[i]), at(of_windows, outer[i]),
         goes_along ? at(of_array, dims.operand_batching_dims[static_cast<std::size_t>(partner)]) : 0});
  }
  std::int64_t step = has_vector_dim(dims, indices.rank()) ? at(of_indices, dims.index_vector_dim) : 0;
  for (std::size_t k = 0; k < dims.start_index_map.size(); ++k) {
    Dim dim = dims.start_index_map[k];
    layout.starts.push_back(
        {static_cast<std::int64_t>(k) * step, at(of_array, dim), array.shape()[dim] - at(sizes, dim)});
  }
  Dims own = window_dims_of_array(dims, array.rank());
  for (std::size_t i = 0; i < own.size(); ++i)
    add_loop(layout.window, {at(sizes, own[i]), at(of_windows, dims.offset_dims[i]), at(of_array, own[i])});
  return layout;
}

Array ops::lies_inside(const GatherDims& dims, const Array& indices, const Shape& array,
                       const WindowSizes& sizes) {
  Array inside = (indices >= 0) & (indices <= limits(dims, indices, array, sizes));
  if (has_vector_dim(dims, indices.rank())) inside = reduce_and(inside, dims.index_vector_dim.index);
  return insert_dims(inside, dims.offset_dims, windows_shape(dims, indices.type(), sizes));
}

Array ops::brought_inside(const GatherDims& dims, const Array& indices, const Shape& array,
                          const WindowSizes& sizes) {
  return clamp(0, indices, limits(dims, indices, array, sizes));
}

stablehlo::Value ops::emit_brought_inside(Emitter& emitter, const GatherDims& dims, stablehlo::Value indices,
                                          const WindowSizes& sizes) {
  const Shape array = emitter.operand_types()[0].shape();
  const Type type = emitter.operand_types()[1].with(AxisStates{});
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  for (Dim dim : dims.start_index_map) last = std::min(last, array[dim] - at(sizes, dim));
  if (type.elements() == 0 || emitter.is_known_inside(indices, last)) return indices;
  const auto body = [&](const Arrays& x) {
    auto place = Builder::current().on_behalf_of({});  // none of their own: they get that of the equation
    return Arrays{brought_inside(dims, x[0], array, sizes)};
  };
  return emitter.lower(trace({type}, body).program, {indices})[0];
}

GatherDims ops::with_lanes(const GatherDims& dims, bool of_array, bool of_indices) {
  int array = of_array ? 1 : 0, indices = of_indices ? 1 : 0;
  GatherDims moved{shifted(dims.offset_dims, 1),
                   shifted(dims.collapsed_slice_dims, array),
                   shifted(dims.operand_batching_dims, array),
                   shifted(dims.start_indices_batching_dims, indices),
                   shifted(dims.start_index_map, array),
                   Dim{dims.index_vector_dim.index + indices}};
  if (of_array && of_indices) {
    moved.operand_batching_dims.insert(moved.operand_batching_dims.begin(), Dim{0});
    moved.start_indices_batching_dims.insert(moved.start_indices_batching_dims.begin(), Dim{0});
  } else if (of_array) {
    moved.offset_dims.insert(moved.offset_dims.begin(), Dim{0});
  }
  return moved;
}

}  // namespace tutti
