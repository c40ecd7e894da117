// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tutti/base/where.hpp"
#include "tutti/types/axis.hpp"

namespace tutti {

/// A box of devices with named axes: Mesh({{"data", 4}, {"model", 2}}). Devices are numbered row-major, the last
/// axis fastest. Equal meshes (names, sizes, order) are the same mesh and share their axes.
/// Throws T014 for an empty or repeated name, a size below 1, or more than max_devices devices.
class Mesh {
 public:
  static constexpr int max_devices = 65'536;

  explicit Mesh(const std::vector<std::pair<std::string, int>>& names_and_sizes, Where where = Where::here());
  /// The mesh without axes: one device.
  Mesh() : Mesh(std::vector<std::pair<std::string, int>>{}) {}

  /// The mesh of `axes`, all or some of one mesh's, in its order. They stay the same axes.
  static Mesh of(const Axes& axes);

  const Axes& axes() const { return *axes_; }
  int devices() const { return joint_size(*axes_); }
  /// The coordinate of `device` along `axis`, one of axes().
  int coordinate(int device, const Axis& axis) const;
  /// The devices at one position along `axes`: a mesh of the other axes.
  Mesh without(const Axes& axes) const;
  bool operator==(const Mesh&) const = default;

 private:
  const Axes* axes_;  // interned
};

/// "data=4,model=2".
std::string to_string(const Mesh& mesh);
/// The inverse of to_string. Throws T014 with what is wrong with `text`.
Mesh parse_mesh(std::string_view text);

}  // namespace tutti
