// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tutti/types/axis.hpp"

namespace tutti::ops {

/// The relation between the values of the devices along an axis.
enum class State : std::uint8_t {
  invariant,  // I: equal values
  varying,    // V: values that may differ
  unreduced,  // U: partial terms; the value is their sum
  reduced,    // R: equal values, whose cotangent is partial terms
};

}  // namespace tutti::ops

namespace tutti {

inline constexpr ops::State invariant = ops::State::invariant, varying = ops::State::varying,
                            unreduced = ops::State::unreduced, reduced = ops::State::reduced;

}  // namespace tutti

namespace tutti::ops {

/// The state of the cotangent: V-V, I-I, U-R, R-U.
State dual(State state);
/// True where every device has storage of its own: V and U.
bool is_stored_per_device(State state);
/// "I", "V", "U", "R".
char letter(State state);
/// "invariant (equal on all devices)", ...; for messages.
std::string_view in_words(State state);

/// The states of a value over all bound axes; axes that are not mentioned are invariant. Sorted by axis.
class AxisStates {
 public:
  AxisStates() = default;
  AxisStates(std::initializer_list<std::pair<Axis, State>> states);

  /// The state along an axis.
  State at(const Axis& axis) const;
  /// Changes the state along an axis.
  void set(const Axis& axis, State state);
  /// The states with another one along an axis.
  AxisStates with(const Axis& axis, State state) const;

  auto begin() const { return states_.begin(); }
  auto end() const { return states_.end(); }
  /// True if the value is invariant along all axes.
  bool empty() const { return states_.empty(); }
  bool operator==(const AxisStates&) const = default;

 private:
  std::vector<std::pair<Axis, State>> states_;  // never invariant; ascending axes
};

}  // namespace tutti::ops
