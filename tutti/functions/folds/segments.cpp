// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/segments.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

// One row of x per index.
GatherDims rows_of(const Array& x) {
  GatherDims dims{.offset_dims = {},
                  .collapsed_slice_dims = {Dim{0}},
                  .start_index_map = {Dim{0}},
                  .index_vector_dim = Dim{1}};
  for (int i = 1; i < x.rank(); ++i) dims.offset_dims.push_back(Dim{i});
  return dims;
}

Array as_row_numbers(const Array& segments) {
  if (segments.dtype() == DType::i32 || segments.dtype() == DType::i64) return segments;
  return convert(segments, bytes_per_element(segments.dtype()) < 4 ? DType::i32 : DType::i64);
}

// Zeros pass for the terms of an unreduced sum.
Array neutral_elements(ReduceKind kind, const Type& type) {
  if (kind == ReduceKind::sum) return zeros_of(type);
  Tensor none(Shape{}, type.dtype());
  write_neutral_element(kind, type.dtype(), none.mutable_bytes());
  return broadcast_to(constant(none), type.shape());
}

using ScatterBy = Array (*)(const Operand&, const Array&, const Operand&, const GatherDims&,
                            const ScatterOptions&);

Array of_segments(std::string_view name, ReduceKind kind, ScatterBy scatter_by, const Operand& x,
                  const Operand& segments, std::int64_t num_segments) {
  return front_end(name, x.where(), [&] {
    const Array rows = as_array(x), numbers = as_array(segments);
    require(num_segments >= 0, Code::shape, "{} segments; their number is 0 or more", num_segments);
    require(is_integer(numbers.dtype()), Code::dtype,
            "segments {} are not integers; convert them: "
            "convert(segments, DType::i32)",
            numbers.type());
    require(numbers.rank() == 1 && rows.rank() > 0 && numbers.dim(0) == rows.dim(0), Code::shape,
            "segments {} beside {}; there is one number for each row", numbers.type(), rows.type());
    require(!is_complex(rows.dtype()) || kind == ReduceKind::sum, Code::dtype,
            "{} is complex, which has no order; take its parts", rows.type());
    const Array start = neutral_elements(kind, rows.type().with(rows.shape().with(Dim{0}, num_segments)));
    return scatter_by(start, as_row_numbers(numbers), rows, rows_of(rows), {});
  });
}

}  // namespace

Array segment_sum(const Operand& x, const Operand& segments, std::int64_t num_segments) {
  return of_segments("segment_sum", ReduceKind::sum, scatter_add, x, segments, num_segments);
}

Array segment_max(const Operand& x, const Operand& segments, std::int64_t num_segments) {
  return of_segments("segment_max", ReduceKind::max, scatter_max, x, segments, num_segments);
}

Array segment_min(const Operand& x, const Operand& segments, std::int64_t num_segments) {
  return of_segments("segment_min", ReduceKind::min, scatter_min, x, segments, num_segments);
}

}  // namespace tutti
