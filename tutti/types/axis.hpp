// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"

namespace tutti {

/// A named direction in which devices, or the lanes of a vmap, lie side by side. Every binding has its own
/// id:
/// equal meshes share theirs, each vmap takes a fresh one. Ids of mesh axes are smaller than ids of vmap axes
/// and grow in mesh order, later vmaps grow inward, so ascending ids are the order of printing and of
/// folding.
struct Axis {
  int id = -1;
  int size = 1;
  std::string_view name;  // lives as long as the process

  bool operator==(const Axis& other) const { return id == other.id; }
  auto operator<=>(const Axis& other) const { return id <=> other.id; }
};

/// Several axes, row-major in the order given: the first is the slowest.
using Axes = std::vector<Axis>;

/// The name of an axis, of any kind of text. A null pointer is the empty name, which no axis has.
struct AxisName {
  AxisName(const char* name) : text(name ? name : "") {}
  AxisName(std::string name) : text(std::move(name)) {}
  AxisName(std::string_view name) : text(name) {}
  AxisName(int) = delete;  // 0 would be a null pointer
  AxisName(std::nullptr_t) = delete;

  std::string text;
};

/// "'data'" or "('data', 'model')".
std::string to_string(const Axes& axes);

}  // namespace tutti

namespace tutti::ops {

/// True if `axis` is one of `axes`.
bool contains(const Axes& axes, const Axis& axis);
/// The other axes, in their order.
Axes without(Axes axes, const Axis& axis);
/// The number of positions along all of `axes` together.
int joint_size(const Axes& axes);

/// A fresh axis for one vmap.
Axis fresh_axis(std::string_view name, int size);
/// False for the axis of a vmap.
bool is_mesh_axis(const Axis& axis);

}  // namespace tutti::ops

namespace tutti::internal {

/// A vector, span or array of names, known at run time only.
template <class T>
concept NamesOfAxes = requires(const T& names) {
  { *std::begin(names) } -> std::convertible_to<std::string_view>;
  std::end(names);
};

/// "devices 0 to 3", "device 0" or "no devices": what an axis of n has.
std::string devices_of(int n);
/// Fresh consecutive ids for the axes of one new mesh.
Axes fresh_mesh_axes(const std::vector<std::pair<std::string, int>>& names_and_sizes);

}  // namespace tutti::internal
