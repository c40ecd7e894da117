// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/window_starts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {
namespace {

/// A scalar of i32 or i64; the largest one for a value that is larger.
Tensor index_of(DType dtype, std::int64_t value) {
  if (dtype == DType::i64) return Tensor::scalar(value);
  return Tensor::scalar(
      static_cast<std::int32_t>(std::min<std::int64_t>(value, std::numeric_limits<std::int32_t>::max())));
}

}  // namespace

void require_starts(Type x, const Types& starts, std::string_view count_label, std::string_view dtype_label) {
  require(static_cast<int>(starts.size()) == x.rank(), Code::dim,
          "{} for {}, which has {}; give one for each ({})", counted(std::ssize(starts), "start"), x,
          counted(x.rank(), "dim"), count_label);
  for (Type start : starts) {
    require(start.rank() == 0, Code::shape, "a start is {}, not a scalar ({})", start, dtype_label);
    require_index(start, dtype_label);
    require_same_dtype(starts[0], start);
  }
}

std::int64_t WindowInMemory::offset(std::span<const std::byte* const> starts) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    std::int64_t start = 0;
    if (start_dtype == DType::i64) {
      std::memcpy(&start, starts[i], sizeof start);
    } else {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, starts[i], sizeof narrow);
      start = narrow;
    }
    offset += std::clamp<std::int64_t>(start, 0, limits[i]) * loops[i].from_stride;
  }
  return offset;
}

WindowInMemory window_in_memory(Type array, const Shape& window, DType start_dtype) {
  WindowInMemory made;
  made.start_dtype = start_dtype;
  made.element_bytes = bytes_per_element(array.dtype());
  auto from = static_cast<std::int64_t>(made.element_bytes), to = from;
  for (int i = array.rank(); i-- > 0; from *= array.shape()[i], to *= window[i]) {
    made.loops.insert(made.loops.begin(), {window[i], to, from});
    made.limits.insert(made.limits.begin(), array.shape()[i] - window[i]);
  }
  return made;
}

Arrays as_starts(const std::vector<Operand>& starts) {
  DType dtype = DType::i32;
  for (auto start = starts.rbegin(); start != starts.rend(); ++start)
    if (start->array()) dtype = start->array()->dtype();
  Arrays arrays;
  for (const Operand& start : starts)
    arrays.push_back(start.array() ? *start.array() : constant(as_scalar(*start.number(), dtype)));
  return arrays;
}

std::vector<Operand> start_in_dim(Type x, const Operand& start, Dim dim) {
  std::vector<Operand> starts;
  for (int i = 0; i < x.rank(); ++i) starts.push_back(Dim{i} == dim ? start : Operand(0, start.where()));
  return starts;
}

Lowered with_starts_inside(Emitter& emitter, const Lowered& operands, std::size_t first,
                           const Shape& window) {
  const Types types = emitter.operand_types();
  Lowered inside = operands;
  for (std::size_t i = first; i < inside.size(); ++i) {
    const Dim dim{static_cast<int>(i - first)};
    const std::int64_t last = types[0].shape()[dim] - window[dim];
    if (emitter.is_known_inside(inside[i], last)) continue;
    const auto bound = [&](std::int64_t value) {
      return emitter.constant(index_of(types[i].dtype(), value));
    };
    inside[i] = emitter.emit("stablehlo.clamp", {bound(0), inside[i], bound(last)}, types[i]);
  }
  return inside;
}

Array vectors_of_starts(const BatchedArrays& starts, const Axis& axis) {
  Arrays columns;
  for (const Batched& start : starts) columns.push_back(reshape(materialised(start, axis), {axis.size, 1}));
  return concatenate(columns, 1);
}

GatherDims windows_of_lanes(int rank, bool array_has_lanes) {
  int lanes = array_has_lanes ? 1 : 0;
  GatherDims dims{.offset_dims = shifted(dims_of(rank), 1),
                  .start_index_map = shifted(dims_of(rank), lanes),
                  .index_vector_dim = Dim{1}};
  if (array_has_lanes) dims.operand_batching_dims = dims.start_indices_batching_dims = {Dim{0}};
  return dims;
}

}  // namespace tutti
