// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/bitwise_reduce.hpp"

#include <algorithm>

#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/positions.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {
namespace {

Array fold_rows(const Array& rows, ReduceKind kind) { return apply_one(Reduce{kind, {Dim{0}}}, {rows}); }

Array fold_all(const Array& x, const AllReduce& reduce, State to) {
  return fold_rows(all_gather(x, reduce.axes, Dim{0}, Stacking::new_dim, to, reduce.groups), reduce.kind);
}

/// Each device of a group of n folds one n-th of the elements.
Array fold_in_parts(const Array& x, const AllReduce& reduce, State to, int n) {
  const std::int64_t elements = x.shape().elements(), part = (elements + n - 1) / n;
  const Array flat = pad(reshape(x, {elements}), 0, {{.high = n * part - elements}});
  const AllToAll exchange{reduce.axes, Dim{0}, Dim{0}, Stacking::new_dim, reduce.groups};
  const Array own = fold_rows(apply_one(exchange, {reshape(flat, {n, part})}), reduce.kind);
  const Array all = all_gather(own, reduce.axes, Dim{0}, Stacking::tiled, to, reduce.groups);
  return reshape(slice_in_dim(all, 0, elements), x.shape());
}

Array fold_uneven_groups(const Array& x, const AllReduce& reduce) {
  const Array all = all_gather(x, reduce.axes, Dim{0}, Stacking::new_dim, State::invariant);
  return own_block(fold_groups(all, reduce.kind, reduce.axes, reduce.groups), reduce.axes, Dim{0},
                   Stacking::new_dim);
}

bool have_one_size(const Groups& groups) {
  return std::ranges::all_of(groups, [&](const auto& group) { return group.size() == groups[0].size(); });
}

}  // namespace

bool is_bitwise(const AllReduce& reduce, Type x) {
  const bool is_of_bits = reduce.kind == ReduceKind::logical_and || reduce.kind == ReduceKind::logical_or;
  return is_of_bits && x.dtype() != DType::boolean;
}

Program reduce_by_moves(const AllReduce& reduce, Type x) {
  const int n = group_size(reduce.groups, reduce.axes);
  const std::int64_t elements = x.shape().elements();
  const bool in_parts = 2 * ((elements + n - 1) / n) < elements;
  const State to = reduce.groups.empty() ? State::invariant : State::varying;
  const auto body = [&](const Arrays& in) -> Arrays {
    if (!have_one_size(reduce.groups)) return {fold_uneven_groups(in[0], reduce)};
    return {in_parts ? fold_in_parts(in[0], reduce, to, n) : fold_all(in[0], reduce, to)};
  };
  return trace({x}, body).program;
}

}  // namespace tutti
