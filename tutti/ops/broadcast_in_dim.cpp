// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/types/counted_dim.hpp"

namespace tutti {
namespace {

// How the dims of the operand that are not repeated stand in the result.
struct KeptDims {
  Dims ascending;  // of the result
  Dims in_operand_order;
};

KeptDims kept_dims(const Shape& from, const Shape& to, const Dims& dims) {
  KeptDims kept;
  for (int i = 0; i < from.rank(); ++i) {
    Dim dim = dims[static_cast<std::size_t>(i)];
    if (from[i] == to[dim]) kept.in_operand_order.push_back(dim);
  }
  kept.ascending = kept.in_operand_order;
  std::ranges::sort(kept.ascending);
  return kept;
}

}  // namespace

Parameters BroadcastInDim::parameters() const {
  return {{"to", "[" + to_string(to) + "]"}, {"dims", to_string(dims)}};
}

Types BroadcastInDim::infer(const Types& operands) const {
  const Type& x = operands[0];
  Type result = x.with(to);
  if (static_cast<int>(dims.size()) != x.rank())
    fail(Code::dim, "dims {} are {}, {} has {}; name a dim of the result for each (broadcast_in_dim_c2)",
         to_string(dims), dims.size(), to_string(x), x.rank());
  require_in_range(dims, result, "broadcast_in_dim_c3");
  require_distinct(dims, result, "broadcast_in_dim_c4");
  for (int i = 0; i < x.rank(); ++i) {
    Dim dim = dims[static_cast<std::size_t>(i)];
    if (x.shape()[i] != 1 && x.shape()[i] != to[dim])
      fail(Code::shape,
           "dim {} of {} has size {} and becomes dim {} of [{}], of size {}; sizes must be equal, or the "
           "operand's 1 (broadcast_in_dim_c5)",
           i, to_string(x), x.shape()[i], dim.index, to_string(to), to[dim]);
  }
  return {result};
}

Kernel BroadcastInDim::kernel(const Layout& layout) const {
  const Shape& from = layout.operands()[0].shape();
  kernel::View view;
  for (int i = 0; i < to.rank(); ++i) view.digits.push_back({to[i], kernel::nowhere, kernel::along(Dim{i})});
  for (int i = 0; i < from.rank(); ++i) {
    kernel::Digit& digit = view.digits[static_cast<std::size_t>(dims[static_cast<std::size_t>(i)].index)];
    if (from[i] == digit.size) digit.from = kernel::along(Dim{i});
  }
  return view;
}

Jvp BroadcastInDim::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// Sum over what was repeated; then the dims stand in their order in the result.
Tangents BroadcastInDim::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  const Shape& from = operands[0].type.shape();
  KeptDims kept = kept_dims(from, to, dims);
  Array sum = reduce_sum(*cotangents[0], other_dims(to.rank(), kept.ascending));
  std::vector<int> permutation;
  for (Dim dim : kept.in_operand_order)
    permutation.push_back(static_cast<int>(std::ranges::find(kept.ascending, dim) - kept.ascending.begin()));
  return {reshape(tutti::transpose(sum, permutation), from)};
}

BatchedArrays BroadcastInDim::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  if (!batched) return {{apply_one(*this, {x}), false}};
  Dims behind = shifted(dims, 1);
  behind.insert(behind.begin(), Dim{0});
  return {{apply_one(BroadcastInDim{to.inserted(Dim{0}, axis.size), behind}, {x}), true}};
}

Lowered BroadcastInDim::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.broadcast_in_dim", operands, emitter.result_types()[0],
                       {{"broadcast_dimensions", stablehlo::integers(indices(dims))}})};
}

std::vector<Example> BroadcastInDim::examples() {
  const Axes& axes = example_mesh().axes();
  Type row(DType::f64, {3}), column(DType::f32, {5, 1}), matrix(DType::f64, {2, 3});
  return {
      {BroadcastInDim{{4, 3}, {Dim{1}}}, {row}},
      {BroadcastInDim{{4, 3}, {Dim{1}}}, {row.with(axes[0], varying)}},
      {BroadcastInDim{{4, 3}, {Dim{1}}}, {row.with(axes[1], unreduced).with(axes[2], reduced)}},
      {BroadcastInDim{{5, 3}, {Dim{0}, Dim{1}}}, {column}},
      {BroadcastInDim{{3, 2, 2}, {Dim{2}, Dim{0}}}, {matrix}},
      {BroadcastInDim{{2, 5}, {}}, {Type(DType::f32, {})}},
      {BroadcastInDim{{1, 5, 1}, {Dim{1}, Dim{2}}}, {column.with(axes[2], varying)}},
      {BroadcastInDim{{0, 3}, {Dim{0}, Dim{1}}}, {Type(DType::f32, {1, 3})}},
      {BroadcastInDim{{7, 2}, {Dim{1}}}, {Type(DType::i32, {2})}},
      {BroadcastInDim{{3}, {}}, {Type(DType::boolean, {})}},
  };
}

Array broadcast_in_dim(const Operand& x, const Shape& to, const std::vector<int>& dims) {
  return front_end(BroadcastInDim::name, x.where(), [&] {
    Array array = as_array(x);
    Dims places;
    for (int dim : dims)
      places.push_back(
          counted_dim(dim, to.rank(), [&] { return fmt::format("the result [{}]", to_string(to)); }));
    return apply_one(BroadcastInDim{to, places}, {array});
  });
}

Array broadcast_to(const Operand& x, const Shape& to) {
  return front_end("broadcast_to", x.where(), [&] {
    Array array = as_array(x);
    if (array.rank() > to.rank())
      fail(Code::shape, "{} has {}, more than [{}]; reshape or reduce it first", to_string(array.type()),
           counted(array.rank(), "dim"), to_string(to));
    if (array.shape() == to) return array;
    return apply_one(BroadcastInDim{to, shifted(dims_of(array.rank()), to.rank() - array.rank())}, {array});
  });
}

Array ops::insert_dims(const Array& x, const Dims& dims, const Shape& to) {
  return dims.empty() ? x : apply_one(BroadcastInDim{to, other_dims(to.rank(), dims)}, {x});
}

Array ops::insert_dim(const Array& x, Dim dim, std::int64_t size) {
  return insert_dims(x, {dim}, x.shape().inserted(dim, size));
}

Array expand_dims(const Operand& x, int dim) {
  return front_end("expand_dims", x.where(), [&] {
    Array array = as_array(x);
    const auto longer = [&] { return fmt::format("{} with one dim more", to_string(array.type())); };
    return insert_dim(array, counted_dim(dim, array.rank() + 1, longer), 1);
  });
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  int rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank));
  for (int i = 1; i <= rank; ++i) {
    std::int64_t m = i <= a.rank() ? a[a.rank() - i] : 1, n = i <= b.rank() ? b[b.rank() - i] : 1;
    if (m != n && m != 1 && n != 1)
      fail(Code::shape,
           "shapes [{}] and [{}] do not broadcast: {} and {} in dim {} from the end; sizes must be equal, or "
           "1",
           to_string(a), to_string(b), m, n, i);
    sizes[static_cast<std::size_t>(rank - i)] = m == 1 ? n : m;
  }
  return Shape(std::move(sizes));
}

}  // namespace tutti
