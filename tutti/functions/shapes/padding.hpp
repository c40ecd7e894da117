// SPDX-License-Identifier: Apache-2.0
// numpy.pad and its modes. (A value around and between elements: ops/pad.)
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/ir/array.hpp"
#include "tutti/ops/pad.hpp"

namespace tutti {

/// Where the elements of the padding come from, in the words of numpy.pad.
enum class PadMode {
  constant,     // one value, PadOptions::constant_value
  edge,         // the first and the last element
  reflect,      // mirrored at the first and the last element
  symmetric,    // mirrored so that the first and the last element stand twice
  wrap,         // from the other end
  linear_ramp,  // in equal steps from PadOptions::end_value to the edge
  maximum,      // of the dim, or of PadOptions::stat_length elements at that end;
                // so are minimum, mean and median
  minimum,
  mean,
  median,
  empty,  // zeros
};

}  // namespace tutti

namespace tutti::internal {

/// Elements before and after each dim: `2` everywhere; `{{1, 2}}` for each dim; `{{1, 2}, {0, 3}}` dim by
/// dim.
class PadWidths {
 public:
  template <std::integral N>
  PadWidths(N width)
      : widths_{{.low = static_cast<std::int64_t>(width), .high = static_cast<std::int64_t>(width)}} {}
  PadWidths(std::initializer_list<Padding> widths) : widths_(widths) {}
  PadWidths(std::vector<Padding> widths) : widths_(std::move(widths)) {}

  /// One for each dim. Throws T006 for another number of them, T005 for a negative width and for interior
  /// elements.
  std::vector<Padding> resolve(Type x) const;

 private:
  std::vector<Padding> widths_;
};

}  // namespace tutti::internal

namespace tutti {

/// Options of pad. Each belongs to one mode, or to a few.
struct PadOptions {
  std::optional<Number> constant_value = {};     // none: zero
  std::optional<Number> end_value = {};          // of linear_ramp; none: zero
  std::optional<std::int64_t> stat_length = {};  // none: the whole dim
  bool odd = false;  // reflect and symmetric: twice the edge minus the mirrored element, NumPy's reflect_type
};

/// numpy.pad: dim by dim, the corners from what is padded already. To pad with an array's value, or between
/// elements:
/// pad(x, value, {{.low = 1, .interior = 2}}).
/// x: [.., d, ..] -> [.., low + d + high, ..]. Means and medians of integers are rounded to nearest, ramps
/// down.
/// Cost: one copy for each dim that is padded.
/// Throws T005 for an option that the mode does not have, for a negative width, and for a dim without
/// elements in the modes that take them from there; T006 for another number of widths than dims; T008 if the
/// value does not fit.
Array pad(const Operand& x, const internal::PadWidths& widths, PadMode mode = PadMode::constant,
          const PadOptions& options = {});

}  // namespace tutti
