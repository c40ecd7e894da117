// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/concatenate.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <memory>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tensor/loops/copies.hpp"

namespace tutti {
namespace {

void require_arrays(const Arrays& arrays) {
  require(!arrays.empty(), Code::shape, "no arrays; give one at least (concatenate_c3)");
}

}  // namespace

Parameters Concatenate::parameters() const { return {{"dim", std::to_string(dim.index)}}; }

Types Concatenate::infer(const Types& operands) const {
  require(!operands.empty(), Code::shape, "no operands; give one at least (concatenate_c3)");
  const Type& first = operands[0];
  require_in_range({dim}, first, "concatenate_c4");
  std::int64_t size = 0;
  for (Type type : operands) {
    require_same_dtype(first, type);
    require(type.rank() == first.rank(), Code::shape,
            "{} and {} have {} and {} dims; they must be as many (concatenate_c2): reshape one", first, type,
            first.rank(), type.rank());
    require(type.shape().with(dim, 0) == first.shape().with(dim, 0), Code::shape,
            "{} and {} differ in another dim than {}; only that one may differ (concatenate_c2)", first, type,
            dim.index);
    size += type.shape()[dim];
  }
  return {Type(first.dtype(), first.shape().with(dim, size), agreed_states(operands, mixing()))};
}

// Seen as [before, size * after], each operand is a block of columns.
Kernel Concatenate::kernel(const Layout& layout) const {
  Type result = layout.results()[0];
  auto element = static_cast<std::int64_t>(bytes_per_element(result.dtype()));
  std::int64_t before = 1;
  for (int i = 0; i < dim.index; ++i) before *= result.shape()[i];
  auto row_bytes = [&](Type type) { return before == 0 ? 0 : type.elements() / before * element; };
  std::vector<std::int64_t> widths;
  std::vector<kernel::Opaque::Block> blocks;
  for (std::size_t i = 0; i < layout.operands().size(); ++i) {
    const Type type = layout.operands()[i];
    widths.push_back(row_bytes(type));
    kernel::Opaque::Block block{i,
                                std::vector<std::int64_t>(type.shape().sizes().size(), 0),
                                type.shape().sizes(),
                                {}};
    block.from = block.begin;
    if (!blocks.empty()) {
      const auto at = static_cast<std::size_t>(dim.index);
      block.begin[at] = blocks.back().begin[at] + blocks.back().size[at];
    }
    blocks.push_back(std::move(block));
  }
  return kernel::Opaque{.nanoseconds = 20 + 0.07 * static_cast<double>(result.bytes()),  // 14 GB/s
                        .run =
                            [widths, width = row_bytes(result)](const kernel::Unit& unit) {
                              const std::int64_t first = unit.lines.begin, rows = unit.lines.count();
                              std::byte* to = unit.results[0] + first * width;
                              for (std::size_t i = 0; i < widths.size(); to += widths[i++]) {
                                CopyLoop loops[] = {{rows, width, widths[i]}, {widths[i], 1, 1}};
                                strided_copy(to, unit.operands[i] + first * widths[i], loops, 1);
                              }
                            },
                        .blocks = std::move(blocks),
                        .shared = {before}};
}

Jvp Concatenate::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Concatenate::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Tangents blocks;
  std::int64_t start = 0;
  for (const LinearOperand& operand : operands) {
    std::int64_t end = start + operand.type.shape()[dim];
    blocks.push_back(operand.linear() ? std::optional(slice_in_dim(*cotangents[0], start, end, 1, dim.index))
                                      : std::nullopt);
    start = end;
  }
  return blocks;
}

BatchedArrays Concatenate::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  bool any = std::ranges::any_of(operands, &Batched::batched);
  Arrays arrays;
  for (const Batched& x : operands) arrays.push_back(any ? materialised(x, axis) : x.array);
  return {{apply_one(Concatenate{Dim{dim.index + (any ? 1 : 0)}}, arrays), any}};
}

Lowered Concatenate::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.concatenate", operands, emitter.result_types()[0],
                       {{"dimension", stablehlo::integer(dim.index)}})};
}

std::vector<Example> Concatenate::examples() {
  const Axes& axes = example_mesh().axes();
  Type a(DType::f64, {2, 3}), b(DType::f64, {4, 3}), c(DType::f32, {3, 1, 2}), d(DType::f32, {3, 4, 2});
  return {
      {Concatenate{Dim{0}}, {a, b}},
      {Concatenate{Dim{0}}, {b.with(axes[0], varying), a.with(axes[0], varying)}},
      {Concatenate{Dim{0}}, {a.with(axes[1], unreduced), b.with(axes[1], unreduced)}},
      {Concatenate{Dim{1}}, {c.with(axes[2], reduced), d.with(axes[2], reduced), c.with(axes[2], reduced)}},
      {Concatenate{Dim{1}}, {a.with(axes[0], varying)}},
      {Concatenate{Dim{0}}, {Type(DType::i32, {0}), Type(DType::i32, {3})}},
      {Concatenate{Dim{1}}, {Type(DType::i64, {0, 2}), Type(DType::i64, {0, 1})}},
      {Concatenate{Dim{0}}, {Type(DType::boolean, {2}), Type(DType::boolean, {3})}},
  };
}

Array concatenate(const Arrays& arrays, int dim, Where where) {
  return front_end(Concatenate::name, where, [&] {
    require_arrays(arrays);
    Concatenate op{as_dim(dim, arrays[0].type())};
    return arrays.size() == 1 ? arrays[0] : apply_one(op, arrays);
  });
}

Array stack(const Arrays& arrays, int dim, Where where) {
  return front_end("stack", where, [&] {
    require_arrays(arrays);
    Arrays blocks;
    for (const Array& array : arrays) {
      require(array.shape() == arrays[0].shape(), Code::shape,
              "{} and {} have different shapes; all must be equal", arrays[0].type(), array.type());
      blocks.push_back(expand_dims(array, dim));
    }
    return concatenate(blocks, dim);
  });
}

}  // namespace tutti
