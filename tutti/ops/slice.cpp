// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/slice.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {
namespace {

using Sizes = std::vector<std::int64_t>;

Slice whole(const Shape& shape) {
  auto rank = static_cast<std::size_t>(shape.rank());
  return {Sizes(rank, 0), shape.sizes(), Sizes(rank, 1)};
}

Array sliced(const Array& x, const Slice& op) { return op == whole(x.shape()) ? x : apply_one(op, {x}); }

}  // namespace

Parameters Slice::parameters() const {
  return {{"start", bracketed(start)}, {"limit", bracketed(limit)}, {"stride", bracketed(stride)}};
}

Types Slice::infer(const Types& operands) const {
  const Type& x = operands[0];
  for (const Sizes* given : {&start, &limit, &stride})
    require(static_cast<int>(given->size()) == x.rank(), Code::dim,
            "{} has {}, {} has {}; give start, limit and stride for each (slice_c2)", bracketed(*given),
            counted(std::ssize(*given), "entry", "entries"), x, counted(x.rank(), "dim"));
  Sizes sizes;
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::int64_t size = x.shape().sizes()[i];
    require(
        0 <= start[i] && start[i] <= limit[i] && limit[i] <= size, Code::shape,
        "elements {} to {} of dim {} of {}; start and limit lie between 0 and {}, in this order (slice_c3)",
        start[i], limit[i], i, x, size);
    require(stride[i] > 0, Code::shape,
            "stride {} in dim {}; a stride is at least 1 (slice_c4). To go backwards: rev", stride[i], i);
    sizes.push_back((limit[i] - start[i] + stride[i] - 1) / stride[i]);
  }
  return {x.with(Shape(std::move(sizes)))};
}

Kernel Slice::kernel(const Layout& layout) const {
  const Shape& to = layout.results()[0].shape();
  kernel::View view;
  for (int i = 0; i < to.rank(); ++i)
    view.digits.push_back(
        {to[i], kernel::along(Dim{i}, stride[static_cast<std::size_t>(i)]), kernel::along(Dim{i})});
  view.start = start;
  return view;
}

Jvp Slice::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// The cotangent's elements go back to their places, zeros stand between.
Tangents Slice::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  const Shape &from = operands[0].type.shape(), &to = cotangents[0]->shape();
  Pad back;
  for (std::size_t i = 0; i < start.size(); ++i) {
    std::int64_t n = to.sizes()[i], size = from.sizes()[i];
    std::int64_t end = n == 0 ? start[i] : start[i] + (n - 1) * stride[i] + 1;
    back.low.push_back(start[i]);
    back.high.push_back(size - end);
    back.interior.push_back(stride[i] - 1);
  }
  return {pad_with_zeros(*cotangents[0], back)};
}

BatchedArrays Slice::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  Slice op = *this;
  if (batched) {
    op.start.insert(op.start.begin(), 0);
    op.limit.insert(op.limit.begin(), axis.size);
    op.stride.insert(op.stride.begin(), 1);
  }
  return {{apply_one(op, {x}), batched}};
}

Lowered Slice::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.slice", operands, emitter.result_types()[0],
                       {{"start_indices", stablehlo::integers(start)},
                        {"limit_indices", stablehlo::integers(limit)},
                        {"strides", stablehlo::integers(stride)}})};
}

std::vector<Example> Slice::examples() {
  const Axes& axes = example_mesh().axes();
  Type row(DType::f64, {7}), matrix(DType::f64, {5, 6});
  return {
      {Slice{{2}, {6}, {1}}, {row}},
      {Slice{{0}, {7}, {3}}, {row.with(axes[0], varying)}},
      {Slice{{1, 0}, {5, 6}, {2, 1}}, {matrix.with(axes[1], unreduced).with(axes[2], reduced)}},
      {Slice{{1, 2}, {4, 3}, {1, 1}}, {matrix.with(axes[0], varying)}},
      {Slice{{0, 1, 0}, {2, 3, 4}, {1, 1, 3}}, {Type(DType::f32, {2, 3, 4})}},
      {Slice{{7}, {7}, {2}}, {row}},
      {Slice{{3, 0}, {3, 0}, {1, 1}}, {Type(DType::f32, {3, 0})}},
      {Slice{{1}, {4}, {2}}, {Type(DType::i32, {5}).with(axes[2], varying)}},
      {Slice{{0}, {2}, {1}}, {Type(DType::boolean, {3})}},
      {Slice{}, {Type(DType::i64, {})}},
  };
}

Array slice_in_dims(const Operand& x, const SliceOptions& options) {
  return front_end("slice_in_dims", x.where(), [&] {
    Array array = as_array(x);
    Slice op{options.start, options.limit, options.stride};
    if (op.stride.empty()) op.stride.assign(op.start.size(), 1);
    op.infer({array.type()});
    return sliced(array, op);
  });
}

Array slice_in_dim(const Operand& x, std::int64_t start, std::optional<std::int64_t> limit,
                   std::int64_t stride, int dim) {
  return front_end("slice_in_dim", x.where(), [&] {
    Array array = as_array(x);
    auto along_dim = static_cast<std::size_t>(as_dim(dim, array.type()).index);
    std::int64_t size = array.shape().sizes()[along_dim], end = limit.value_or(size);
    for (auto [name, written] : {std::pair{"start", start}, std::pair{"limit", end}})
      require(written >= -size, Code::shape, "{} {} counts from the end of dim {} of {}, which has {}", name,
              written, along_dim, array.type(), counted(size, "element"));
    Slice op = whole(array.shape());
    op.start[along_dim] = start < 0 ? start + size : start;
    op.limit[along_dim] = end < 0 ? end + size : end;
    op.stride[along_dim] = stride;
    op.infer({array.type()});
    return sliced(array, op);
  });
}

Array index_in_dim(const Operand& x, std::int64_t index, int dim) {
  return front_end("index_in_dim", x.where(), [&] {
    Array array = as_array(x);
    Dim from = as_dim(dim, array.type());
    std::int64_t size = array.shape()[from];
    require(-size <= index && index < size, Code::shape,
            "index {} is out of range for dim {} of {}, which has {}", index, from.index, array.type(),
            counted(size, "element"));
    std::int64_t start = index < 0 ? index + size : index;
    return reshape(slice_in_dim(array, start, start + 1, 1, from.index), array.shape().erased(from));
  });
}

}  // namespace tutti
