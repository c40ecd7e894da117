// SPDX-License-Identifier: Apache-2.0
// Shared code of check and debug_print: a text with places for values, and the values of one lane.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/rules.hpp"

namespace tutti {

/// The text of a message, with the line of the caller. "{}" is the place of a value, "{:.3f}" that of a
/// scalar with a format of std::format. "{{" and "}}" are braces.
class MessageText {
 public:
  MessageText(const char* text, Where where = Where::here()) : text_(text), where_(where) {}
  MessageText(std::string text, Where where = Where::here()) : text_(std::move(text)), where_(where) {}

  /// The text as written, with its braces.
  const std::string& text() const { return text_; }
  /// The line of the caller.
  const Where& where() const { return where_; }

 private:
  std::string text_;
  Where where_;
};

}  // namespace tutti

namespace tutti::ops {

/// A text cut at the places of its values.
class Message {
 public:
  /// Throws T015 for a brace without its partner.
  explicit Message(std::string_view text);
  /// Throws T015 unless there is one place per value, and each format suits its value.
  void require_values(const Types& values) const;
  /// The text with the values in their places.
  std::string with(const Tensors& values) const;

 private:
  struct Place {
    std::string before, format;  // format: what follows the colon
  };
  std::vector<Place> places_;
  std::string end_;
};

/// Sizes of the leading dims that all operands have in common: one per vmap that the op is under.
using Lanes = std::vector<std::int64_t>;
/// The number of lanes: the product of the sizes.
std::int64_t count_of(const Lanes& lanes);
/// The parameters of an op with a text and lanes.
Parameters message_parameters(const std::string& text, const Lanes& lanes);

/// bool of the lanes' shape, V along the axes where devices may hold different operands. Stands for the
/// effect: a result that nothing reads.
Type effect_type(const Types& operands, const Lanes& lanes);
/// The values of operands from `first` on, in one lane.
Tensors values_of(const kernel::Unit& unit, const Types& operands, std::size_t first, const Lanes& lanes,
                  std::int64_t lane);

}  // namespace tutti::ops

namespace tutti::internal {

/// "i=1, j=0": the devices of a unit. `holders`: of the effect (Layout::holders). Empty: all devices.
std::string devices_of(const kernel::Unit& unit, const std::vector<std::string>& holders);

}  // namespace tutti::internal

namespace tutti::ops {

/// Throws T005 unless all operands have these lanes.
void require_lanes(const Types& operands, const Lanes& lanes);
/// The types of the values of one lane.
Types without_lanes(const Types& operands, const Lanes& lanes);

/// Operands under vmap, and whether they have lanes.
struct InLanes {
  Arrays operands;
  bool batched;
};
/// All operands with the lanes of `axis` as dim 0, if one of them has lanes.
InLanes in_lanes(const Axis& axis, const BatchedArrays& operands);

/// Arrays and numbers as arrays: a number is i64, u64, f64 or bool.
Arrays as_values(const std::vector<Operand>& values);

}  // namespace tutti::ops
