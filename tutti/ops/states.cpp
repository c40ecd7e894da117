// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/states.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

using States = std::vector<State>;

bool has(const States& states, State state) { return std::ranges::find(states, state) != states.end(); }
std::size_t first_of(const States& states, State state) {
  return static_cast<std::size_t>(std::ranges::find(states, state) - states.begin());
}
std::size_t first_not(const States& states, State state) {
  return static_cast<std::size_t>(std::ranges::find_if(states, [&](State s) { return s != state; }) - states.begin());
}

std::string described(const Types& operands, std::size_t i, const Axis& axis) {
  return fmt::format("operand {} is {} ({})", i, in_words(operands[i], axis), to_string(operands[i]));
}

[[noreturn]] void refuse_nonlinear(const Types& operands, const Axis& axis, std::size_t sum) {
  fail(Code::state,
       "{}, but this is not linear: of the terms it is not of their sum. Reduce first: psum(operand {}, \"{}\")",
       described(operands, sum, axis), sum, axis.name);
}

[[noreturn]] void refuse_sum_beside(const Types& operands, const Axis& axis, std::size_t sum, std::size_t other) {
  bool equal = operands[other].at(axis) != State::varying;
  fail(Code::state, "{}, {}; {} would be counted {} times. Reduce first: psum(operand {}, \"{}\"){}",
       described(operands, sum, axis), described(operands, other, axis), equal ? "the equal part" : "the varying part",
       axis.size, sum, axis.name,
       equal ? fmt::format(", or keep it on one device: mask(operand {}, \"{}\")", other, axis.name) : "");
}

[[noreturn]] void refuse_product(const Types& operands, const Axis& axis, std::size_t sum, std::size_t other) {
  bool two_sums = operands[other].at(axis) == State::unreduced;
  fail(Code::state, "{}, {}; {} is not the sum of what the devices would compute. Reduce first: psum(operand {}, \"{}\")",
       described(operands, sum, axis), described(operands, other, axis),
       two_sums ? "the product of two sums" : "the product of a sum and a varying value", sum, axis.name);
}

// What the operands become along one axis.
States joined(const Types& operands, const Axis& axis, Mixing mixing) {
  States states;
  for (Type type : operands) states.push_back(type.at(axis));
  if (!has(states, State::unreduced)) {
    State to = has(states, State::varying)   ? State::varying
               : has(states, State::reduced) ? State::reduced
                                             : State::invariant;
    return States(states.size(), to);
  }
  std::size_t sum = first_of(states, State::unreduced);
  if (mixing == Mixing::alike) refuse_nonlinear(operands, axis, sum);
  if (mixing == Mixing::linear) {
    std::size_t other = first_not(states, State::unreduced);
    if (other < states.size()) refuse_sum_beside(operands, axis, sum, other);
    return states;
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (i != sum && is_stored_per_device(states[i])) refuse_product(operands, axis, sum, i);
    if (states[i] == State::invariant) states[i] = State::reduced;
  }
  return states;
}

Axes mentioned(const Types& operands) {
  Axes axes;
  for (Type type : operands)
    for (const auto& [axis, state] : type.states())
      if (!contains(axes, axis)) axes.push_back(axis);
  std::ranges::sort(axes);
  return axes;
}

}  // namespace

std::vector<AxisStates> joined_states(const Types& operands, Mixing mixing) {
  std::vector<AxisStates> wanted(operands.size());
  for (const Axis& axis : mentioned(operands)) {
    States states = joined(operands, axis, mixing);
    for (std::size_t i = 0; i < operands.size(); ++i) wanted[i].set(axis, states[i]);
  }
  return wanted;
}

AxisStates agreed_states(const Types& operands, Mixing mixing) {
  AxisStates result;
  for (const Axis& axis : mentioned(operands)) {
    States states = joined(operands, axis, mixing);
    for (std::size_t i = 0; i < operands.size(); ++i)
      require(operands[i].at(axis) == states[i], Code::state, "operand {} is {}, the other operands need it {}; cast it first",
              i, in_words(operands[i], axis), in_words(states[i]));
    result.set(axis, has(states, State::unreduced) ? State::unreduced : states[0]);
  }
  return result;
}

std::string in_words(Type type, const Axis& axis) {
  return fmt::format("{} {} '{}'", in_words(type.at(axis)), type.at(axis) == State::unreduced ? "over" : "along", axis.name);
}

void require_states(Type x, const Axes& axes, std::initializer_list<State> allowed, std::string_view advice) {
  for (const Axis& axis : axes)
    require(std::ranges::find(allowed, x.at(axis)) != allowed.end(), Code::state, "{} is {}; {}", to_string(x),
            in_words(x, axis), advice);
}

}  // namespace tutti
