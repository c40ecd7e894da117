// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/select.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

constexpr std::string_view operand_names[] = {"the predicate", "on_true", "on_false"};

void require_sum_beside(Type sum, std::string_view sum_name, Type other, std::string_view other_name) {
  for (const auto& [axis, state] : sum.states())
    if (state == State::unreduced && other.at(axis) != State::unreduced)
      fail(Code::state,
           "{0} is {1} ({2}), {3} is {4} ({5}): they are not terms of one sum. Reduce first: psum({0}, "
           "\"{6}\")",
           sum_name, in_words(sum, axis), sum, other_name, in_words(other, axis), other, axis.name);
}

}  // namespace

// A bool has no cotangent, so I and R are the same to a predicate; it follows the branches only to V.
std::vector<AxisStates> Select::wants(const Types& operands) const {
  Type predicate = operands[0], on_true = operands[1], on_false = operands[2];
  require_sum_beside(on_true, operand_names[1], on_false, operand_names[2]);
  require_sum_beside(on_false, operand_names[2], on_true, operand_names[1]);
  AxisStates branches = joined_states({on_true, on_false}, Mixing::linear)[0], chooser = predicate.states();
  for (const auto& [axis, state] : predicate.states()) {
    if (state == State::unreduced)
      fail(Code::state, "the predicate is {} ({}); reduce it first: psum(predicate, \"{}\")",
           in_words(predicate, axis), predicate, axis.name);
    if (state != State::varying) continue;
    if (branches.at(axis) == State::unreduced)
      fail(Code::state,
           "on_true is {} ({}), the predicate is {} ({}): each device would choose among its own terms. "
           "Reduce first: "
           "psum(on_true, \"{}\")",
           in_words(on_true, axis), on_true, in_words(predicate, axis), predicate, axis.name);
    branches.set(axis, State::varying);
  }
  for (const auto& [axis, state] : branches)
    if (state == State::varying) chooser.set(axis, State::varying);
  return {chooser, branches, branches};
}

Types Select::infer(const Types& operands) const {
  Type predicate = operands[0], x = operands[1];
  if (predicate.dtype() != DType::boolean)
    fail(Code::dtype, "the predicate is {}, not bool; compare it: not_equal(x, 0)", to_string(predicate));
  require_same_elements(x, operands[2]);
  if (predicate.shape() != x.shape())
    fail(Code::shape, "the predicate is {}, the branches are {}; use broadcast_in_dim first",
         to_string(predicate), to_string(x));
  std::vector<AxisStates> wanted = wants(operands);
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].states() != wanted[i])
      fail(Code::state, "{} is {}, the other operands need {}; cast it first", operand_names[i],
           to_string(operands[i]), to_string(operands[i].with(wanted[i])));
  return {x};
}

Kernel Select::kernel(const Layout&) const { return kernel::Pointwise{kernel::SelectFn{}}; }

Jvp Select::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (!tangents[1] && !tangents[2]) return constant_jvp(*this, operands);
  auto filled = [&](std::size_t i) { return tangents[i] ? *tangents[i] : zero_tangent(operands[i].type()); };
  return {{apply_one(*this, operands)}, {apply_one(*this, {operands[0], filled(1), filled(2)})}};
}

Tangents Select::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  require(!operands[0].linear(), Code::refused_rule,
          "transpose is refused: select is not linear in its predicate");
  const Array &predicate = *operands[0].known, &ct = *cotangents[0];
  Array zero = zero_tangent(ct.type());
  Tangents result(3);
  if (operands[1].linear()) result[1] = apply_one(*this, {predicate, ct, zero});
  if (operands[2].linear()) result[2] = apply_one(*this, {predicate, zero, ct});
  return result;
}

BatchedArrays Select::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered Select::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.select", operands, emitter.result_types()[0])};
}

std::vector<Example> Select::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  std::vector<Example> examples;
  auto add = [&](DType dtype, const Shape& shape, const AxisStates& predicate, const AxisStates& branches) {
    Type chooser(DType::boolean, shape, predicate), x(dtype, shape, branches);
    examples.push_back({Select{}, {{chooser, 0, 1}, x, x}});
  };
  add(DType::f64, {2, 3}, {{a, varying}}, {{a, varying}});
  add(DType::f64, {5}, {}, {{a, unreduced}});
  add(DType::f64, {5}, {{a, reduced}, {b, varying}}, {{a, unreduced}, {b, varying}});
  add(DType::f32, {3}, {}, {{b, reduced}});
  add(DType::f32, {}, {{a, reduced}}, {});
  add(DType::i32, {7}, {{a, varying}}, {{a, varying}});
  add(DType::boolean, {3, 1}, {}, {});
  return examples;
}

Array select(const Operand& predicate, const Operand& on_true, const Operand& on_false) {
  return front_end("select", predicate.where(), [&] {
    require(
        on_true.array() || on_false.array(), Code::number,
        "both branches are numbers, which have no dtype; make one an array: full({{}}, value, DType::f32)");
    auto [x, y] = as_equal_shapes(on_true, on_false);
    Array chooser = as_array(predicate);
    Shape shape = broadcast_shape(chooser.shape(), x.shape());
    return apply_one(Select{},
                     {broadcast_to(chooser, shape), broadcast_to(x, shape), broadcast_to(y, shape)});
  });
}

Array where(const Operand& predicate, const Operand& on_true, const Operand& on_false) {
  return front_end("where", predicate.where(), [&] { return select(predicate, on_true, on_false); });
}

}  // namespace tutti
