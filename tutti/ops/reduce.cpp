// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reduce.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

bool is_of_bits(ReduceKind kind) { return kind == ReduceKind::logical_and || kind == ReduceKind::logical_or; }

// Bools as numbers, whose sum over `dims` is a count.
Array countable(const Array& bools, const Dims& dims) {
  std::int64_t most = 1;
  for (Dim dim : dims) most *= bools.shape()[dim];
  require(most <= std::numeric_limits<std::int32_t>::max(), Code::dtype,
          "{} has more bools to count than i32 can; count in i64: reduce_sum(convert(x, DType::i64))",
          bools.type());
  return convert(bools, DType::i32);
}

Array reduce(ReduceKind kind, const Operand& x, const WhichDims& which) {
  return front_end(Reduce{kind, {}}.name(), x.where(), [&] {
    Array array = as_array(x);
    Dims dims = which.resolve(array.type());
    if (kind == ReduceKind::sum && array.dtype() == DType::boolean) array = countable(array, dims);
    if (kind == ReduceKind::prod && array.dtype() == DType::boolean) array = convert(array, DType::i32);
    return dims.empty() ? array : apply_one(Reduce{kind, dims}, {array});
  });
}

}  // namespace

Array reduce_sum(const Operand& x, const WhichDims& dims) { return reduce(ReduceKind::sum, x, dims); }
Array reduce_prod(const Operand& x, const WhichDims& dims) { return reduce(ReduceKind::prod, x, dims); }
Array reduce_max(const Operand& x, const WhichDims& dims) { return reduce(ReduceKind::max, x, dims); }
Array reduce_min(const Operand& x, const WhichDims& dims) { return reduce(ReduceKind::min, x, dims); }
Array reduce_and(const Operand& x, const WhichDims& dims) { return reduce(ReduceKind::logical_and, x, dims); }
Array reduce_or(const Operand& x, const WhichDims& dims) { return reduce(ReduceKind::logical_or, x, dims); }

std::string_view Reduce::name() const {
  switch (kind) {
    case ReduceKind::sum: return "reduce_sum";
    case ReduceKind::prod: return "reduce_prod";
    case ReduceKind::max: return "reduce_max";
    case ReduceKind::min: return "reduce_min";
    case ReduceKind::logical_and: return "reduce_and";
    case ReduceKind::logical_or: return "reduce_or";
  }
  return {};
}

About Reduce::about() const {
  switch (kind) {
    case ReduceKind::sum: return {"The sum of the elements along some dims.", "reduce_sum, mean"};
    case ReduceKind::prod: return {"The product of the elements along some dims.", "reduce_prod, prod"};
    case ReduceKind::max: return {"The largest element along some dims; of bool: any.", "reduce_max"};
    case ReduceKind::min: return {"The smallest element along some dims; of bool: all.", "reduce_min"};
    case ReduceKind::logical_and:
      return {"The bits that are set in all elements along some dims.", "reduce_and"};
    case ReduceKind::logical_or:
      return {"The bits that are set in some element along some dims.", "reduce_or"};
  }
  return {};
}

Mixing Reduce::mixing() const { return kind == ReduceKind::sum ? Mixing::linear : Mixing::alike; }

Parameters Reduce::parameters() const { return {{"dims", to_string(dims)}}; }

Types Reduce::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_in_range(dims, x, "reduce_c4");
  require_distinct(dims, x, "reduce_c5");
  require(kind != ReduceKind::sum || x.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has no sum; to count, convert it first: convert(x, DType::i32); for \"any\", "
          "reduce_max",
          x);
  require(
      kind != ReduceKind::prod || x.dtype() != DType::boolean, Code::dtype,
      "{} is bool, which has no product; convert it first: convert(x, DType::i32); for \"all\", reduce_min",
      x);
  require(!is_of_bits(kind) || !is_inexact(x.dtype()), Code::dtype,
          "{} is {}, which has no bits to combine; compare it first: not_equal(x, 0)", x,
          is_float(x.dtype()) ? "float" : "complex");
  if (kind != ReduceKind::sum && kind != ReduceKind::prod) require_order(x);
  std::vector<std::int64_t> sizes;
  for (Dim dim : other_dims(x.rank(), dims)) sizes.push_back(x.shape()[dim]);
  return {Type(x.dtype(), Shape(std::move(sizes)), agreed_states(operands, mixing()))};
}

Kernel Reduce::kernel(const Layout&) const {
  kernel::ReduceDims fold{kind, dims};
  std::ranges::sort(fold.dims);
  return fold;
}

namespace {

// Moves the folded dims to the front and joins them into one.
Array with_factors_first(const Array& x, const Dims& dims) {
  std::vector<int> order;
  for (Dim dim : dims) order.push_back(dim.index);
  std::vector<std::int64_t> sizes{1};
  for (Dim dim : dims) sizes[0] *= x.shape()[dim];
  for (Dim dim : other_dims(x.rank(), dims)) {
    order.push_back(dim.index);
    sizes.push_back(x.shape()[dim]);
  }
  return reshape(tutti::transpose(x, order), Shape(std::move(sizes)));
}

// The tangent of a product by halves, a b and a' b + a b', as in jax.lax.reduce_prod: no factor is divided
// by.
Array tangent_of_product(const Array& x, const Array& tangent, const Dims& dims) {
  Array value = with_factors_first(x, dims), change = with_factors_first(tangent, dims);
  while (value.dim(0) > 1) {
    const std::int64_t n = value.dim(0), half = n / 2;
    auto first = [&](const Array& a) { return slice_in_dim(a, 0, half); };
    auto second = [&](const Array& a) { return slice_in_dim(a, half, 2 * half); };
    Array v1 = first(value), v2 = second(value), c1 = first(change), c2 = second(change);
    Array product = v1 * v2, left = c1 * v2, right = v1 * c2, joint = left + right;
    if (n % 2 == 1) {
      product = concatenate({product, slice_in_dim(value, n - 1, n)});
      joint = concatenate({joint, slice_in_dim(change, n - 1, n)});
    }
    value = product;
    change = joint;
  }
  return index_in_dim(change, 0);
}

}  // namespace

// For max and min, the elements that equal the result share its derivative.
Jvp Reduce::jvp(const Arrays& operands, const Tangents& tangents) const {
  const Array& x = operands[0];
  if (kind == ReduceKind::sum) return linear_jvp(*this, operands, tangents);
  if (is_of_bits(kind)) return constant_jvp(*this, operands);
  bool folds_nothing = x.type().elements() == 0;  // the result is the neutral element
  if (folds_nothing) return constant_jvp(*this, operands);
  if (kind == ReduceKind::prod)
    return {{apply_one(*this, operands)}, {tangent_of_product(x, *tangents[0], dims)}};
  Array best = apply_one(*this, operands);
  Array hit = convert(equal(x, insert_dims(best, dims, x.shape())), x.dtype());
  Array sum = reduce_sum(hit * *tangents[0], dims);
  return {{best}, {sum / reduce_sum(hit, dims)}};
}

Tangents Reduce::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  return {insert_dims(*cotangents[0], dims, operands[0].type.shape())};
}

std::string_view Reduce::refusal(Rule rule) const {
  if (rule != Rule::transpose || kind == ReduceKind::sum) return "";
  if (kind == ReduceKind::prod) return "a product is not linear";
  return is_of_bits(kind) ? "bits have no cotangent" : "a maximum or minimum is not linear";
}

BatchedArrays Reduce::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{apply_one(Reduce{kind, shifted(dims, batched ? 1 : 0)}, {x}), batched}};
}

Lowered Reduce::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit_with_reducer("stablehlo.reduce", kind, operands, emitter.result_types()[0],
                                    {{"dimensions", stablehlo::integers(indices(dims))}})};
}

std::vector<Example> Reduce::examples() {
  const Axes& axes = example_mesh().axes();
  const Dims first{Dim{0}}, last{Dim{1}}, both{Dim{0}, Dim{1}}, outer{Dim{2}, Dim{0}};
  Type matrix(DType::f64, {3, 5}), box(DType::f32, {2, 3, 4});
  std::vector<Example> examples;
  for (ReduceKind kind : {ReduceKind::sum, ReduceKind::prod, ReduceKind::max, ReduceKind::min}) {
    examples.push_back({Reduce{kind, first}, {matrix}});
    examples.push_back({Reduce{kind, last}, {matrix.with(axes[0], varying)}});
    examples.push_back({Reduce{kind, both}, {matrix.with(axes[2], reduced)}});
    examples.push_back({Reduce{kind, outer}, {box.with(axes[1], varying)}});
    examples.push_back({Reduce{kind, first}, {Type(DType::i32, {7})}});
    examples.push_back({Reduce{kind, last}, {Type(DType::f32, {2, 0})}});
    examples.push_back({Reduce{kind, {}}, {Type(DType::f32, {})}});
    for (DType dtype : more_dtypes())
      for (const Dims& dims : {first, last})
        if (kind == ReduceKind::sum || kind == ReduceKind::prod || !is_complex(dtype))
          examples.push_back({Reduce{kind, dims}, {Type(dtype, {3, 5}).with(axes[0], varying)}});
  }
  examples.push_back(
      {Reduce{ReduceKind::sum, last}, {matrix.with(axes[0], unreduced).with(axes[1], reduced)}});
  examples.push_back({Reduce{ReduceKind::max, last}, {Type(DType::boolean, {2, 3})}});
  examples.push_back({Reduce{ReduceKind::min, first}, {Type(DType::boolean, {3}).with(axes[0], varying)}});
  for (ReduceKind kind : {ReduceKind::logical_and, ReduceKind::logical_or}) {
    examples.push_back({Reduce{kind, first}, {Type(DType::boolean, {3, 5})}});
    examples.push_back({Reduce{kind, last}, {Type(DType::boolean, {3, 5}).with(axes[0], varying)}});
    examples.push_back({Reduce{kind, outer}, {Type(DType::boolean, {2, 3, 4}).with(axes[1], reduced)}});
    examples.push_back({Reduce{kind, both}, {{Type(DType::i32, {3, 5}).with(axes[0], varying), -99, 99}}});
    examples.push_back({Reduce{kind, first}, {{Type(DType::i64, {3, 5}), -99, 99}}});
    examples.push_back({Reduce{kind, last}, {Type(DType::i32, {2, 0})}});
    examples.push_back({Reduce{kind, {}}, {Type(DType::boolean, {})}});
    for (DType dtype : more_dtypes())
      if (is_integer(dtype)) examples.push_back({Reduce{kind, first}, {{Type(dtype, {3, 5}), 0, 99}}});
  }
  return examples;
}

}  // namespace tutti
