// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/pad.hpp"

#include <algorithm>
#include <cmath>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/tensor/loops/copies.hpp"

namespace tutti {
namespace {

using Sizes = std::vector<std::int64_t>;

std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// The elements of one dim that are still there, and where they stand.
struct KeptElements {
  std::int64_t first, count, at, step;
};

KeptElements kept_of(std::int64_t size, std::int64_t low, std::int64_t high, std::int64_t interior) {
  std::int64_t step = interior + 1, spread = size == 0 ? 0 : (size - 1) * step + 1,
               result = low + spread + high;
  std::int64_t first = low < 0 ? rounded_up(-low, step) : 0;
  std::int64_t end = std::min(size, result <= low ? 0 : rounded_up(result - low, step));
  return {first, std::max<std::int64_t>(end - first, 0), low + first * step, step};
}

Sizes row_major_strides(Type type) {
  Sizes strides(static_cast<std::size_t>(type.rank()));
  auto stride = static_cast<std::int64_t>(bytes_per_element(type.dtype()));
  for (int i = type.rank(); i-- > 0; stride *= type.shape()[i]) strides[static_cast<std::size_t>(i)] = stride;
  return strides;
}

// Padding below and above in each dim, as wide as what is left in the dims before it. The last block has the
// elements of x that are left.
std::vector<kernel::Opaque::Block> blocks_of(const std::vector<KeptElements>& kept, const Sizes& result) {
  std::vector<kernel::Opaque::Block> blocks;
  kernel::Opaque::Block block{1, Sizes(result.size(), 0), result, {}};
  const auto add_padding = [&](std::size_t dim, std::int64_t begin, std::int64_t end) {
    if (begin == end) return;
    blocks.push_back(block);
    blocks.back().begin[dim] = begin;
    blocks.back().size[dim] = end - begin;
    blocks.back().from.clear();  // it is all one element
  };
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const KeptElements& k = kept[i];
    if (k.count == 0) {
      add_padding(i, 0, result[i]);
      return blocks;
    }
    add_padding(i, 0, k.at);
    add_padding(i, k.at + k.count, result[i]);
    block.begin[i] = k.at;
    block.size[i] = k.count;
    block.from.push_back(k.first);
  }
  block.operand = 0;
  blocks.push_back(std::move(block));
  return blocks;
}

// Copies a block into the result. The first loop is over rows.
struct BlockCopy {
  std::size_t operand;
  std::int64_t row;       // of the result: the block begins there
  std::int64_t from, to;  // bytes to the first element
  std::vector<CopyLoop> loops;

  // Copies the rows that the block has of unit.lines.
  void run(const kernel::Unit& unit, std::size_t element_bytes) const {
    const CopyLoop& rows = loops[0];
    const std::int64_t first = std::max(row, unit.lines.begin),
                       end = std::min(row + rows.size, unit.lines.end);
    if (first >= end) return;
    std::vector<CopyLoop> some;
    if (end - first < rows.size) {
      some = loops;
      some[0].size = end - first;
    }
    strided_copy(unit.results[0] + to + (first - row) * rows.to_stride,
                 unit.operands[operand] + from + (first - row) * rows.from_stride,
                 some.empty() ? loops : some, element_bytes);
  }
};

BlockCopy copy_of(const kernel::Opaque::Block& block, Type x, Type result) {
  const bool is_padding = block.operand == 1;
  const Sizes from = row_major_strides(x), to = row_major_strides(result);
  BlockCopy copy{block.operand, to.empty() ? 0 : block.begin[0], 0, 0, {}};
  for (std::size_t i = 0; i < to.size(); ++i) {
    copy.loops.push_back({block.size[i], to[i], is_padding ? 0 : from[i]});
    copy.to += block.begin[i] * to[i];
    if (!is_padding) copy.from += block.from[i] * from[i];
  }
  if (to.empty()) copy.loops.push_back({1, 0, 0});
  return copy;
}

// Bool: true where the result of `pad` on x holds the value.
Array is_padding(const Pad& pad, const Shape& x) {
  Array inside = broadcast_to(constant(Tensor::scalar(false)), x);
  return apply_one(pad, {inside, constant(Tensor::scalar(true))});
}

}  // namespace

Parameters Pad::parameters() const {
  return {{"low", bracketed(low)}, {"high", bracketed(high)}, {"interior", bracketed(interior)}};
}

Types Pad::infer(const Types& operands) const {
  const Type &x = operands[0], &value = operands[1];
  require_same_dtype(x, value);
  require(value.rank() == 0, Code::shape, "the padding is {}, not a scalar; the same value goes everywhere",
          value);
  for (const Sizes* given : {&low, &high, &interior})
    require(static_cast<int>(given->size()) == x.rank(), Code::dim,
            "{} has {}, {} has {}; give low, high and interior for each (pad_c2)", bracketed(*given),
            counted(std::ssize(*given), "entry", "entries"), x, counted(x.rank(), "dim"));
  Sizes sizes;
  for (std::size_t i = 0; i < low.size(); ++i) {
    std::int64_t size = x.shape().sizes()[i];
    require(interior[i] >= 0, Code::shape,
            "interior {} in dim {}; it is at least 0 (pad_c3). To leave elements out: slice_in_dim",
            interior[i], i);
    constexpr double most = 0x1p58;  // as of any shape
    double between = static_cast<double>(interior[i]) * static_cast<double>(size);
    require(std::abs(static_cast<double>(low[i])) < most && std::abs(static_cast<double>(high[i])) < most &&
                between < most,
            Code::shape, "low {}, high {} and interior {} in dim {} are beyond 2^58; make them smaller",
            low[i], high[i], interior[i], i);
    sizes.push_back(low[i] + size + std::max<std::int64_t>(size - 1, 0) * interior[i] + high[i]);
    require(sizes.back() >= 0, Code::shape,
            "low {} and high {} leave {} elements in dim {} of {}; take away less (pad_c4)", low[i], high[i],
            sizes.back(), i, x);
  }
  return {Type(x.dtype(), Shape(std::move(sizes)), agreed_states(operands, mixing()))};
}

Kernel Pad::kernel(const Layout& layout) const {
  Type x = layout.operands()[0], result = layout.results()[0];
  std::vector<KeptElements> all_kept;
  for (std::size_t i = 0; i < low.size(); ++i)
    all_kept.push_back(kept_of(x.shape().sizes()[i], low[i], high[i], interior[i]));
  const double bytes = static_cast<double>(result.bytes());
  if (std::ranges::all_of(interior, [](std::int64_t between) { return between == 0; })) {
    std::vector<kernel::Opaque::Block> blocks = blocks_of(all_kept, result.shape().sizes());
    std::vector<BlockCopy> copies;
    for (const kernel::Opaque::Block& block : blocks)
      if (std::ranges::all_of(block.size, [](std::int64_t size) { return size > 0; }))
        copies.push_back(copy_of(block, x, result));
    const std::int64_t rows = result.rank() == 0 ? 1 : result.shape().sizes()[0];
    return kernel::Opaque{.nanoseconds = 20 + 0.07 * bytes,  // 14 GB/s
                          .run =
                              [copies, element = bytes_per_element(x.dtype())](const kernel::Unit& unit) {
                                for (const BlockCopy& copy : copies) copy.run(unit, element);
                              },
                          .blocks = std::move(blocks),
                          .shared = {rows}};
  }
  const Sizes from = row_major_strides(x), to = row_major_strides(result);
  std::int64_t start = 0, place = 0;
  std::vector<CopyLoop> loops;
  for (std::size_t i = 0; i < all_kept.size(); ++i) {
    const KeptElements& kept = all_kept[i];
    start += kept.first * from[i];
    place += kept.at * to[i];
    loops.push_back({kept.count, kept.step * to[i], from[i]});
  }
  const bool keeps_none = std::ranges::any_of(loops, [](const CopyLoop& loop) { return loop.size == 0; });
  return kernel::Opaque{.nanoseconds = 20 + 0.07 * bytes,  // a fill and a copy
                        .run = [=, n = result.elements(),
                                element = bytes_per_element(x.dtype())](const kernel::Unit& unit) {
                          fill(unit.results[0], unit.operands[1], n, element);
                          if (!keeps_none)
                            strided_copy(unit.results[0] + place, unit.operands[0] + start, loops, element);
                        }};
}

Jvp Pad::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// Elements that the padding removed get zeros. The padding value gets the sum over all places where it
// stands.
Tangents Pad::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  const Array& ct = *cotangents[0];
  const Shape& x = operands[0].type.shape();
  Tangents result(2);
  if (operands[0].linear()) {
    Pad back;
    Slice taken;
    for (std::size_t i = 0; i < low.size(); ++i) {
      back.low.push_back(-low[i]);
      back.high.push_back(-high[i]);
      back.interior.push_back(0);
      taken.start.push_back(0);
      taken.limit.push_back(x.sizes()[i] == 0 ? 0 : (x.sizes()[i] - 1) * (interior[i] + 1) + 1);
      taken.stride.push_back(interior[i] + 1);
    }
    result[0] = slice_in_dims(pad_with_zeros(ct, back), {taken.start, taken.limit, taken.stride});
  }
  if (operands[1].linear()) result[1] = reduce_sum(select(is_padding(*this, x), ct, zero_tangent(ct.type())));
  return result;
}

BatchedArrays Pad::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto& [x, x_batched] = operands[0];
  const auto& [value, value_batched] = operands[1];
  if (!x_batched && !value_batched) return {{apply_one(*this, {x, value}), false}};
  Array lanes = materialised(operands[0], axis);
  Pad op = *this;
  for (Sizes* sizes : {&op.low, &op.high, &op.interior}) sizes->insert(sizes->begin(), 0);
  if (!value_batched) return {{apply_one(op, {lanes, value}), true}};
  // Each lane has its own value: anything stands in its places first.
  Array padded = apply_one(op, {lanes, zeros_of(lanes.type().with(Shape{}))});
  Array values = insert_dims(value, other_dims(padded.rank(), {Dim{0}}), padded.shape());
  return {{select(is_padding(op, lanes.shape()), values, padded), true}};
}

Lowered Pad::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.pad", operands, emitter.result_types()[0],
                       {{"edge_padding_low", stablehlo::integers(low)},
                        {"edge_padding_high", stablehlo::integers(high)},
                        {"interior_padding", stablehlo::integers(interior)}})};
}

std::vector<Example> Pad::examples() {
  const Axes& axes = example_mesh().axes();
  std::vector<Example> examples;
  auto add = [&](const Pad& op, Type x) { examples.push_back({op, {x, x.with(Shape{})}}); };
  Type row(DType::f64, {4}), matrix(DType::f64, {3, 5});
  add({{1}, {2}, {0}}, row);
  add({{0}, {1}, {2}}, row.with(axes[0], varying));
  add({{-1}, {-2}, {1}}, row.with(axes[1], unreduced).with(axes[2], reduced));
  add({{2, -2}, {-1, 3}, {1, 0}}, matrix.with(axes[2], varying));
  add({{-3, 1}, {0, 0}, {1, 1}}, matrix);
  add({{-5}, {2}, {0}}, row);  // more than there is
  add({{-2, 0, 1}, {1, 0, 0}, {0, 3, 2}}, Type(DType::f32, {2, 1, 3}));
  add({{2}, {1}, {3}}, Type(DType::f32, {0}));
  add({{}, {}, {}}, Type(DType::f32, {}));
  add({{1}, {1}, {1}}, Type(DType::i32, {3}).with(axes[0], varying));
  add({{-2}, {-2}, {0}}, Type(DType::i64, {4}));
  add({{0}, {2}, {1}}, Type(DType::boolean, {2}));
  return examples;
}

Array pad(const Operand& x, const Operand& value, const std::vector<Padding>& padding) {
  return front_end(Pad::name, x.where(), [&] {
    Pad op;
    for (const Padding& dim : padding) {
      op.low.push_back(dim.low);
      op.high.push_back(dim.high);
      op.interior.push_back(dim.interior);
    }
    Array array = as_array(x);
    return apply_one(op, {array, as_array(value, {x})});
  });
}

Array ops::pad_with_zeros(const Array& x, const Pad& pad) {
  auto none = [](const Sizes& sizes) { return std::ranges::all_of(sizes, [](auto n) { return n == 0; }); };
  if (none(pad.low) && none(pad.high) && none(pad.interior)) return x;
  return apply_one(pad, {x, zero_tangent(x.type().with(Shape{}))});
}

}  // namespace tutti
