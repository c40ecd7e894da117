// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/all_reduce.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {

Parameters AllReduce::parameters() const {
  return {{"kind", std::string(tutti::name(kind))}, {"axes", to_string(axes)}};
}

// I and R over an own axis are taken as varying: the sum of n equal values is n times the value.
std::vector<AxisStates> AllReduce::wants(const Types& operands) const {
  AxisStates wanted = operands[0].states();
  for (const Axis& axis : axes)
    if (!is_stored_per_device(wanted.at(axis))) wanted.set(axis, State::varying);
  return {wanted};
}

Types AllReduce::infer(const Types& operands) const {
  const Type& x = operands[0];
  if (kind == ReduceKind::sum) {
    require_summable(x);
    require_states(x, axes, {State::varying, State::unreduced},
                   "a sum takes varying values and unreduced terms");
    return {x.with(axes, State::invariant)};
  }
  bool is_of_bits = kind == ReduceKind::logical_and || kind == ReduceKind::logical_or;
  require(!is_of_bits || !is_float(x.dtype()), Code::dtype,
          "{} is float, which has no bits to combine; compare it first: not_equal(x, 0)", to_string(x));
  require_states(x, axes, {State::varying}, "a maximum or minimum takes values, not terms; psum it first");
  agreed_states(operands, Mixing::alike);  // refuses U over the other axes
  return {x.with(axes, State::invariant)};
}

Kernel AllReduce::kernel(const Layout&) const { return Fold{kind, axes, {}}; }

Jvp AllReduce::jvp(const Arrays& operands, const Tangents& tangents) const {
  if (kind == ReduceKind::sum) return linear_jvp(*this, operands, tangents);
  Array extreme = apply_one(*this, operands);
  if (!tangents[0]) return {{extreme}, {std::nullopt}};
  Array hit = convert(equal(operands[0], extreme), extreme.dtype());
  return {{extreme}, {all_reduce(hit * *tangents[0], axes) / all_reduce(hit, axes)}};
}

Tangents AllReduce::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  return {cast_to(*cotangents[0], dual(operands[0].type).states())};
}

std::string_view AllReduce::refusal(Rule rule) const {
  return rule == Rule::transpose && kind != ReduceKind::sum ? "a maximum or minimum is not linear" : "";
}

// The lanes of the batch are devices along that axis: fold them here, the other axes stay a collective.
BatchedArrays AllReduce::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  if (!contains(axes, axis)) return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  Array folded = apply_one(Reduce{kind, {Dim{0}}}, {materialised(operands[0], axis)});
  Axes rest = without(axes, axis);
  return {{rest.empty() ? folded : all_reduce(folded, rest, kind), false}};
}

Lowered AllReduce::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit_with_reducer("stablehlo.all_reduce", kind, operands, emitter.result_types()[0],
                                    emitter.collective(axes, true))};
}

std::vector<Example> AllReduce::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    if (!std::ranges::is_sorted(axes)) continue;
    for (State from : {State::varying, State::unreduced})
      examples.push_back({AllReduce{ReduceKind::sum, axes}, {Type(DType::f32, {3, 2}).with(axes, from)}});
    for (ReduceKind kind : {ReduceKind::max, ReduceKind::min})
      examples.push_back({AllReduce{kind, axes}, {Type(DType::f64, {2, 3}).with(axes, State::varying)}});
  }
  const Axis &a = example_mesh().axes()[0], &b = example_mesh().axes()[1];
  Type mixed = Type(DType::f64, {5}).with(a, State::varying).with(b, State::unreduced);
  examples.push_back({AllReduce{ReduceKind::sum, {a, b}}, {mixed}});
  examples.push_back({AllReduce{ReduceKind::sum, {a}}, {Type(DType::i32, {4}).with(a, State::varying)}});
  examples.push_back({AllReduce{ReduceKind::max, {b}}, {Type(DType::boolean, {4}).with(b, State::varying)}});
  return examples;
}

Array all_reduce(const Array& x, Axes axes, ReduceKind kind) {
  std::ranges::sort(axes);
  return apply_one(AllReduce{kind, std::move(axes)}, {x});
}

Array psum(const Operand& x, const AxisNames& axes) {
  return front_end("psum", x.where(), [&] {
    Array terms = as_array(x);
    if (terms.dtype() == DType::boolean) terms = convert(terms, DType::i32);
    return all_reduce(terms, axes.resolve());
  });
}

Array pmean(const Operand& x, const AxisNames& axes) {
  return front_end("pmean", x.where(), [&] {
    Array terms = as_array(x);
    if (!is_float(terms.dtype())) terms = convert(terms, DType::f32);
    Axes over = axes.resolve();
    return all_reduce(terms, over) / joint_size(over);
  });
}

Array pmax(const Operand& x, const AxisNames& axes) {
  return front_end("pmax", x.where(),
                   [&] { return all_reduce(as_array(x), axes.resolve(), ReduceKind::max); });
}

Array pmin(const Operand& x, const AxisNames& axes) {
  return front_end("pmin", x.where(),
                   [&] { return all_reduce(as_array(x), axes.resolve(), ReduceKind::min); });
}

}  // namespace tutti
