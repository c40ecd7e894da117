// SPDX-License-Identifier: Apache-2.0
// The shards of an array on a mesh: which block of the whole each has, and where it lies in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/devices/drivers.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/types/block.hpp"
#include "tutti/types/sharding.hpp"

namespace tutti {

/// A dense array that holds the elements of a whole from `origin` on.
struct Part {
  Shape shape;
  std::vector<std::int64_t> origin;
};
Part whole_part(const Shape& shape);
/// The elements of `box` alone.
Part part_of(const Box& box);

/// Copies the elements of `box`, which both parts hold.
void copy_box(std::byte* to, const Part& target, const std::byte* from, const Part& source, const Box& box,
              std::size_t element_bytes);

class Shards {
 public:
  /// With `drivers`, which must outlive this, each process has the shards of its own devices in memory.
  Shards(Type whole, const Sharding& sharding, const Drivers* drivers = nullptr);

  /// The type of each, with room for padding.
  Type local() const { return local_; }
  /// How many differ on all devices.
  int count() const { return layout_.shards(local_); }
  int devices() const { return layout_.devices(); }
  int shard(int device) const { return layout_.shard(local_, device); }
  /// The process that drives a device; 0 without drivers.
  int process(int device) const;

  /// Devices of this process, one for each shard in its memory, in the order in which these lie there.
  std::vector<int> holders() const;
  /// Where the shard of `device` lies in the memory of this process, counted in shards; -1: not there.
  int slot(int device) const;

  /// The position of a device along the unreduced axes: the number of its term.
  int term(int device) const { return layout_.position(sharding_.unreduced, device); }
  /// The devices that hold the terms of an element, in mesh order, beginning with `device`, which holds the
  /// first.
  std::vector<int> terms(int device) const;
  Box box(int device) const { return block(device, sharding_, whole_.shape()); }
  Part part(int device) const { return {local_.shape(), box(device).begin}; }

  /// `visit` for one device of each block that has elements of `box`: those that stand first along all other
  /// axes.
  template <class Visit>
  void for_each_holder(const Box& box, Visit&& visit) const {
    visit_holders(box, 0, 0, visit);
  }

 private:
  template <class Visit>
  void visit_holders(const Box& box, int dim, int device, Visit& visit) const {
    if (dim == local_.rank()) return visit(device);
    const auto i = static_cast<std::size_t>(dim);
    const std::int64_t size = local_.shape()[dim];
    if (box.begin[i] >= box.end[i]) return;
    for (std::int64_t at = box.begin[i] / size; at * size < box.end[i]; ++at)
      visit_holders(box, dim + 1, layout_.peer(sharding_.dims[i], device, static_cast<int>(at)), visit);
  }

  Type whole_, local_;
  const Sharding& sharding_;
  Layout layout_;
  const Drivers* drivers_;
  std::vector<int> slots_;  // by shard, with drivers
};

}  // namespace tutti
