// SPDX-License-Identifier: Apache-2.0
// Meshes and shardings as the dialect sdy writes them.
// Source: https://openxla.org/shardy/sdy_dialect
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::stablehlo {

/// "x", or "x":(2)4: the factor of size 4 behind slower factors of 2.
struct AxisPart {
  std::string name;
  std::int64_t before = 1, size = 0;  // size 0: the whole axis
  bool operator==(const AxisPart&) const = default;
};
/// <["x"=4, "y"=2], device_ids=[1, 0]>
struct MeshAxes {
  std::vector<std::pair<std::string, std::int64_t>> axes;
  std::vector<std::int64_t> device_ids;  // empty: 0, 1, 2 and so on
  bool operator==(const MeshAxes&) const = default;
};
/// {"x", ?}p0: the axes that split one dim, the slowest first.
struct DimSharding {
  std::vector<AxisPart> axes;
  bool is_open = false;        // "?": the compiler may split it further
  std::int64_t priority = -1;  // none
  bool operator==(const DimSharding&) const = default;
};
/// <@mesh, [{"x"}, {}], replicated={"y"}, unreduced={"z"}>
struct ValueSharding {
  std::string mesh;  // the symbol's name; empty: `own_mesh`
  MeshAxes own_mesh;
  std::vector<DimSharding> dims;
  std::vector<AxisPart> replicated, unreduced;
  std::string unreduced_by;  // "max" of unreduced=max{..}; empty: sums
  bool operator==(const ValueSharding&) const = default;
};
/// #sdy.sharding_per_value<[<..>, <..>]>
struct ShardingPerValue {
  std::vector<ValueSharding> values;
  bool operator==(const ShardingPerValue&) const = default;
};
/// #sdy<manual_axes{"x", "y"}>
struct ManualAxes {
  std::vector<std::string> names;
  bool operator==(const ManualAxes&) const = default;
};

}  // namespace tutti::stablehlo
