// SPDX-License-Identifier: Apache-2.0
// The dimension numbers of gather and scatter: which windows of an array a table of indices names.
#pragma once

#include <span>

#include "tutti/ir/rules.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/tensor/loops/plain/windows.hpp"

namespace tutti {

/// The dimension numbers of gather, by StableHLO's names; scatter takes the same (docs/numpy.md). The indices
/// hold vectors along `index_vector_dim`. Component k of a vector is where a window starts along dim
/// start_index_map[k] of the array; windows start at 0 along the other dims. The windows of all vectors are
/// one array (the result of gather, the updates of scatter): its `offset_dims` run through a window, its
/// other dims through the vectors.
/// Source: https://openxla.org/stablehlo/spec#gather
struct GatherDims {
  ops::Dims offset_dims;  // of the windows, ascending: one per dim of the array that is in neither of:
  ops::Dims collapsed_slice_dims = {};         // of the array: windows have size 1 there
  ops::Dims operand_batching_dims = {};        // of the array: these go along with
  ops::Dims start_indices_batching_dims = {};  // these of the indices
  ops::Dims start_index_map;                   // of the array, one per component of a vector
  Dim index_vector_dim;  // of the indices; their rank: every index is a vector by itself

  bool operator==(const GatherDims&) const = default;
};

/// The same under the names of earlier versions.
struct [[deprecated("write GatherDims, whose members have StableHLO's names")]] WindowDims {
  ops::Dims window, collapsed = {}, batching = {}, indices_batching = {}, index_map;
  Dim index_vector;

  /// The same numbers under their new names.
  operator GatherDims() const {
    return {window, collapsed, batching, indices_batching, index_map, index_vector};
  }
};

}  // namespace tutti

namespace tutti::ops {

Parameters parameters_of(const GatherDims& dims);

}  // namespace tutti::ops

namespace tutti {

/// Window sizes along all dims of the array.
using WindowSizes = std::vector<std::int64_t>;

}  // namespace tutti

namespace tutti::ops {

/// Numbers of the constraints as StableHLO counts them for each op: "gather_c5".
struct WindowLabels {
  std::string_view op;
  int rank, vector, map_size, window_order, window_range, once, collapsed_order, collapsed_range,
      batching_order, batching_range, indices_batching_once, indices_batching_range, not_vector,
      batching_count, batching_sizes, map_once, map_range;
};
/// Throws T005, T006 or T007 where the numbers do not fit the array and the indices; `windows_rank` is that
/// of the array of all windows.
void require_window_dims(const GatherDims& dims, Type array, Type indices, int windows_rank,
                         const WindowLabels& labels);

/// The rank, and then the shape, of the array of all windows.
int windows_rank(const GatherDims& dims, Type indices);
Shape windows_shape(const GatherDims& dims, Type indices, const WindowSizes& sizes);
/// Dims of the array that run through a window, ascending.
Dims window_dims_of_array(const GatherDims& dims, int rank);

/// The same as loops over memory.
Windows windows_of(const GatherDims& dims, Type array, Type indices, Type windows, const WindowSizes& sizes);

/// Bool: does the window lie inside? In the shape of the array of windows.
Array lies_inside(const GatherDims& dims, const Array& indices, const Shape& array, const WindowSizes& sizes);
/// The indices brought so far that their windows lie inside.
Array brought_inside(const GatherDims& dims, const Array& indices, const Shape& array,
                     const WindowSizes& sizes);

/// The same in StableHLO; indices that are known to be right stay as they are.
stablehlo::Value emit_brought_inside(Emitter& emitter, const GatherDims& dims, stablehlo::Value indices,
                                     const WindowSizes& sizes);

/// The numbers under a batch dim 0 of the array and of the windows (the array's goes along with the indices'
/// if they have one too, else runs through a window), or of the indices and of the windows.
GatherDims with_lanes(const GatherDims& dims, bool of_array, bool of_indices);

}  // namespace tutti::ops
