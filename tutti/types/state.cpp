// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/state.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

namespace tutti {

State ops::dual(State state) {
  switch (state) {
    case State::invariant:
    case State::varying: return state;
    case State::unreduced: return State::reduced;
    case State::reduced: return State::unreduced;
  }
  return state;
}

bool ops::is_stored_per_device(State state) { return state == State::varying || state == State::unreduced; }

char ops::letter(State state) { return "IVUR"[static_cast<int>(state)]; }

std::string_view ops::in_words(State state) {
  switch (state) {
    case State::invariant: return "equal on all devices";
    case State::varying: return "different on each device";
    case State::unreduced: return "an unreduced sum";
    case State::reduced: return "equal on all devices, with a partial gradient";
  }
  return {};
}

AxisStates::AxisStates(std::initializer_list<std::pair<Axis, State>> states) {
  for (const auto& [axis, state] : states) set(axis, state);
}

State AxisStates::at(const Axis& axis) const {
  for (const auto& [own, state] : states_)
    if (own == axis) return state;
  return State::invariant;
}

void AxisStates::set(const Axis& axis, State state) {
  auto it = std::ranges::find_if(states_, [&](const auto& entry) { return !(entry.first < axis); });
  bool present = it != states_.end() && it->first == axis;
  if (state == State::invariant) {
    if (present) states_.erase(it);
  } else if (present) {
    it->second = state;
  } else {
    states_.insert(it, {axis, state});
  }
}

AxisStates AxisStates::with(const Axis& axis, State state) const {
  AxisStates changed = *this;
  changed.set(axis, state);
  return changed;
}

}  // namespace tutti
