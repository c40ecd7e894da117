// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/maps/mesh.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/stablehlo/attribute_text.hpp"

namespace tutti {
namespace {

const stablehlo::MeshAxes* axes_of_symbol(const stablehlo::Operation& symbol) {
  return find_as<stablehlo::MeshAxes>(symbol.attributes, "mesh");
}

const std::string* name_of_symbol(const stablehlo::Operation& symbol) {
  return find_as<std::string>(symbol.attributes, "sym_name");
}

Axis axis_named(const Mesh& mesh, const stablehlo::AxisPart& part) {
  for (const Axis& axis : mesh.axes())
    if (axis.name == part.name) {
      require(
          part.size == 0 || part.size == axis.size, Code::spec,
          "a part of axis '{}' splits the array; programs split by whole axes: give the mesh an axis for the "
          "part",
          part.name);
      return axis;
    }
  fail(Code::axis_unbound, "the mesh {} has no axis '{}'", to_string(mesh), part.name);
}

Axes chosen(const Mesh& mesh, const std::vector<stablehlo::AxisPart>& parts, const Axes& among) {
  Axes axes;
  for (const stablehlo::AxisPart& part : parts) {
    const Axis axis = axis_named(mesh, part);
    if (contains(among, axis)) axes.push_back(axis);
  }
  return axes;
}

}  // namespace

Mesh mesh_of(const stablehlo::MeshAxes& axes, Where where) {
  std::vector<std::pair<std::string, int>> sized;
  for (const auto& [name, size] : axes.axes) {
    require(size <= Mesh::max_devices, Code::mesh, "axis '{}' has {} devices; a mesh has at most {}", name,
            size, Mesh::max_devices);
    sized.emplace_back(name, static_cast<int>(size));
  }
  MeshOptions options;
  for (const std::int64_t id : axes.device_ids) {
    require(id >= 0 && id < Mesh::max_devices, Code::mesh, "there is no device {}; a mesh has at most {}", id,
            Mesh::max_devices);
    options.devices.push_back(static_cast<int>(id));
  }
  if (sized.empty()) return Mesh();
  return Mesh(sized, options, where);
}

Mesh mesh_named(const SourceModule& source, std::string_view name) {
  for (const stablehlo::Operation& symbol : source.module().symbols) {
    const std::string* own = name_of_symbol(symbol);
    const stablehlo::MeshAxes* axes = axes_of_symbol(symbol);
    if (own && axes && *own == name) return mesh_of(*axes, source.place(symbol));
  }
  fail(Code::mesh, "there is no mesh {}; declare it: sdy.mesh {} = <[\"x\"=4]>", stablehlo::symbol(name),
       stablehlo::symbol(name));
}

std::optional<Mesh> largest_mesh(const SourceModule& source) {
  std::optional<Mesh> largest;
  for (const stablehlo::Operation& symbol : source.module().symbols)
    if (const stablehlo::MeshAxes* axes = axes_of_symbol(symbol)) {
      const Mesh mesh = mesh_of(*axes, source.place(symbol));
      if (!largest || mesh.devices() > largest->devices()) largest = mesh;
    }
  return largest;
}

Sharding sharding_on(const Mesh& mesh, const stablehlo::ValueSharding& sharding, int rank, const Axes& axes) {
  require(static_cast<int>(sharding.dims.size()) == rank, Code::spec,
          "the sharding {} is for {} dims, the array has {}", sharding, sharding.dims.size(), rank);
  require(sharding.unreduced.empty() || sharding.unreduced_by.empty(), Code::spec,
          "the sharding {} has parts that are combined by {}; sums alone are known here", sharding,
          sharding.unreduced_by);
  Sharding result{mesh, {}, chosen(mesh, sharding.unreduced, axes), {}};
  for (const stablehlo::DimSharding& dim : sharding.dims) result.dims.push_back(chosen(mesh, dim.axes, axes));
  return result;
}

}  // namespace tutti
