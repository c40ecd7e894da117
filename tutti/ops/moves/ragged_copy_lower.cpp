// SPDX-License-Identifier: Apache-2.0
// ragged_copy by gather and scatter, for other machines.
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/gather.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/moves/ragged_copy.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

Array both(const Array& a, const Array& b) { return apply_one(Binary{BinaryFn::logical_and}, {a, b}); }

/// [B, X, rows]: the row on the other side for each row of X blocks, counted through the Y blocks of the
/// other side; -1 for rows in no slice. `here` and `there` are the columns of the slices, [B, X, Y*M],
/// `block` the block there.
struct Side {
  Array here, there;
  std::int64_t rows_here, rows_there;
};
Array rows_across(const Side& side, const Array& size, const Array& block) {
  Shape each = side.here.shape();  // [B, X, Y*M]
  Shape wide{each[0], each[1], side.rows_here, each[2]};
  auto spread = [&](const Array& x) { return broadcast_in_dim(x, wide, {0, 1, 3}); };
  Array row = iota(wide, side.here.dtype(), 2) - spread(side.here);  // in the slice
  Array across = row + spread(side.there);
  Array hit = both(both(row >= 0, row < spread(size)), both(across >= 0, across < side.rows_there));
  Array found = across + spread(block) * side.rows_there + 1;
  return reduce_sum(select(hit, found, zeros_like(found)), {3}) - 1;
}

/// Rows of the array with its three first dims as one.
Array as_rows(const Array& x) {
  std::vector<std::int64_t> sizes{x.shape()[0] * x.shape()[1] * x.shape()[2]};
  sizes.insert(sizes.end(), x.shape().begin() + 3, x.shape().end());
  return reshape(x, Shape(std::move(sizes)));
}

/// [B, X, rows] -> [B*X*rows]: also counted through the lanes; -1 stays.
Array through_lanes(const Array& rows, std::int64_t rows_of_lane) {
  Array lane = iota(rows.shape(), rows.dtype(), 0);
  return reshape(select(rows >= 0, rows + lane * rows_of_lane, rows), Shape{rows.shape().elements()});
}

GatherDims dims_of_rows(int rank) {
  Dims window;
  for (int i = 1; i < rank; ++i) window.push_back(Dim{i});
  return {window, {Dim{0}}, {}, {}, {Dim{0}}, Dim{1}};
}

Array in_dense_ops(Landing landing, const Array& operand, const Array& output, const Array& given) {
  Array slices = given.dtype() == DType::i64 ? given : convert(given, DType::i64);
  const std::int64_t sources = operand.shape()[1], source_rows = operand.shape()[2];
  const std::int64_t targets = output.shape()[1], target_rows = output.shape()[2];
  bool replaces = landing == Landing::replace;
  // [B, S, D, M] -> [B, X, Y*M], X the blocks whose rows are looked at.
  auto laid = [&](const Array& x) {
    Array by_block = replaces ? transpose(x, {0, 2, 1, 3}) : x;
    const Shape& s = by_block.shape();
    return reshape(by_block, Shape{s[0], s[1], s[2] * s[3]});
  };
  Array block = laid(iota(slices.shape().erased(Dim{4}), slices.dtype(), replaces ? 1 : 2));
  Array taken = laid(column_of(slices, SliceColumn::from)), size = laid(column_of(slices, SliceColumn::size)),
        landed = laid(column_of(slices, SliceColumn::to));
  if (replaces) {
    Array source = through_lanes(rows_across({landed, taken, target_rows, source_rows}, size, block),
                                 sources * source_rows);
    Array before = as_rows(output);
    if (operand.shape().elements() == 0 || before.shape().elements() == 0) return output;
    Array rows = take(as_rows(operand), source, 0);
    Array moved = broadcast_in_dim(source >= 0, before.shape(), {0});
    return reshape(select(moved, rows, before), output.shape());
  }
  Array target = through_lanes(rows_across({taken, landed, source_rows, target_rows}, size, block),
                               targets * target_rows);
  Array before = as_rows(output);
  return reshape(scatter_add(before, target, as_rows(operand), dims_of_rows(before.rank())), output.shape());
}

}  // namespace

Lowered RaggedCopy::lower(Emitter& emitter, const Lowered& operands) const {
  Types local;
  for (Type type : emitter.operand_types()) local.push_back(type.with(AxisStates{}));
  TracedProgram dense =
      trace(local, [&](const Arrays& x) { return Arrays{in_dense_ops(landing, x[0], x[1], x[2])}; });
  return emitter.lower(dense.program, operands);
}

}  // namespace tutti
