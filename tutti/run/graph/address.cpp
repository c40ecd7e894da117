// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/graph/address.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

/// The stride of a dim or axis whose digits are `moves`; none if they do not combine into one stride.
std::optional<std::int64_t> even_stride(std::vector<Move> moves) {
  std::erase_if(moves, [](const Move& move) { return move.size == 1; });
  if (moves.empty()) return 0;
  std::ranges::sort(moves, {}, [](const Move& move) { return move.to.weight; });
  std::int64_t stride = moves[0].from;  // the lowest digit has weight 1
  for (const Move& move : moves)
    if (move.from != stride * move.to.weight) return std::nullopt;
  return stride;
}

}  // namespace

std::int64_t positions(const Mesh& mesh, AxisSet set) {
  std::int64_t n = 1;
  for (std::size_t i = 0; i < mesh.axes().size(); ++i)
    if (has(set, i)) n *= mesh.axes()[i].size;
  return n;
}

std::vector<std::int64_t> coordinates(const Mesh& mesh, AxisSet set, std::int64_t index) {
  std::vector<std::int64_t> found(mesh.axes().size(), 0);
  for (std::size_t i = mesh.axes().size(); i-- > 0;) {
    if (!has(set, i)) continue;
    found[i] = index % mesh.axes()[i].size;
    index /= mesh.axes()[i].size;
  }
  return found;
}

AxisSet set_of(const Mesh& mesh, const Axes& axes) {
  AxisSet set = 0;
  for (const Axis& axis : axes) set |= AxisSet{1} << index_of(mesh, axis);
  return set;
}

std::size_t index_of(const Mesh& mesh, const Axis& axis) {
  const Axes& axes = mesh.axes();
  auto it = std::ranges::find(axes, axis);
  ensure(it != axes.end(),
         "axis '{}' is not in the mesh {}; a vmap axis must be batched away before the program is compiled",
         axis.name, mesh);
  return static_cast<std::size_t>(it - axes.begin());
}

std::int64_t stride_of(const kernel::Coordinate& coordinate, const Mesh& mesh, const Address& address) {
  switch (coordinate.of) {
    case kernel::Coordinate::Source::nowhere: return 0;
    case kernel::Coordinate::Source::dim: return address.along(coordinate.dim) * coordinate.weight;
    case kernel::Coordinate::Source::axis:
      return address.axes[index_of(mesh, coordinate.axis)] * coordinate.weight;
  }
  return 0;
}

std::int64_t offset_at(const Address& address, const std::vector<std::int64_t>& axis_coordinates) {
  std::int64_t offset = address.offset;
  for (std::size_t i = 0; i < address.axes.size(); ++i) offset += address.axes[i] * axis_coordinates[i];
  return offset;
}

std::vector<std::int64_t> dense_strides(const Shape& shape, std::int64_t element_bytes) {
  std::vector<std::int64_t> strides;
  std::int64_t stride = element_bytes;
  for (int i = shape.rank(); i-- > 0; stride *= shape[i]) strides.push_back(stride);
  std::ranges::reverse(strides);
  return strides;
}

bool is_dense(const Address& address, const Shape& shape, std::int64_t element_bytes) {
  if (std::ssize(address.dims) != shape.rank()) return false;
  if (shape.elements() <= 1) return true;
  std::int64_t stride = element_bytes;
  for (int i = shape.rank(); i-- > 0; stride *= shape[i])
    if (shape[i] != 1 && address.along(Dim{i}) != stride) return false;
  return true;
}

std::int64_t start_of(const kernel::View& view, const Address& from) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < view.start.size(); ++i) offset += view.start[i] * from.dims[i];
  return offset;
}

std::vector<Move> moves_of(const kernel::View& view, const Mesh& mesh, const Address& from, Stored operand,
                           Stored result) {
  AxisSet consumed = 0, reached = 0;
  for (const kernel::Digit& digit : view.digits) {
    if (digit.from.of == kernel::Coordinate::Source::axis)
      consumed |= AxisSet{1} << index_of(mesh, digit.from.axis);
    if (digit.to.of == kernel::Coordinate::Source::axis)
      reached |= AxisSet{1} << index_of(mesh, digit.to.axis);
  }
  AxisSet kept = operand.axes & ~consumed;  // along these, each device reads its own coordinate
  std::vector<Move> moves;
  for (const kernel::Digit& digit : view.digits) {
    Move move{digit.size, stride_of(digit.from, mesh, from), digit.to};
    if (digit.to.of == kernel::Coordinate::Source::axis) {
      std::size_t axis = index_of(mesh, digit.to.axis);
      if (!has(result.axes, axis)) continue;
      if (has(kept, axis)) move.from += from.axes[axis] * digit.to.weight;
    }
    moves.push_back(move);
  }
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis)
    if (has(result.axes, axis) && !has(reached, axis))
      moves.push_back(
          {mesh.axes()[axis].size, has(kept, axis) ? from.axes[axis] : 0, kernel::along(mesh.axes()[axis])});
  return moves;
}

std::optional<Address> address_of(const std::vector<Move>& moves, const Mesh& mesh, const Address& from,
                                  Stored result) {
  std::vector<std::vector<Move>> of_axis(mesh.axes().size()),
      of_dim(static_cast<std::size_t>(result.shape.rank()));
  for (const Move& move : moves) {
    if (move.to.of == kernel::Coordinate::Source::axis) of_axis[index_of(mesh, move.to.axis)].push_back(move);
    if (move.to.of == kernel::Coordinate::Source::dim)
      of_dim[static_cast<std::size_t>(move.to.dim.index)].push_back(move);
  }
  Address address{from.buffer, from.offset, {}, {}};
  for (const auto& digits : of_axis) {
    std::optional<std::int64_t> stride = even_stride(digits);
    if (!stride) return std::nullopt;
    address.axes.push_back(*stride);
  }
  for (const auto& digits : of_dim) {
    std::optional<std::int64_t> stride = even_stride(digits);
    if (!stride) return std::nullopt;
    address.dims.push_back(*stride);
  }
  return address;
}

std::optional<Address> reshaped(const Address& from, const Shape& before, const Shape& after) {
  Address address{from.buffer, from.offset, from.axes,
                  std::vector<std::int64_t>(static_cast<std::size_t>(after.rank()), 0)};
  if (before.elements() <= 1) return address;
  // Match groups of old and new dims that have equally many elements, from the left. The old dims of a group
  // must combine into one stride.
  int i = 0, j = 0;
  while (i < before.rank() && j < after.rank()) {
    int i_end = i + 1, j_end = j + 1;
    std::int64_t n = before[i], m = after[j];
    while (n != m)
      if (n < m) n *= before[i_end++];
      else m *= after[j_end++];
    std::int64_t inner = 0, run = 1;  // stride of the group's last dim; elements that this stride covers
    for (int k = i_end; k-- > i;) {
      if (before[k] == 1) continue;
      std::int64_t stride = from.along(Dim{k});
      if (run == 1) inner = stride;
      else if (stride != inner * run) return std::nullopt;
      run *= before[k];
    }
    for (int k = j_end; k-- > j; inner *= after[k]) address.dims[static_cast<std::size_t>(k)] = inner;
    i = i_end;
    j = j_end;
  }
  return address;  // the remaining dims have size 1
}

}  // namespace tutti
