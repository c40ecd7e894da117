// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/sharding_text.hpp"

#include <string>

namespace tutti {
namespace {

constexpr const char* mesh_name = "mesh";

std::vector<stablehlo::AxisPart> parts_of(const Axes& axes) {
  std::vector<stablehlo::AxisPart> parts;
  for (const Axis& axis : axes) parts.push_back({std::string(axis.name)});
  return parts;
}

stablehlo::ValueSharding value_sharding(const Sharding& sharding) {
  stablehlo::ValueSharding value;
  value.mesh = mesh_name;
  for (const Axes& dim : sharding.dims) value.dims.push_back({parts_of(dim)});
  value.unreduced = parts_of(sharding.unreduced);
  return value;
}

}  // namespace

stablehlo::Operation mesh_symbol(const Mesh& mesh) {
  stablehlo::MeshAxes axes;
  for (const Axis& axis : mesh.axes()) axes.axes.emplace_back(axis.name, axis.size);
  stablehlo::Operation symbol;
  symbol.name = "sdy.mesh";
  symbol.attributes = {{"mesh", {std::move(axes)}}, {"sym_name", {std::string(mesh_name)}}};
  return symbol;
}

stablehlo::Attribute sharding_attribute(const Sharding& sharding) { return {value_sharding(sharding)}; }

stablehlo::Attribute per_value_attribute(const std::vector<Sharding>& shardings) {
  stablehlo::ShardingPerValue all;
  for (const Sharding& sharding : shardings) all.values.push_back(value_sharding(sharding));
  return {std::move(all)};
}

stablehlo::Attribute manual_axes_attribute(const Mesh& mesh) {
  stablehlo::ManualAxes axes;
  for (const Axis& axis : mesh.axes()) axes.names.emplace_back(axis.name);
  return {std::move(axes)};
}

}  // namespace tutti
