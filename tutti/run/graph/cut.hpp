// SPDX-License-Identifier: Apache-2.0
// Views where processes share the devices: some digits stay inside of a box, others go from box to box.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/devices/kernel.hpp"
#include "tutti/devices/processes.hpp"
#include "tutti/run/graph/address.hpp"

namespace tutti {

/// A digit of a view, or a part of one. Along an axis it counts devices inside of a box, or boxes.
struct CutDigit {
  kernel::Digit digit;
  bool from_boxes = false, to_boxes = false;

  /// Each process reads its own part.
  bool stays() const {
    return from_boxes && to_boxes && digit.from.axis == digit.to.axis && digit.from.weight == digit.to.weight;
  }
  /// The digit at a place of a process, of a digit that goes to boxes.
  std::int64_t at(std::int64_t place) const { return place / digit.to.weight % digit.size; }
};

/// True if each digit can be cut in parts that count devices of one box, or boxes. An axis of six in boxes of
/// two: a digit of size 3 with weight 1 cannot be cut.
bool can_be_cut(const kernel::View& view, const Processes& processes);

/// A view whose digits are cut where processes divide their axes.
class ViewCut {
 public:
  using Place = std::vector<int>;  // of a process: one number per axis of the mesh

  /// An operand or result: the axes along which the parts of boxes differ.
  struct Differs {
    AxisSet operand, result;
  };
  ViewCut(const kernel::View& view, const Processes& processes, Differs differs);

  /// True if a process reads what another one has.
  bool crosses() const { return crosses_; }
  /// The view inside of a box; without what comes from other boxes.
  const kernel::View& inside() const { return inside_; }
  /// The bytes from the operand's address to what a process at this place reads of a box.
  std::int64_t offset_for(const Place& reader, const Address& operand) const;
  /// The digits that count the boxes that a process reads, the first one slowest.
  const std::vector<kernel::Digit>& sources() const { return sources_; }
  /// The places of these boxes, as `sources` counts them.
  std::vector<Place> read_by(const Place& reader) const;
  /// True if the process at `reader` reads of that at `source`.
  bool reads(const Place& reader, const Place& source) const;

 private:
  void add(const CutDigit& digit, Differs differs);

  Processes processes_;
  bool crosses_ = false;
  AxisSet read_across_ = 0;  // divided axes that digits read
  kernel::View inside_;
  std::vector<kernel::Digit> sources_;  // from boxes, to dims and devices inside of a box
  std::vector<CutDigit> paired_;        // from boxes to boxes
  std::vector<CutDigit> targets_;       // from inside of a box to boxes
};

}  // namespace tutti
