// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/moves/exchange.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/devices/owners.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/moves/borders.hpp"
#include "tutti/ops/moves/exchange_digits.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

void require_same(Axes before, Axes after, const Exchange& op, std::string_view advice) {
  std::ranges::sort(before);
  std::ranges::sort(after);
  require(before == after, Code::state, "{} does not become {} by an exchange, which moves values; {}",
          op.from, op.to, advice);
}

/// The type of the whole value whose block is `x`: its dtype, and its states along the axes that the
/// shardings do not name.
Type whole_of(Type x, const Exchange& op) {
  AxisStates states = x.states();
  for (const Sharding* sharding : {&op.from, &op.to})
    for (const Axis& axis : axes_of(*sharding)) states.set(axis, State::invariant);
  return {x.dtype(), op.shape, states};
}

}  // namespace

Parameters Exchange::parameters() const {
  return {{"shape", "[" + to_string(shape) + "]"}, {"from", to_string(from)}, {"to", to_string(to)}};
}

std::vector<AxisStates> Exchange::wants(const Types& operands) const {
  return {varying_over(operands[0], split_axes(from))};
}

Types Exchange::infer(const Types& operands) const {
  shape.check();
  const Type &x = operands[0], whole = whole_of(x, *this);
  require(from.mesh == to.mesh, Code::spec,
          "{} is on mesh {}, {} on mesh {}; an exchange is between devices of one mesh", from, from.mesh, to,
          to.mesh);
  const Type block = local_type(whole, from), result = local_type(whole, to);
  require_same(from.unreduced, to.unreduced, *this,
               "sum terms by psum or psum_scatter, and make them by mask");
  require_same(from.reduced, to.reduced, *this, "choose by pcast how gradients are summed");
  require(x.shape() == block.shape(), Code::shape, "{} is no block of [{}] under {}, which is {}; {}", x,
          shape, from, block, "give the shape of the whole");
  require(x == block, Code::state, "{} is exchanged from {} to {}, which needs {}", x, from, to, block);
  return {result};
}

Kernel Exchange::kernel(const Layout& layout) const {
  if (SubProgram program = in_two(layout.operands()))
    return kernel::Sub{kernel::Sub::Control::call, {program}};
  return kernel::View{*exchange_digits(shape, from, to, DigitCuts::blocks)};
}

SubProgram Exchange::in_two(const Types& operands) const {
  if (exchange_digits(shape, from, to, DigitCuts::blocks)) return nullptr;
  const Sharding common = common_sharding(from, to);
  auto body = [&](const Arrays& x) -> Arrays {
    Array gathered = apply_one(Exchange{shape, from, common}, {x[0]});
    return {apply_one(Exchange{shape, common, to}, {gathered})};
  };
  return shared(trace(operands, body).program);
}

Jvp Exchange::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

// The cotangent of V is V, that of I is I: to take one of equal blocks is the adjoint of repeating a block.
Tangents Exchange::transpose(const LinearOperands&, const Tangents& cotangents) const {
  return {apply_one(Exchange{shape, dual(to), dual(from)}, {*cotangents[0]})};
}

// A mesh has no axes of vmap, so the lanes are never those of an own axis.
BatchedArrays Exchange::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!operands[0].batched) return {{apply_one(*this, {operands[0].array}), false}};
  Exchange with_lanes{shape.inserted(Dim{0}, axis.size), with_batch_dim(from), with_batch_dim(to)};
  return {{apply_one(with_lanes, {operands[0].array}), true}};
}

Traffic Exchange::traffic(const Types& operands) const {
  if (communicates().empty()) return {};
  const Owners::Most most = Owners(from, to, shape).most();
  const auto bytes = static_cast<std::int64_t>(bytes_per_element(operands[0].dtype()));
  return {.sent = most.average_sent * bytes, .received = most.received * bytes};
}

Axes Exchange::communicates() const {
  Axes moved = moved_axes(from, to);
  if (moved.empty()) return {};
  for (const Axis& axis : moved_axes(to, from))
    if (!contains(moved, axis)) moved.push_back(axis);
  return moved;
}

std::vector<Example> Exchange::examples() {
  const Axis &a = example_mesh().axes()[0], &b = example_mesh().axes()[1], &c = example_mesh().axes()[2];
  std::vector<Example> examples;
  auto add = [&](DType dtype, Shape shape, std::vector<Axes> from, std::vector<Axes> to, Axes terms = {},
                 Axes gradients = {}) {
    Exchange op{std::move(shape),
                {example_mesh(), std::move(from), terms, gradients},
                {example_mesh(), std::move(to), terms, gradients}};
    Type x = local_type(Type(dtype, op.shape), op.from);
    examples.push_back({std::move(op), {x}});
  };
  add(DType::f32, {4}, {{a}}, {{b}});
  add(DType::f64, {8, 2}, {{a, b}, {}}, {{b, a}, {}});
  add(DType::f32, {4, 4}, {{a}, {b}}, {{b}, {a}}, {c});
  add(DType::f64, {4, 6}, {{a}, {}}, {{}, {a}});
  add(DType::f32, {8, 4}, {{b, a}, {}}, {{}, {c, b}});
  add(DType::f64, {4, 4, 4}, {{a, b}, {c}, {}}, {{}, {}, {b, c}});
  add(DType::f32, {4, 4}, {{a}, {c, b}}, {{a}, {}});
  add(DType::f64, {4, 2}, {{}, {a}}, {{c, b}, {a}});
  add(DType::f32, {8}, {{a, b}}, {{b}}, {}, {c});
  add(DType::i32, {4}, {{a, b}}, {{c}});
  add(DType::boolean, {4}, {{c}}, {{c}});
  return examples;
}

Array ops::exchange(const Operand& x, const Shape& whole, const Sharding& from, const Sharding& to) {
  return front_end(Exchange::name, x.where(),
                   [&] { return apply_one(Exchange{whole, from, to}, {as_array(x)}); });
}

}  // namespace tutti
