// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/devices/kernel.hpp"
#include "tutti/run/graph/ids.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

/// A set of mesh axes: bit i is the i-th axis of the mesh.
using AxisSet = std::uint64_t;
inline bool has(AxisSet set, std::size_t axis) { return (set >> axis & 1) != 0; }
/// The number of positions along all axes of `set`: the product of their sizes.
std::int64_t positions(const Mesh& mesh, AxisSet set);
/// The coordinate of position `index` along each mesh axis, 0 outside `set`. Positions count row-major over
/// `set`, in mesh order.
std::vector<std::int64_t> coordinates(const Mesh& mesh, AxisSet set, std::int64_t index);
AxisSet set_of(const Mesh& mesh, const Axes& axes);
/// The place of an axis among those of the mesh.
std::size_t index_of(const Mesh& mesh, const Axis& axis);

/// Where a value lies: a buffer, the byte offset of the first element, and one stride in bytes per mesh axis
/// and per dim. Stride 0 repeats an element. Casts, broadcasts, transposes and gathers are other addresses of
/// the same bytes.
struct Address {
  BufferId buffer = {};
  std::int64_t offset = 0;
  std::vector<std::int64_t> axes;  // one per axis of the mesh
  std::vector<std::int64_t> dims;  // one per dim

  std::int64_t along(Dim dim) const { return dims[static_cast<std::size_t>(dim.index)]; }
  bool operator==(const Address&) const = default;
};

/// Bytes from one step of a coordinate to the next one.
std::int64_t stride_of(const kernel::Coordinate& coordinate, const Mesh& mesh, const Address& address);
std::int64_t offset_at(const Address& address, const std::vector<std::int64_t>& axis_coordinates);
/// Row-major strides in bytes.
std::vector<std::int64_t> dense_strides(const Shape& shape, std::int64_t element_bytes);
/// True if the elements of one device are those of `shape`, contiguous and in row-major order. An address of
/// another rank is of another shape.
bool is_dense(const Address& address, const Shape& shape, std::int64_t element_bytes);

/// A digit of a view (devices/kernel.hpp) whose `from` is a stride in bytes of the operand.
struct Move {
  std::int64_t size;
  std::int64_t from;  // bytes per step
  kernel::Coordinate to;
};

/// An operand or result of a view: shape of one device's value, and the axes along which it has shards.
struct Stored {
  const Shape& shape;
  AxisSet axes;
};

/// The digits of `view` as moves, for an operand at `from`, plus one move for each stored axis of the result
/// that no digit goes to. Along an axis that stores the operand and that no digit reads, each device reads
/// its own coordinate. Requires !view.reshape.
std::vector<Move> moves_of(const kernel::View& view, const Mesh& mesh, const Address& from, Stored operand,
                           Stored result);

/// The byte offset of view.start, relative to `from`.
std::int64_t start_of(const kernel::View& view, const Address& from);

/// The address of the view's result, if the digits of every dim and axis combine into one stride. None: the
/// view needs a copy.
std::optional<Address> address_of(const std::vector<Move>& moves, const Mesh& mesh, const Address& from,
                                  Stored result);

/// The address of the same elements, in row-major order, under the shape `after`. None: the reshape needs a
/// copy.
std::optional<Address> reshaped(const Address& from, const Shape& before, const Shape& after);

}  // namespace tutti
