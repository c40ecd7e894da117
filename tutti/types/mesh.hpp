// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/base/namespaces.hpp"
#include "tutti/base/where.hpp"
#include "tutti/types/axis.hpp"

namespace tutti {

/// Options of Mesh.
struct MeshOptions {
  /// The machine's devices that stand at the mesh's row-major positions; none: 0, 1, 2 and so on.
  std::vector<int> devices = {};
};

}  // namespace tutti

namespace tutti::internal {

/// A part of the axis `of`: of x=8 cut into 2 and 4 the faster part is x(2)4, its factor of 4 behind slower
/// ones of 2.
struct AxisFactor {
  Axis of;
  int before = 1;  // the product of the slower factors
  int size = 1;
};
/// `axis` as a factor of the axis that a mesh was cut from; of other axes, all of it.
AxisFactor factor_of(const Axis& axis);

}  // namespace tutti::internal

namespace tutti {

/// A box of devices with named axes: Mesh({{"data", 4}, {"model", 2}}). Positions are numbered row-major, the
/// last axis fastest; where no options say otherwise, the machine's devices have the same numbers.
/// Equal meshes (names, sizes, order, devices) are the same mesh and share their axes.
/// Throws T014 for an empty or repeated name, one with brackets, a size below 1, more than max_devices
/// devices, and for devices that are too few, too many, named twice or not from 0 to max_devices - 1.
class Mesh {
 public:
  static constexpr int max_devices = 65'536;

  explicit Mesh(const std::vector<std::pair<std::string, int>>& names_and_sizes, Where where = Where::here());
  Mesh(const std::vector<std::pair<std::string, int>>& names_and_sizes, MeshOptions options,
       Where where = Where::here());
  /// The mesh without axes: one device.
  Mesh() : Mesh(std::vector<std::pair<std::string, int>>{}) {}

  /// The mesh of `axes`, all or some of one mesh's, in its order. They stay the same axes.
  static Mesh of(const Axes& axes);

  /// The axes in order, the slowest first.
  const Axes& axes() const { return interned_->axes; }
  /// The number of devices: the product of the sizes of the axes.
  int devices() const { return ops::joint_size(axes()); }
  /// The coordinate of the device at position `device` along `axis`, one of axes().
  int coordinate(int device, const Axis& axis) const;
  /// Its position along several axes together, row-major in the order given.
  int position(int device, const Axes& axes) const;
  /// The distance between the positions of neighbours along `axis`.
  int stride(const Axis& axis) const;
  /// The machine's number of the device at a position.
  int device_id(int position) const;
  /// True if positions and the machine's devices have the same numbers.
  bool is_in_device_order() const { return interned_->devices.empty(); }
  /// The devices at one position along `axes`: a mesh of the other axes.
  Mesh without(const Axes& axes) const;
  /// The same devices, with axes cut into parts: `sizes` has those of each axis' parts, the slowest first.
  /// All axes of the result are new; a part is called by its axis, its slower factors and its size, as in
  /// "x(2)4".
  Mesh cut(const std::vector<std::vector<int>>& sizes) const;
  /// The mesh that this one was cut from; for others, this one.
  Mesh whole() const;
  bool operator==(const Mesh&) const = default;

 private:
  struct Interned {
    Axes axes;
    std::vector<int> devices;         // none: in device order
    const Interned* whole = nullptr;  // that this one was cut from
  };
  struct AllInterned;
  friend internal::AxisFactor internal::factor_of(const Axis& axis);

  const Interned* interned_;
};

/// "data=4,model=2"; with devices of its own "data=2 on devices 2,0".
std::string to_string(const Mesh& mesh);
/// The inverse of to_string for a mesh in device order. Throws T014 with what is wrong with `text`.
Mesh parse_mesh(std::string_view text);

}  // namespace tutti
