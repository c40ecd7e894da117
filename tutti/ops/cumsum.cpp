// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/cumsum.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

std::string_view name_of(Order order) {
  switch (order) {
    case Order::forward: return "forward";
    case Order::backward: return "backward";
  }
  return {};
}

}  // namespace

Parameters Cumsum::parameters() const {
  return {{"dim", std::to_string(dim.index)}, {"order", std::string(name_of(order))}};
}

Types Cumsum::infer(const Types& operands) const {
  const Type& x = operands[0];
  require_in_range({dim}, x, "cumsum_c1");
  require(x.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has no sum (cumsum_c2); to count, convert it first: {}", to_string(x),
          conversion_to(DType::i32));
  return {x.with(agreed_states(operands, mixing()))};
}

Kernel Cumsum::kernel(const Layout& layout) const {
  Type x = layout.operands()[0];
  return kernel::Opaque{.nanoseconds = 20 + 3 * static_cast<double>(x.elements()),
                        .run = [shape = along_dim(x.shape(), dim), dtype = x.dtype(),
                                order = order](const kernel::Unit& unit) {
                          cumulative_sum(unit.results[0], unit.operands[0], shape, dtype, order);
                        }};
}

Jvp Cumsum::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// An element is in all later sums, so it gets the cotangents from there on.
Tangents Cumsum::transpose(const LinearOperands&, const Tangents& cotangents) const {
  Order turned = order == Order::forward ? Order::backward : Order::forward;
  return {apply_one(Cumsum{dim, turned}, {*cotangents[0]})};
}

BatchedArrays Cumsum::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  const auto& [x, batched] = operands[0];
  return {{apply_one(Cumsum{Dim{dim.index + (batched ? 1 : 0)}, order}, {x}), batched}};
}

// Windows as long as the dim that end, or begin, at each element. XLA knows them for what they are.
Lowered Cumsum::lower(Emitter& emitter, const Lowered& operands) const {
  const Shape& shape = emitter.operand_types()[0].shape();
  if (shape[dim] == 0) return operands;  // a window has one element at least
  auto rank = static_cast<std::size_t>(shape.rank());
  std::vector<std::int64_t> window(rank, 1), padding(2 * rank, 0);
  auto along = static_cast<std::size_t>(dim.index);
  window[along] = shape[dim];
  padding[2 * along + (order == Order::forward ? 0 : 1)] = shape[dim] - 1;
  return {emitter.emit_with_reducer("stablehlo.reduce_window", ReduceKind::sum, operands,
                                    emitter.result_types()[0],
                                    {{"window_dimensions", stablehlo::integers(window)},
                                     {"padding", stablehlo::dense_i64({shape.rank(), 2}, padding)}})};
}

std::vector<Example> Cumsum::examples() {
  const Axes& axes = example_mesh().axes();
  Type row(DType::f64, {7}), matrix(DType::f64, {3, 5});
  return {
      {Cumsum{Dim{0}}, {row}},
      {Cumsum{Dim{0}, Order::backward}, {row.with(axes[0], varying)}},
      {Cumsum{Dim{0}}, {matrix.with(axes[1], unreduced).with(axes[2], reduced)}},
      {Cumsum{Dim{1}, Order::backward}, {matrix.with(axes[1], unreduced)}},
      {Cumsum{Dim{1}}, {Type(DType::f32, {2, 4, 3}).with(axes[2], varying)}},
      {Cumsum{Dim{0}}, {Type(DType::i32, {5})}},
      {Cumsum{Dim{0}}, {Type(DType::f32, {0})}},
      {Cumsum{Dim{1}}, {Type(DType::i64, {0, 3}).with(axes[0], varying)}},
  };
}

Array cumsum(const Operand& x, int dim, Order order) {
  return front_end(Cumsum::name, x.where(), [&] {
    Array array = as_array(x);
    return apply_one(Cumsum{as_dim(dim, array.type()), order}, {array});
  });
}

}  // namespace tutti
