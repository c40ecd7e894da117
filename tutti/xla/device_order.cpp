// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/device_order.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/xla/torus.hpp"

namespace tutti::xla {
namespace {

// The kind of a TPU begins with this word: "TPU v4". Other kinds are no TPUs: GPUs have "coords" too, {their
// number}.
constexpr std::string_view tpu = "TPU";
constexpr std::size_t most_coordinates = 4;             // TPUs have 3
constexpr std::int64_t most_cells = Mesh::max_devices;  // along a dim

using Torus = std::map<Cell, int>;  // ids of the devices

template <class T>
const T* attribute(const DeviceInfo& device, std::string_view name) {
  const auto found = std::ranges::find(device.attributes, name, &Values::value_type::first);
  return found == device.attributes.end() ? nullptr : std::get_if<T>(&found->second);
}

std::int64_t number(const DeviceInfo& device, std::string_view name) {
  const auto* value = attribute<std::int64_t>(device, name);
  return value ? *value : 0;
}

/// The slice, the coordinates and the core of a TPU. None if the device is no TPU, or its numbers are not
/// usable.
std::optional<Cell> cell_of(const DeviceInfo& device) {
  const auto* coords = attribute<std::vector<std::int64_t>>(device, "coords");
  if (!device.kind.starts_with(tpu) || !coords || coords->empty() || coords->size() > most_coordinates)
    return std::nullopt;
  Cell cell{number(device, "slice_index")};
  cell.insert(cell.end(), coords->begin(), coords->end());
  cell.push_back(number(device, "core_on_chip"));
  const auto is_usable = [](std::int64_t at) { return at >= 0 && at < most_cells; };
  return std::ranges::all_of(cell, is_usable) ? std::optional(cell) : std::nullopt;
}

/// Renumbers the slices from 0, in the same order.
void number_slices(Cells& cells) {
  std::set<std::int64_t> slices;
  for (const Cell& cell : cells) slices.insert(cell.front());
  for (Cell& cell : cells) cell.front() = std::distance(slices.begin(), slices.find(cell.front()));
}

/// None if a device is no TPU, or two devices have the same cell.
std::optional<Torus> torus_of(std::span<const DeviceInfo> devices) {
  Cells cells;
  for (const DeviceInfo& device : devices) {
    std::optional<Cell> cell = cell_of(device);
    if (!cell || (!cells.empty() && cell->size() != cells.front().size())) return std::nullopt;
    cells.push_back(std::move(*cell));
  }
  number_slices(cells);
  Torus torus;
  for (std::size_t i = 0; i < cells.size(); ++i) torus.emplace(cells[i], devices[i].id);
  return torus.size() == devices.size() ? std::optional(torus) : std::nullopt;
}

Cell extents_of(const Torus& torus) {
  Cell least = torus.begin()->first, most = least;
  for (const auto& [cell, id] : torus)
    for (std::size_t dim = 0; dim < cell.size(); ++dim) {
      least[dim] = std::min(least[dim], cell[dim]);
      most[dim] = std::max(most[dim], cell[dim]);
    }
  for (std::size_t dim = 0; dim < most.size(); ++dim) most[dim] += 1 - least[dim];
  return most;
}

/// Returns the devices at these cells, counted from `corner`. None if one is missing.
std::optional<std::vector<int>> devices_at(const Torus& torus, const Cell& corner, const Cells& cells) {
  std::vector<int> ids;
  for (Cell cell : cells) {
    for (std::size_t dim = 0; dim < cell.size(); ++dim) cell[dim] += corner[dim];
    const auto found = torus.find(cell);
    if (found == torus.end()) return std::nullopt;
    ids.push_back(found->second);
  }
  return ids;
}

std::vector<int> order_in(const Torus& torus, std::span<const int> sizes, std::size_t count) {
  for (const BoxOrder& candidate : boxes_within(extents_of(torus), sizes)) {
    const Cells cells = order_of_box(candidate.box, sizes).cells;
    for (const auto& [corner, id] : torus)
      if (auto ids = devices_at(torus, corner, cells)) return std::move(*ids);
  }
  Cells cells;
  for (const auto& [cell, id] : torus) cells.push_back(cell);
  sort_in_rows(cells);
  cells.resize(count);
  return devices_at(torus, Cell(cells.front().size()), cells).value();
}

std::vector<int> order_by_process(std::span<const DeviceInfo> devices, std::size_t count) {
  std::vector<std::pair<int, int>> found;  // process, id
  for (const DeviceInfo& device : devices) found.emplace_back(device.process, device.id);
  std::ranges::sort(found);
  std::vector<int> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(found[i].second);
  return ids;
}

std::string kinds_of(std::span<const DeviceInfo> devices) {
  return devices.empty() ? "" : " (" + devices.front().kind + ")";
}

}  // namespace

std::vector<int> default_order(std::span<const DeviceInfo> devices, const Mesh& mesh) {
  const auto count = static_cast<std::size_t>(mesh.devices());
  require(
      count <= devices.size(), Code::device,
      "xla: the mesh {} has {}, and the plugin has {}{}; use a smaller mesh, or a plugin that drives more "
      "devices",
      mesh, counted(mesh.devices(), "device"), devices.size(), kinds_of(devices));
  const std::optional<Torus> torus = torus_of(devices);
  if (!torus) return order_by_process(devices, count);
  std::vector<int> sizes;
  for (const Axis& axis : mesh.axes()) sizes.push_back(axis.size);
  return order_in(*torus, sizes, count);
}

}  // namespace tutti::xla
