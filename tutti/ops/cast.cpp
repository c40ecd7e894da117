// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/cast.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

bool is_free(State from, State to) {
  switch (from) {
    case State::invariant: return to == State::varying || to == State::reduced;
    case State::reduced: return to == State::varying || to == State::invariant;
    case State::varying: return to == State::unreduced;
    case State::unreduced: return false;
  }
  return false;
}

// The advice in the message where no free cast exists.
std::string_view way_out(State from) {
  switch (from) {
    case State::unreduced: return "reduce it with psum or psum_scatter";
    case State::varying: return "make it equal with psum, pmax or pbroadcast";
    case State::invariant:
    case State::reduced: return "keep it on one device with mask";
  }
  return {};
}

}  // namespace

Parameters Cast::parameters() const {
  return {{"axes", to_string(axes)}, {"from", {letter(from)}}, {"to", {letter(to)}}};
}

Types Cast::infer(const Types& operands) const {
  if (!is_free(from, to))
    fail(Code::state, "{} is {}; there is no free cast from {} to {}: {}", operands[0], in_words(from),
         letter(from), letter(to), way_out(from));
  for (const Axis& axis : axes)
    if (operands[0].at(axis) != from)
      fail(Code::state, "{} is {}, not {}", operands[0], in_words(operands[0], axis), in_words(from));
  if (to == State::unreduced) require_summable(operands[0]);
  return {operands[0].with(axes, to)};
}

// Storage of one value stands for the equal values of all devices, so no digit moves.
Kernel Cast::kernel(const Layout& layout) const { return kernel::identity_view(layout.results()[0].shape()); }

Jvp Cast::jvp(const Arrays& operands, const Tangents& tangents) const {
  return linear_jvp(*this, operands, tangents);
}

Tangents Cast::transpose(const LinearOperands&, const Tangents& cotangents) const {
  const Array& cotangent = *cotangents[0];
  if (from == State::invariant) return {all_reduce(cotangent, axes)};
  if (to == State::invariant) return {mask(cotangent, axes)};
  return {cast_to(cotangent, axes, dual(from))};
}

// A value that is the same in every lane stays unbatched, even if the cast makes it a term of a sum. An op
// that sums over the lanes first repeats it in each lane.
BatchedArrays Cast::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  Batched x = operands[0];
  Axes rest = without(axes, axis);
  if (!rest.empty()) x.array = apply_one(Cast{rest, from, to}, {x.array});
  return {x};
}

Lowered Cast::lower(Emitter&, const Lowered& operands) const { return operands; }

std::vector<Example> Cast::examples() {
  std::vector<Example> examples;
  for (const Axes& axes : example_axis_tuples()) {
    if (!std::ranges::is_sorted(axes)) continue;
    for (State from : {State::invariant, State::reduced, State::varying})
      for (State to : {State::invariant, State::varying, State::unreduced, State::reduced})
        if (is_free(from, to))
          examples.push_back({Cast{axes, from, to}, {Type(DType::f32, {3, 2}).with(axes, from)}});
  }
  return examples;
}

Array ops::cast_to(const Array& x, const AxisStates& to) {
  Array result = x;
  AxisStates from = x.type().states();
  AxisStates changed = from;  // every axis of either, with the state it shall have
  for (const auto& [axis, state] : to) changed.set(axis, state);
  for (State a : {State::invariant, State::varying, State::unreduced, State::reduced})
    for (State b : {State::invariant, State::varying, State::unreduced, State::reduced}) {
      Axes axes;
      for (const auto& [axis, state] : changed)
        if (from.at(axis) == a && to.at(axis) == b) axes.push_back(axis);
      if (a != b && !axes.empty()) result = apply_one(Cast{axes, a, b}, {result});
    }
  return result;
}

Array ops::cast_to(const Array& x, const Axes& axes, State to) {
  AxisStates states = x.type().states();
  for (const Axis& axis : axes) states.set(axis, to);
  return cast_to(x, states);
}

void ops::require_free_casts(std::string_view what, Type found, Type wanted) {
  for (Type type : {found, wanted})
    for (const auto& [axis, state] : type.states()) {
      State from = found.at(axis), to = wanted.at(axis);
      require(from == to || is_free(from, to), Code::state, "{} is {}, expected {}: it is {}; {}", what,
              found, wanted, in_words(found, axis), way_out(from));
    }
}

Array pcast(const Operand& x, const AxisNames& axes, State to) {
  return front_end("pcast", x.where(), [&] { return cast_to(as_array(x), axes.resolve(), to); });
}

}  // namespace tutti
