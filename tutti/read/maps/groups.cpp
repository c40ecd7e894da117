// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/maps/groups.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <set>

#include "tutti/base/require.hpp"
#include "tutti/read/maps/mesh.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

/// The whole numbers of a dense attribute of i64; a splat is repeated.
std::vector<std::int64_t> numbers_of(const stablehlo::Dense& dense) {
  std::vector<std::int64_t> numbers(dense.data.size() / sizeof(std::int64_t));
  if (numbers.empty()) return numbers;
  std::memcpy(numbers.data(), dense.data.data(), numbers.size() * sizeof(std::int64_t));
  if (numbers.size() == 1) numbers.resize(static_cast<std::size_t>(dense.type.elements()), numbers[0]);
  return numbers;
}

Groups dense_rows(const stablehlo::Dense& dense, const Mesh& mesh) {
  if (dense.type.shape.size() != 2 || dense.type.element != "i64")
    fail(Code::groups, "groups are {}; expected tensor<..x..xi64>", to_string(dense.type));
  const auto width = static_cast<std::size_t>(dense.type.shape[1]);
  const std::vector<std::int64_t> numbers = numbers_of(dense);
  Groups rows;
  for (std::size_t begin = 0; begin < numbers.size() && width > 0; begin += width) {
    std::vector<int>& row = rows.emplace_back();
    for (std::size_t i = begin; i < begin + width; ++i) {
      if (numbers[i] == -1) continue;  // pads rows of other lengths
      if (numbers[i] < 0 || numbers[i] >= mesh.devices())
        fail(Code::groups, "a group has device {}; the mesh {} has devices 0 to {}", numbers[i],
             to_string(mesh), mesh.devices() - 1);
      row.push_back(static_cast<int>(numbers[i]));
    }
  }
  return rows;
}

/// The axes along which two devices of one row differ, in mesh order, without those of size 1.
Axes crossed(const Groups& rows, const Mesh& mesh) {
  Axes axes;
  for (const Axis& axis : mesh.axes()) {
    const auto crosses = [&](const std::vector<int>& row) {
      return std::ranges::any_of(row, [&](int device) {
        return mesh.coordinate(device, axis) != mesh.coordinate(row[0], axis);
      });
    };
    if (std::ranges::any_of(rows, crosses)) axes.push_back(axis);
  }
  return axes;
}

Axes others(const Mesh& mesh, const Axes& axes) {
  Axes rest;
  for (const Axis& axis : mesh.axes())
    if (!contains(axes, axis)) rest.push_back(axis);
  return rest;
}

/// A factor of an axis: the position along the axis, divided by `below`, modulo `size`.
struct Digit {
  Axis axis;
  int below, size;
};

/// The factors of all axes of a mesh, the slowest first. Each axis is cut where one of `parts` begins or
/// ends.
std::vector<Digit> digits_of(const Mesh& mesh, const std::vector<stablehlo::AxisPart>& parts) {
  std::vector<Digit> digits;
  for (const Axis& axis : mesh.axes()) {
    std::set<std::int64_t> cuts{1, axis.size};
    for (const stablehlo::AxisPart& part : parts)
      if (part.size > 0 && part.name == axis.name) cuts.insert({part.before, part.before * part.size});
    for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); from = to++) {
      if (*to % *from != 0 || axis.size % *to != 0)
        fail(Code::groups, "the parts of axis '{}' are no factors of its size {}", axis.name, axis.size);
      digits.push_back({axis, static_cast<int>(axis.size / *to), static_cast<int>(*to / *from)});
    }
  }
  return digits;
}

bool is_of(const Digit& digit, const stablehlo::AxisPart& part) {
  const std::int64_t before = digit.axis.size / (std::int64_t{digit.below} * digit.size);
  if (digit.axis.name != part.name) return false;
  return part.size == 0 || (before >= part.before && before * digit.size <= part.before * part.size);
}

/// The rows of devices along parts of axes, row-major in this order.
Groups rows_along_parts(const std::vector<stablehlo::AxisPart>& parts, const Mesh& mesh) {
  const std::vector<Digit> all = digits_of(mesh, parts);
  std::vector<Digit> along, rest;
  for (const stablehlo::AxisPart& part : parts)
    std::ranges::copy_if(all, std::back_inserter(along),
                         [&](const Digit& digit) { return is_of(digit, part); });
  for (const Digit& digit : all) {
    const auto times = std::ranges::count_if(parts, [&](const auto& part) { return is_of(digit, part); });
    if (times > 1) fail(Code::groups, "axis '{}' is named twice in one list of groups", digit.axis.name);
    if (times == 0) rest.push_back(digit);
  }
  const auto position = [&](int device, const std::vector<Digit>& digits) {
    int number = 0;
    for (const Digit& digit : digits)
      number = number * digit.size + mesh.coordinate(device, digit.axis) / digit.below % digit.size;
    return number;
  };
  std::map<int, std::map<int, int>> by_rest;
  for (int device = 0; device < mesh.devices(); ++device)
    by_rest[position(device, rest)][position(device, along)] = device;
  Groups rows;
  for (const auto& [at, members] : by_rest) {
    std::vector<int>& row = rows.emplace_back();
    for (const auto& [number, device] : members) row.push_back(device);
  }
  return rows;
}

/// The same of whole axes.
std::set<std::vector<int>> rows_along(const Axes& axes, const Mesh& mesh) {
  std::vector<stablehlo::AxisPart> parts;
  for (const Axis& axis : axes) parts.push_back(stablehlo::AxisPart{std::string(axis.name)});
  const Groups rows = rows_along_parts(parts, mesh);
  return {rows.begin(), rows.end()};
}

bool all_bound(const Axes& axes, const Axes& bound) {
  return std::ranges::all_of(axes, [&](const Axis& axis) { return contains(bound, axis); });
}

/// Rows of devices as positions along `axes`. None: they are not the same at all positions along the others.
std::optional<Groups> rows_on(const Axes& axes, const Groups& rows, const Mesh& mesh) {
  const Axes rest = others(mesh, axes);
  std::map<int, Groups> by_position;
  for (const std::vector<int>& row : rows) {
    if (row.empty()) continue;
    std::vector<int>& group = by_position[mesh.position(row[0], rest)].emplace_back();
    for (const int device : row) group.push_back(mesh.position(device, axes));
  }
  if (static_cast<std::int64_t>(by_position.size()) != joint_size(rest)) return std::nullopt;
  Groups first = by_position.begin()->second, sorted = first;
  std::ranges::sort(sorted);
  for (auto& [position, all] : by_position) {
    std::ranges::sort(all);
    if (all != sorted) return std::nullopt;
  }
  return first;
}

[[noreturn]] void refuse_others(const Mesh& mesh, const Axes& bound) {
  fail(Code::groups,
       "the devices do something else at other positions along {}; make the map manual along it, too",
       to_string(others(mesh, bound)));
}

/// The axes in the order in which a row goes through their devices, the fastest one last. None: in no order.
std::optional<Axes> axes_in_order(const std::vector<int>& row, const Axes& axes, const Mesh& mesh) {
  Axes fastest_first;
  for (std::size_t step = 1; fastest_first.size() < axes.size();) {
    if (step >= row.size()) return std::nullopt;
    const Axes next = crossed({{row[0], row[step]}}, mesh);
    if (next.size() != 1) return std::nullopt;
    fastest_first.push_back(next[0]);
    step *= static_cast<std::size_t>(next[0].size);
  }
  return Axes(fastest_first.rbegin(), fastest_first.rend());
}

stablehlo::Attribute field_of(const stablehlo::Record& record, std::string_view name) {
  const stablehlo::Attribute* field = find(record.fields, name);
  require(field != nullptr, Code::groups, "#stablehlo.{} lacks '{}'", record.name, name);
  return *field;
}

/// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
Groups mesh_axes_rows(const SourceModule& source, const stablehlo::Record& record) {
  const stablehlo::Attribute mesh_field = field_of(record, "mesh"), axes_field = field_of(record, "axes");
  const auto* name = std::get_if<stablehlo::Symbol>(&mesh_field.value);
  const auto* list = std::get_if<stablehlo::List>(&axes_field.value);
  require(name && list, Code::groups, "groups by axes name a mesh and a list of axes");
  const Mesh mesh = mesh_named(source, name->name);
  std::vector<stablehlo::AxisPart> parts;
  for (const stablehlo::Attribute& item : list->items) {
    const auto* part = std::get_if<stablehlo::AxisPart>(&item.value);
    require(part != nullptr, Code::groups, "an axis of groups is #stablehlo.axis_ref<name = ..>");
    if (std::ranges::find(mesh.axes(), part->name, &Axis::name) == mesh.axes().end())
      fail(Code::axis_unbound, "the mesh {} has no axis '{}'", to_string(mesh), part->name);
    parts.push_back(*part);
  }
  return rows_along_parts(parts, mesh);
}

}  // namespace

Groups rows_of(const SourceModule& source, const stablehlo::Attribute& groups, const Mesh& mesh) {
  Groups rows;
  if (const auto* dense = std::get_if<stablehlo::Dense>(&groups.value)) rows = dense_rows(*dense, mesh);
  else if (const auto* record = std::get_if<stablehlo::Record>(&groups.value);
           record && record->name == "replica_group_mesh_axes")
    rows = mesh_axes_rows(source, *record);
  else fail(Code::groups, "replica_groups is {}; expected dense<..> or mesh axes", to_string(groups));
  if (!rows.empty()) return rows;
  std::vector<int>& all = rows.emplace_back();
  for (int device = 0; device < mesh.devices(); ++device) all.push_back(device);
  return rows;
}

Communication communication_of(const Groups& rows, const Mesh& mesh, const Axes& bound) {
  Axes axes = crossed(rows, mesh);
  if (!all_bound(axes, bound))
    fail(Code::groups,
         "the groups lie along {}, but the map is manual along {}; make it manual along all of them",
         to_string(axes), to_string(bound));
  if (axes.empty()) return {};
  const std::optional<Axes> in_order = axes_in_order(rows[0], axes, mesh);
  const std::set<std::vector<int>> wanted(rows.begin(), rows.end());
  if (in_order && rows_along(*in_order, mesh) == wanted) return {*in_order};
  for (const Axes& along : {axes, bound})
    if (const auto groups = rows_on(along, rows, mesh)) return {along, *groups};
  refuse_others(mesh, bound);
}

Permutation permutation_of(const Pairs& devices, const Mesh& mesh, const Axes& bound) {
  Groups rows;
  for (const auto& [source, target] : devices) rows.push_back({source, target});
  const Axes axes = crossed(rows, mesh);
  if (!all_bound(axes, bound))
    fail(Code::groups, "the pairs cross {}, but the map is manual along {}", to_string(axes),
         to_string(bound));
  for (const Axes& along : {axes, bound}) {
    const auto found = rows_on(along, rows, mesh);
    if (!found) continue;
    Pairs pairs;
    for (const std::vector<int>& row : *found) pairs.emplace_back(row[0], row[1]);
    return {along, pairs};
  }
  if (devices.empty()) return {bound, {}};
  refuse_others(mesh, bound);
}

}  // namespace tutti
