// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/states.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"

namespace tutti {
namespace {

using States = std::vector<State>;

bool has(const States& states, State state) { return std::ranges::find(states, state) != states.end(); }
std::size_t first_of(const States& states, State state) {
  return static_cast<std::size_t>(std::ranges::find(states, state) - states.begin());
}
std::size_t first_not(const States& states, State state) {
  return static_cast<std::size_t>(std::ranges::find_if(states, [&](State s) { return s != state; }) -
                                  states.begin());
}

// How a message names operand i, and how its advice does.
std::string operand_name(const Types& operands, std::size_t i) {
  if (operands.size() == 1) return "the operand";
  if (operands.size() == 2) return i == 0 ? "the left operand" : "the right operand";
  return fmt::format("operand {}", i);
}
std::string in_advice(const Types& operands, std::size_t i) {
  if (operands.size() == 1) return "x";
  if (operands.size() == 2) return i == 0 ? "left" : "right";
  return fmt::format("operand {}", i);
}

std::string described(const Types& operands, std::size_t i, const Axis& axis) {
  return fmt::format("{} is {} ({})", operand_name(operands, i), in_words(operands[i], axis),
                     to_string(operands[i]));
}

[[noreturn]] void refuse_nonlinear(const Types& operands, const Axis& axis, std::size_t sum) {
  fail(Code::state, "{}, which only linear functions take. Reduce first: psum({}, \"{}\")",
       described(operands, sum, axis), in_advice(operands, sum), axis.name);
}

[[noreturn]] void refuse_sum_beside(const Types& operands, const Axis& axis, std::size_t sum,
                                    std::size_t other) {
  std::string both = described(operands, sum, axis) + ", " + described(operands, other, axis);
  std::string left = in_advice(operands, sum), right = in_advice(operands, other);
  if (operands[other].at(axis) == State::varying)
    fail(Code::state,
         "{0}. Reduce first: psum({1}, \"{3}\"), or take the other for terms too: pcast({2}, \"{3}\", "
         "unreduced)",
         both, left, right, axis.name);
  fail(Code::state,
       "{0}; the equal part would be counted {4}. Reduce first: psum({1}, \"{3}\"), or keep it on one "
       "device: "
       "mask({2}, \"{3}\")",
       both, left, right, axis.name, counted(axis.size, "time"));
}

[[noreturn]] void refuse_product(const Types& operands, const Axis& axis, std::size_t sum,
                                 std::size_t other) {
  fail(Code::state,
       "{}, {}; the devices' results would not add up to the result. Reduce first: psum({}, \"{}\")",
       described(operands, sum, axis), described(operands, other, axis), in_advice(operands, sum), axis.name);
}

// The states of the operands along one axis after casts.
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

std::vector<AxisStates> ops::joined_states(const Types& operands, Mixing mixing) {
  std::vector<AxisStates> wanted(operands.size());
  for (const Axis& axis : mentioned(operands)) {
    States states = joined(operands, axis, mixing);
    for (std::size_t i = 0; i < operands.size(); ++i) wanted[i].set(axis, states[i]);
  }
  return wanted;
}

AxisStates ops::agreed_states(const Types& operands, Mixing mixing) {
  AxisStates result;
  for (const Axis& axis : mentioned(operands)) {
    States states = joined(operands, axis, mixing);
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (operands[i].at(axis) != states[i])  // not require, which would describe those that are right
        fail(Code::state, "{}, the other operands need it {}; cast it first", described(operands, i, axis),
             in_words(states[i]));
    result.set(axis, has(states, State::unreduced) ? State::unreduced : states[0]);
  }
  return result;
}

AxisStates ops::varying_over(Type x, const Axes& axes) {
  AxisStates wanted = x.states();
  for (const Axis& axis : axes)
    if (!is_stored_per_device(wanted.at(axis))) wanted.set(axis, State::varying);
  return wanted;
}

Axes ops::equal_along(Type x, const Axes& axes) {
  Axes equal;
  for (const Axis& axis : axes)
    if (!is_stored_per_device(x.at(axis))) equal.push_back(axis);
  return equal;
}

std::string ops::in_words(Type type, const Axis& axis) {
  return fmt::format("{} {} '{}'", in_words(type.at(axis)),
                     type.at(axis) == State::unreduced ? "over" : "along", axis.name);
}

void ops::require_summable(Type x) {
  require(x.dtype() != DType::boolean, Code::dtype, "{} is bool, which has no sum; convert it to i32 first",
          x);
}

void ops::require_states(Type x, const Axes& axes, std::initializer_list<State> allowed,
                         std::string_view advice) {
  for (const Axis& axis : axes)
    if (std::ranges::find(allowed, x.at(axis)) == allowed.end())
      fail(Code::state, "{} is {}; {}", x, in_words(x, axis), advice);
}

}  // namespace tutti
