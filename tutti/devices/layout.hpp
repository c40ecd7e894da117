// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/types/mesh.hpp"
#include "tutti/types/type.hpp"

namespace tutti {

/// Which devices share storage of a value.
enum class Storage {
  by_type,     // one buffer per distinct value: the V and U axes
  per_device,  // one buffer per device whatever the type; for the soundness law
};

}  // namespace tutti

namespace tutti::ops {

/// The facts that an op may ask for when it is compiled: the devices, and the places of values of a type.
/// Shards are the distinct buffers of a value, row-major over its stored axes in mesh order.
class Layout {
 public:
  Layout(Mesh mesh, Storage storage, Types operands, Types results);

  /// The mesh that the program runs on.
  const Mesh& mesh() const { return mesh_; }
  /// The number of devices of the mesh.
  int devices() const { return mesh_.devices(); }
  /// The types of the operands of the op.
  const Types& operands() const { return operands_; }
  /// The types of the results of the op.
  const Types& results() const { return results_; }

  /// True if a value of this type has storage of its own for each position along `axis`.
  bool stores(Type type, const Axis& axis) const;
  /// The number of distinct buffers of a value of this type.
  int shards(Type type) const;
  /// The number of the buffer that `device` holds, row-major over the axes that store the type.
  int shard(Type type, int device) const;
  /// Per shard: the position of the first device that holds it, along the axes that store it: "i=1, j=0".
  /// Empty texts if all devices hold the one shard.
  std::vector<std::string> holders(Type type) const;
  /// The position of `device` along `axes` together, row-major in the order given.
  int position(const Axes& axes, int device) const;
  /// The device that differs from `device` only in standing at `position` along `axes`.
  int peer(const Axes& axes, int device, int position) const;

 private:
  Mesh mesh_;
  Storage storage_;
  Types operands_, results_;
};

}  // namespace tutti::ops
