// SPDX-License-Identifier: Apache-2.0
#include "tutti/page/laid_array.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tutti/base/counted.hpp"
#include "tutti/base/excerpt.hpp"
#include "tutti/plan/text.hpp"

namespace tutti::internal {
namespace {

/// The length of the sequence of equal steps that begins at `i`.
std::size_t sequence_at(const std::vector<int>& numbers, std::size_t i) {
  std::size_t end = std::min(i + 2, numbers.size());
  while (end < numbers.size() && numbers[end] - numbers[end - 1] == numbers[i + 1] - numbers[i]) ++end;
  return end - i;
}

std::vector<int> devices_at(const Sharding& sharding, const std::vector<int>& positions) {
  std::vector<int> devices;
  for (int position : positions) devices.push_back(sharding.mesh.device_id(position));
  return devices;
}

/// The devices of each term of the sum that a block is, in order of the terms.
std::vector<std::vector<int>> terms_of(const Sharding& sharding, const std::vector<int>& positions) {
  std::map<int, std::vector<int>> terms;
  for (int position : positions)
    terms[sharding.mesh.position(position, sharding.unreduced)].push_back(position);
  std::vector<std::vector<int>> devices;
  for (const auto& [term, holders] : terms) devices.push_back(devices_at(sharding, holders));
  return devices;
}

/// "x=3,y=0": the coordinates of the devices that hold a part of a dim; empty if all do.
std::string coordinates(const LaidArray& array, const BlockGrid& grid, int dim, std::size_t part) {
  const Sharding sharding = sharding_or_host(array);
  Panel first(grid.dims.size(), 0);
  first[static_cast<std::size_t>(dim)] = part;
  const int position = grid.holders[grid.block(first)][0];
  std::vector<std::string> texts;
  for (const Axis& axis : sharding.dims[static_cast<std::size_t>(dim)])
    texts.push_back(fmt::format("{}={}", axis.name, sharding.mesh.coordinate(position, axis)));
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string names_of_axes(const Axes& axes) {
  std::vector<std::string_view> names;
  for (const Axis& axis : axes) names.push_back(axis.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "down: dim 1; across: dim 3; not split: dims 0,2", for arrays with more than two dims.
std::string shown_note(const BlockGrid& grid, const ShownDims& shown) {
  std::vector<int> whole;
  for (int dim = 0; dim < static_cast<int>(grid.dims.size()); ++dim)
    if (dim != shown.down && dim != shown.across && grid.parts(dim) == 1) whole.push_back(dim);
  const std::string rest =
      whole.empty()
          ? ""
          : fmt::format("; not split: {} {}", whole.size() == 1 ? "dim" : "dims", number_list(whole));
  return fmt::format("down: dim {}; across: dim {}{}", *shown.down, *shown.across, rest);
}

}  // namespace

Sharding sharding_or_host(const LaidArray& array) {
  return array.sharding ? *array.sharding : unsharded(Mesh(), array.whole.rank());
}

std::string number_list(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    const std::size_t length = sequence_at(numbers, i);
    const int first = numbers[i], step = length > 1 ? numbers[i + 1] - first : 0;
    const bool is_range = (step == 1 && length > 2) || (step > 1 && length > 4);
    const std::string_view comma = text.empty() ? "" : ",";
    if (!is_range) text += fmt::format("{}{}", comma, first);
    else if (step == 1) text += fmt::format("{}{}-{}", comma, first, numbers[i + length - 1]);
    else text += fmt::format("{}{},{}..{}", comma, first, first + step, numbers[i + length - 1]);
    i += is_range ? length : 1;
  }
  return text;
}

std::string cell_text(const LaidArray& array, const std::vector<int>& positions, Naming naming) {
  if (!array.sharding) return "host";
  if (naming == Naming::classes) return counted(std::ssize(positions), "device");
  std::vector<std::string> terms;
  for (const std::vector<int>& devices : terms_of(*array.sharding, positions))
    terms.push_back(number_list(devices));
  return fmt::format("{}", fmt::join(terms, "+"));
}

Naming naming_for(const LaidArray& array, const BlockGrid& grid, std::size_t most_letters) {
  const auto is_long = [&](const std::vector<int>& positions) {
    return cell_text(array, positions, Naming::numbers).size() > most_letters;
  };
  return std::ranges::any_of(grid.holders, is_long) ? Naming::classes : Naming::numbers;
}

std::string label(const LaidArray& array, const BlockGrid& grid, int dim, std::size_t part, Naming naming) {
  const Interval interval = grid.dims[static_cast<std::size_t>(dim)][part];
  const std::string elements = fmt::format("{}:{}", interval.begin, interval.end);
  const std::string who = naming == Naming::classes ? coordinates(array, grid, dim, part) : "";
  return who.empty() ? elements : fmt::format("{} {}", shown_text(who), elements);
}

std::string panel_title(const LaidArray& array, const BlockGrid& grid, const ShownDims& shown,
                        const Panel& panel, Naming naming) {
  std::vector<std::string> parts;
  for (int dim = 0; dim < static_cast<int>(panel.size()); ++dim)
    if (dim != shown.down && dim != shown.across && grid.parts(dim) > 1)
      parts.push_back(fmt::format("dim {}: {}", dim,
                                  label(array, grid, dim, panel[static_cast<std::size_t>(dim)], naming)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string heading(const LaidArray& array) {
  if (!array.sharding) return array.type + " is whole on the host, without a sharding";
  return shown_text(fmt::format("{} on {}: {}", array.type, mesh_text(array.sharding->mesh.whole()),
                                to_string(*array.sharding)));
}

std::vector<std::string> notes(const LaidArray& array, const BlockGrid& grid, const ShownDims& shown,
                               Naming naming) {
  const Sharding sharding = sharding_or_host(array);
  std::vector<std::string> lines;
  if (grid.dims.size() > 2) lines.push_back(shown_note(grid, shown));
  const bool is_split = std::ranges::any_of(grid.dims, [](const auto& parts) { return parts.size() > 1; });
  if (naming == Naming::classes && is_split)
    lines.emplace_back("Labels have the coordinates of the devices and the elements of their blocks.");
  if (!sharding.unreduced.empty())
    lines.push_back(shown_text(
        fmt::format("+: along {} the devices hold terms of a sum.", names_of_axes(sharding.unreduced))));
  if (grid.holders.empty()) lines.emplace_back("The array has no elements.");
  else if (!grid.without_block.empty())
    lines.push_back("without a block: " + number_list(devices_at(sharding, grid.without_block)));
  return lines;
}

std::string more_panels(std::size_t n) {
  return "and " + counted(static_cast<std::int64_t>(n), "more panel");
}

std::vector<std::optional<std::size_t>> shown_of(std::size_t n, std::size_t most) {
  std::vector<std::optional<std::size_t>> shown;
  const std::size_t last = n > most ? most / 2 : 0, first = n > most ? most - last : n;
  for (std::size_t i = 0; i < first; ++i) shown.emplace_back(i);
  if (n > most) shown.emplace_back();
  for (std::size_t i = n - last; i < n; ++i) shown.emplace_back(i);
  return shown;
}

std::string shown_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes == 0) shown += '?';
    else shown += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return shown;
}

}  // namespace tutti::internal
