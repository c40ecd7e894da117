// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/axis.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <atomic>

#include "tutti/base/where.hpp"

namespace tutti {
namespace {

constexpr int first_vmap_id = 1 << 24;  // mesh ids stay below
std::atomic<int> next_mesh_id{0};
std::atomic<int> next_vmap_id{first_vmap_id};

}  // namespace

bool ops::is_mesh_axis(const Axis& axis) { return axis.id < first_vmap_id; }

bool ops::contains(const Axes& axes, const Axis& axis) { return std::ranges::find(axes, axis) != axes.end(); }

Axes ops::without(Axes axes, const Axis& axis) {
  std::erase(axes, axis);
  return axes;
}

int ops::joint_size(const Axes& axes) {
  int n = 1;
  for (const Axis& axis : axes) n *= axis.size;
  return n;
}

std::string to_string(const Axes& axes) {
  std::string text;
  for (const Axis& axis : axes) text += (text.empty() ? "'" : ", '") + std::string(axis.name) + "'";
  return axes.size() == 1 ? text : "(" + text + ")";
}

std::string internal::devices_of(int n) {
  if (n < 2) return n == 1 ? "device 0" : "no devices";
  return "devices 0 to " + std::to_string(n - 1);
}

Axis ops::fresh_axis(std::string_view name, int size) { return {next_vmap_id++, size, intern_name(name)}; }

Axes internal::fresh_mesh_axes(const std::vector<std::pair<std::string, int>>& names_and_sizes) {
  int id = next_mesh_id.fetch_add(static_cast<int>(names_and_sizes.size()));
  Axes axes;
  for (const auto& [name, size] : names_and_sizes) axes.push_back({id++, size, intern_name(name)});
  return axes;
}

}  // namespace tutti
