// SPDX-License-Identifier: Apache-2.0
// How the blocks of one sharding are made of those of another.
#pragma once

#include <optional>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/devices/kernel.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// Where the digits of an exchange end.
enum class DigitCuts {
  blocks,  // where a block of one of the shardings ends
  parts,   // also such that each axis has the same digits in both shardings
};

/// The index along each dim of an array of `shape`, cut into digits. Under `from` and under `to` each digit
/// is one of an axis's coordinate, or of the index in a block. Dims ascend; in a dim the slowest digit comes
/// first.
/// None if a dim has no such digits: 6 elements in 2 blocks and in 3.
/// Example, P(x) -> P(y) of 8 over 2 devices: {2, from x, to y}, {4, from dim 0, to dim 0}.
std::optional<std::vector<kernel::Digit>> exchange_digits(const Shape& shape, const Sharding& from,
                                                          const Sharding& to, DigitCuts cuts);

/// Where an axis splits its dim: at the same place in two shardings, it numbers the same blocks.
struct AxisPlace {
  Axis axis;
  Dim dim;
  std::int64_t outer;  // the number of positions along the axes before it
  bool operator==(const AxisPlace&) const = default;
};
std::vector<AxisPlace> places_of(const Sharding& sharding);
/// The axes of `from` that stand at another place in `to`, or do not split a dim there.
Axes moved_axes(const Sharding& from, const Sharding& to);
/// The axes that split a dim, in the order of the dims.
Axes split_axes(const Sharding& sharding);
/// Per dim, the common prefix of both lists of axes; unreduced and reduced axes as in `from`.
Sharding common_sharding(const Sharding& from, const Sharding& to);

}  // namespace tutti
