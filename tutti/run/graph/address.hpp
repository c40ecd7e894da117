// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tutti/devices/kernel.hpp"
#include "tutti/run/graph/ids.hpp"
#include "tutti/types/mesh.hpp"
#include "tutti/types/shape.hpp"

namespace tutti {

/// A set of mesh axes: bit i is the i-th axis of the mesh.
using AxisSet = std::uint64_t;
inline bool has(AxisSet set, std::size_t axis) { return (set >> axis & 1) != 0; }
/// The positions along all axes of `set` together.
std::int64_t positions(const Mesh& mesh, AxisSet set);
/// Row-major over `set` in mesh order: the coordinate of position `index` along each mesh axis; 0 outside the set.
std::vector<std::int64_t> coordinates(const Mesh& mesh, AxisSet set, std::int64_t index);
AxisSet set_of(const Mesh& mesh, const Axes& axes);

/// Where a value lies: in which buffer buffer, at which byte, and how many bytes one step along each mesh axis and each
/// dim is (0: the same element again). Casts, broadcasts, transposes, gathers are other addresses of the same bytes.
struct Address {
  BufferId buffer = {};
  std::int64_t offset = 0;
  std::vector<std::int64_t> axes;  // one per axis of the mesh
  std::vector<std::int64_t> dims;  // one per dim

  bool operator==(const Address&) const = default;
};

std::int64_t offset_at(const Address& address, const std::vector<std::int64_t>& axis_coordinates);
/// Row-major strides in bytes.
std::vector<std::int64_t> dense_strides(const Shape& shape, std::int64_t element_bytes);
/// The elements of one device lie side by side in row-major order.
bool is_dense(const Address& address, const Shape& shape, std::int64_t element_bytes);

/// A view with all its digits: also those of mesh axes that it does not name. Digits that go to one place have
/// bytes of the operand as their `from`.
struct Move {
  std::int64_t size;
  std::int64_t from;  // bytes per step
  Coordinate to;
};

/// Operand and result of a view: shape of one device's value, and the axes along which it has storage of its own.
struct Stored {
  const Shape& shape;
  AxisSet axes;
};

/// The digits of `view` on an operand at `from`, completed: an axis that the result is stored over and no digit goes
/// to keeps its place, reading its own coordinate where the operand has one that no digit consumes; so does a digit
/// to an axis. For a view that is no reshape.
std::vector<Move> moves_of(const View& view, const Mesh& mesh, const Address& from, Stored operand,
                           Stored result);

/// How many bytes behind `from` the view starts.
std::int64_t start_of(const View& view, const Address& from);

/// The address of the view's result if the digits of every dim and axis step evenly; else a copy must be made.
std::optional<Address> address_of(const std::vector<Move>& moves, const Mesh& mesh, const Address& from,
                                  Stored result);

/// The address of the same elements in row-major order under another shape, if one exists.
std::optional<Address> reshaped(const Address& from, const Shape& before, const Shape& after);

}  // namespace tutti
