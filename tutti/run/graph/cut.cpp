// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/cut.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

using kernel::Coordinate;

std::optional<std::size_t> divided_axis(const Coordinate& coordinate, const Processes& processes) {
  if (coordinate.of != Coordinate::Source::axis) return std::nullopt;
  const std::size_t axis = index_of(processes.whole(), coordinate.axis);
  return processes.along(axis) > 1 ? std::optional(axis) : std::nullopt;
}

/// Below its border a digit counts devices of one box, from there on boxes. 1: it counts one kind only. 0:
/// there is none.
std::int64_t border(const Coordinate& coordinate, std::int64_t size, const Processes& processes) {
  const std::optional<std::size_t> axis = divided_axis(coordinate, processes);
  if (!axis) return 1;
  const std::int64_t box = processes.box().axes()[*axis].size;
  if (coordinate.weight * size <= box) return 1;
  if (coordinate.weight >= box) return coordinate.weight % box == 0 ? 1 : 0;
  const std::int64_t border = box / coordinate.weight;
  return box % coordinate.weight == 0 && size % border == 0 ? border : 0;
}

/// The coordinate of a part of a digit. Sets `counts_boxes`.
Coordinate part_of(Coordinate coordinate, std::int64_t factor, const Processes& processes,
                   bool& counts_boxes) {
  coordinate.weight *= factor;
  const std::optional<std::size_t> axis = divided_axis(coordinate, processes);
  const std::int64_t box = axis ? processes.box().axes()[*axis].size : 0;
  counts_boxes = axis && coordinate.weight >= box;
  if (counts_boxes) coordinate.weight /= box;
  return coordinate;
}

/// Where parts of a digit end, from the first one on. None: it cannot be cut.
std::vector<std::int64_t> borders_of(const kernel::Digit& digit, const Processes& processes) {
  std::set<std::int64_t> borders{digit.size};
  for (const Coordinate& coordinate : {digit.from, digit.to})
    borders.insert(border(coordinate, digit.size, processes));
  borders.erase(1);
  if (digit.size == 1) borders.insert(1);
  std::int64_t begin = 1;
  for (std::int64_t end : borders)
    if (end == 0 || end % std::exchange(begin, end) != 0) return {};
  return {borders.begin(), borders.end()};
}

std::vector<CutDigit> parts_of(const kernel::Digit& digit, const Processes& processes) {
  std::vector<CutDigit> parts;
  std::int64_t begin = 1;
  for (std::int64_t end : borders_of(digit, processes)) {
    CutDigit& part = parts.emplace_back();
    part.digit.size = end / begin;
    part.digit.from = part_of(digit.from, begin, processes, part.from_boxes);
    part.digit.to = part_of(digit.to, begin, processes, part.to_boxes);
    begin = end;
  }
  ensure(!parts.empty(), "a digit of {} that cannot be cut", digit.size);
  return parts;
}

std::size_t axis_of(const Coordinate& coordinate, const Processes& processes) {
  return index_of(processes.whole(), coordinate.axis);
}

}  // namespace

bool can_be_cut(const kernel::View& view, const Processes& processes) {
  return std::ranges::none_of(view.digits, [&](const kernel::Digit& digit) {
    return borders_of(digit, processes).empty();
  });
}

ViewCut::ViewCut(const kernel::View& view, const Processes& processes, Differs differs)
    : processes_(processes) {
  std::vector<CutDigit> parts;
  for (const kernel::Digit& digit : view.digits)
    for (const CutDigit& part : parts_of(digit, processes)) parts.push_back(part);
  for (const kernel::Digit& digit : view.digits)
    if (const auto axis = divided_axis(digit.from, processes); axis && has(differs.operand, *axis))
      read_across_ |= AxisSet{1} << *axis;
  for (const CutDigit& part : parts) add(part, differs);
  // Along an axis that is read, boxes read their own if paired digits count all of them.
  for (std::size_t axis = 0; axis < processes.whole().axes().size(); ++axis) {
    if (!has(read_across_, axis)) continue;
    std::int64_t last = 0;
    for (const CutDigit& digit : paired_)
      if (digit.stays() && axis_of(digit.digit.from, processes) == axis)
        last += (digit.digit.size - 1) * digit.digit.from.weight;
    crosses_ |= last + 1 != processes.along(axis);
  }
}

void ViewCut::add(const CutDigit& part, Differs differs) {
  CutDigit cut = part;
  if (cut.to_boxes && !has(differs.result, axis_of(cut.digit.to, processes_))) return;
  if (cut.from_boxes) {
    // The rest of the view must not take the axis for one along which each device reads its own.
    inside_.digits.push_back({1, kernel::along(cut.digit.from.axis), kernel::nowhere});
    if (!has(read_across_, axis_of(cut.digit.from, processes_))) {
      cut.from_boxes = false;
      cut.digit.from = kernel::nowhere;
    }
  }
  if (cut.from_boxes && cut.to_boxes) paired_.push_back(cut);
  else if (cut.from_boxes) sources_.push_back(cut.digit);
  else if (cut.to_boxes) {
    targets_.push_back(cut);
    inside_.digits.push_back({1, cut.digit.from, kernel::nowhere});
  } else inside_.digits.push_back(cut.digit);
}

std::int64_t ViewCut::offset_for(const Place& reader, const Address& operand) const {
  std::int64_t offset = 0;
  for (const CutDigit& digit : targets_)
    offset += digit.at(reader[axis_of(digit.digit.to, processes_)]) *
              stride_of(digit.digit.from, processes_.box(), operand);
  return offset;
}

std::vector<ViewCut::Place> ViewCut::read_by(const Place& reader) const {
  Place first = reader;
  for (std::size_t axis = 0; axis < first.size(); ++axis)
    if (has(read_across_, axis)) first[axis] = 0;
  for (const CutDigit& digit : paired_)
    first[axis_of(digit.digit.from, processes_)] +=
        static_cast<int>(digit.at(reader[axis_of(digit.digit.to, processes_)]) * digit.digit.from.weight);
  std::vector<Place> places{first};
  for (const kernel::Digit& digit : sources_) {
    std::vector<Place> more;
    for (const Place& place : places)
      for (std::int64_t i = 0; i < digit.size; ++i) {
        more.push_back(place);
        more.back()[axis_of(digit.from, processes_)] += static_cast<int>(i * digit.from.weight);
      }
    places = std::move(more);
  }
  return places;
}

bool ViewCut::reads(const Place& reader, const Place& source) const {
  Place left = source;  // what the digits from boxes have yet to count
  for (std::size_t axis = 0; axis < left.size(); ++axis)
    if (!has(read_across_, axis)) left[axis] -= reader[axis];
  for (const CutDigit& digit : paired_)
    left[axis_of(digit.digit.from, processes_)] -=
        static_cast<int>(digit.at(reader[axis_of(digit.digit.to, processes_)]) * digit.digit.from.weight);
  for (const kernel::Digit& digit : sources_) {
    const std::size_t axis = axis_of(digit.from, processes_);
    left[axis] -= static_cast<int>(source[axis] / digit.from.weight % digit.size * digit.from.weight);
  }
  return std::ranges::all_of(left, [](int rest) { return rest == 0; });
}

}  // namespace tutti
