// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/devices/drivers.hpp"
#include "tutti/types/mesh.hpp"

namespace tutti {

/// How the processes of a job share the devices of a mesh, as one of them sees it. Each process owns a box:
/// the same axes with smaller sizes. All boxes are equally large. Processes are numbered row-major.
class Processes {
 public:
  /// Into how many boxes each axis is divided; axes that are not named stay whole.
  using Split = std::vector<std::pair<std::string, int>>;

  /// One process, which owns all devices.
  Processes(const Mesh& whole);
  /// Process number `self` of `count`. Without `split` the slowest axes are divided first.
  /// Throws R004 unless the boxes are equal, T001 for a name in `split` that the mesh has not.
  static Processes of(const Mesh& whole, int count, int self, const Split& split = {});

  const Mesh& whole() const { return whole_; }
  /// The devices of this process.
  const Mesh& box() const { return box_; }
  int count() const { return count_; }
  int self() const { return self_; }

  /// The number of boxes along an axis, by its number in the mesh.
  int along(std::size_t axis) const { return axes_[axis].along; }
  /// Where this process stands among them.
  int at(std::size_t axis) const { return axes_[axis].at; }
  /// Who drives each device of the machine; null if this process drives all.
  const std::shared_ptr<const Drivers>& drivers() const { return drivers_; }

  /// A fold of more bytes than this goes in two transfers: each process folds a chunk, and sends it to all.
  /// The same on all processes.
  std::int64_t largest_whole_fold = 16 << 10;

  /// The position along an axis of the first device of the box.
  int first(std::size_t axis) const { return at(axis) * box_.axes()[axis].size; }
  bool is_divided() const { return whole_.devices() != box_.devices(); }

  /// The process at a place: one number per axis, from 0 to along(axis) - 1.
  int number(const std::vector<int>& place) const;
  /// The places of all processes of the mesh, in order of their numbers.
  std::vector<std::vector<int>> places() const;
  /// The processes of the mesh without `axes`, at the place of this one along these. They keep their numbers.
  Processes without(const Axes& axes) const;

 private:
  struct OfAxis {
    int along = 1, at = 0;
    int step = 0;  // from a process to the next one along the axis
  };
  Mesh whole_, box_;
  std::vector<OfAxis> axes_;
  int count_ = 1, self_ = 0;
  std::shared_ptr<const Drivers> drivers_;
};

}  // namespace tutti
