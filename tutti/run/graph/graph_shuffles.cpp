// SPDX-License-Identifier: Apache-2.0
// Shuffles of values that lie in several processes: pack, a transfer, and a shuffle of what has arrived. Also
// views whose digits count parts of boxes.
#include <algorithm>
#include <map>
#include <set>

#include "tutti/devices/groups.hpp"
#include "tutti/run/graph/graph_builder.hpp"

namespace tutti {
namespace {

using Place = ViewCut::Place;

/// A block of the value of one device.
struct Piece {
  std::int64_t device;              // along axes where the operand is equal: 0
  std::vector<std::int64_t> begin;  // per dim of the operand
  auto operator<=>(const Piece&) const = default;
};

/// Who reads which pieces of whom.
class Readers {
 public:
  Readers(const Processes& processes, AxisSet differs) : processes_(processes), differs_(differs) {}

  struct Source {
    Place place;  // of the process that `reader` reads it of
    Piece piece;
  };
  Source source(const Place& reader, std::int64_t device, std::vector<std::int64_t> begin) const {
    Source found{reader, {0, std::move(begin)}};
    const Mesh& whole = processes_.whole();
    const std::vector<std::int64_t> at = coordinates(whole, ~AxisSet{0}, device);
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const bool counts = has(differs_, axis);
      found.piece.device = found.piece.device * whole.axes()[axis].size + (counts ? at[axis] : 0);
      if (counts) found.place[axis] = static_cast<int>(at[axis] / processes_.box().axes()[axis].size);
    }
    return found;
  }

 private:
  const Processes& processes_;
  AxisSet differs_;
};

}  // namespace

void GraphBuilder::lower_across(const kernel::Shuffle& shuffle, bool must_agree) {
  const std::size_t each = shuffle.pieces.size() / static_cast<std::size_t>(processes_.whole().devices());
  const auto begin = [](const kernel::Coordinate& coordinate, std::int64_t number, int rank) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(rank));
    if (coordinate.of == kernel::Coordinate::Of::dim)
      at[static_cast<std::size_t>(coordinate.dim.index)] = number * coordinate.weight;
    return at;
  };
  Across across{shuffle.digits, {}, shuffle.kind, must_agree};
  across.pieces = [&](std::int64_t device) {
    std::vector<Across::Piece> pieces;
    for (std::size_t k = 0; k < each; ++k) {
      const kernel::Shuffle::Piece& piece = shuffle.pieces[static_cast<std::size_t>(device) * each + k];
      pieces.push_back({piece.devices, begin(shuffle.block, piece.block, operand_type(0).rank()),
                        begin(shuffle.piece, static_cast<std::int64_t>(k), result_type().rank())});
    }
    return pieces;
  };
  add_across(across, value(equation().operands[0]), result_buffer(), result_type());
}

GraphBuilder::Value GraphBuilder::viewed_by_pieces(const kernel::View& view, const Value& from,
                                                   const Shape& from_shape, Type to, Spacing spacing) {
  using kernel::Coordinate;
  const Mesh& whole = processes_.whole();
  std::vector<kernel::Digit> of_devices;  // from an axis to a dim: each value is a piece
  Across across;
  std::int64_t each = 1;
  for (const kernel::Digit& digit : view.digits) {
    const bool from_axis = digit.from.of == Coordinate::Of::axis,
               to_axis = digit.to.of == Coordinate::Of::axis;
    if (!from_axis && !to_axis) across.digits.push_back(digit);
    if (from_axis && !to_axis) {
      of_devices.push_back(digit);
      each *= digit.size;
    }
  }
  require_plannable(each * whole.devices());
  AxisSet read_across = 0;
  for (const kernel::Digit& digit : view.digits)
    if (digit.from.of == Coordinate::Of::axis) read_across |= AxisSet{1} << index_of(whole, digit.from.axis);

  const auto add_to = [&](const Coordinate& coordinate, std::int64_t digit, std::vector<std::int64_t>& axes,
                          std::vector<std::int64_t>& dims) {
    if (coordinate.of == Coordinate::Of::axis)
      axes[index_of(whole, coordinate.axis)] += digit * coordinate.weight;
    if (coordinate.of == Coordinate::Of::dim)
      dims[static_cast<std::size_t>(coordinate.dim.index)] += digit * coordinate.weight;
  };
  across.pieces = [&](std::int64_t device) {
    const std::vector<std::int64_t> own = coordinates(whole, ~AxisSet{0}, device);
    std::vector<Across::Piece> pieces;
    for (std::int64_t k = 0; k < each; ++k) {
      Across::Piece piece{{},
                          std::vector<std::int64_t>(static_cast<std::size_t>(from_shape.rank())),
                          std::vector<std::int64_t>(static_cast<std::size_t>(to.rank()))};
      std::vector<std::int64_t> source = own, nothing(own.size());
      for (std::size_t axis = 0; axis < own.size(); ++axis)
        if (has(read_across, axis)) source[axis] = 0;
      for (const kernel::Digit& digit : view.digits)
        if (digit.to.of == Coordinate::Of::axis)
          add_to(digit.from, own[index_of(whole, digit.to.axis)] / digit.to.weight % digit.size, source,
                 piece.from);
      std::int64_t left = k;
      for (auto digit = of_devices.rbegin(); digit != of_devices.rend(); left /= digit->size, ++digit) {
        add_to(digit->from, left % digit->size, source, piece.from);
        add_to(digit->to, left % digit->size, nothing, piece.to);
      }
      std::int64_t number = 0;
      for (std::size_t axis = 0; axis < source.size(); ++axis)
        number = number * whole.axes()[axis].size + source[axis];
      piece.devices.push_back(static_cast<int>(number));
      pieces.push_back(std::move(piece));
    }
    return pieces;
  };
  const BufferId buffer = new_buffer(to, stored_axes(to), spacing);
  add_across(across, from, buffer, to);
  return {natural_address(graph_, buffer), stored_axes(to)};
}

void GraphBuilder::add_across(const Across& across, const Value& from, BufferId buffer, Type type) {
  const AxisSet stored = stored_axes(type);
  const Readers readers(processes_, from.stored);
  const Mesh& whole = processes_.whole();
  const Place self = own_place();

  // The device in the whole mesh of a shard of the result, of the process at `place`.
  const auto device_of = [&](const Place& place, const std::vector<std::int64_t>& at) {
    std::int64_t device = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      device = device * whole.axes()[axis].size + std::int64_t{place[axis]} * graph_.mesh.axes()[axis].size +
               at[axis];
    return device;
  };
  const auto for_each_source = [&](const Place& reader, const auto& act) {
    for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
      const std::int64_t device = device_of(reader, coordinates(graph_.mesh, stored, i));
      for (const Across::Piece& piece : across.pieces(device))
        for (int source : piece.devices) act(readers.source(reader, source, piece.from));
    }
  };
  std::map<int, std::set<Piece>> wanted_by, wanted_of;  // of this process by others, and the other way round
  for (const Place& place : processes_.places())
    for_each_source(place, [&](const Readers::Source& source) {
      if (source.place == self) wanted_by[processes_.number(place)].insert(source.piece);
      if (place == self) wanted_of[processes_.number(source.place)].insert(source.piece);
    });

  // A piece in a message, dense, without what repeats.
  const std::int64_t element = element_bytes(graph_, from.address);
  std::int64_t bytes = element;
  std::vector<CopyLoop> loops;        // to a message
  std::vector<std::int64_t> strides;  // of the digits, in a message
  const auto step = [](const kernel::Coordinate& coordinate, const Address& address) {
    return coordinate.of == kernel::Coordinate::Of::dim ? coordinate.weight * address.along(coordinate.dim)
                                                        : std::int64_t{0};
  };
  const auto offset_of = [](const std::vector<std::int64_t>& begin, const Address& address) {
    std::int64_t offset = 0;
    for (std::size_t dim = 0; dim < begin.size(); ++dim) offset += begin[dim] * address.dims[dim];
    return offset;
  };
  for (auto digit = across.digits.rbegin(); digit != across.digits.rend(); ++digit) {
    const bool repeats = digit->from.of != kernel::Coordinate::Of::dim;
    strides.insert(strides.begin(), repeats ? 0 : bytes);
    if (repeats) continue;
    loops.insert(loops.begin(), {digit->size, bytes, step(digit->from, from.address)});
    bytes *= digit->size;
  }
  const auto as_type = [&](std::size_t pieces) {
    return Type(graph_.buffers[from.address.buffer].type.dtype(),
                Shape({static_cast<std::int64_t>(pieces), bytes / element}));
  };

  // Pack: messages with the same pieces are one.
  CopyWork pack{{}, loops};
  std::map<std::set<Piece>, std::int64_t> begins;
  for (const auto& [process, pieces] : wanted_by) {
    if (begins.contains(pieces)) continue;
    begins[pieces] = static_cast<std::int64_t>(pack.jobs.size()) * bytes;
    for (const Piece& piece : pieces) {
      std::vector<std::int64_t> at = coordinates(whole, ~AxisSet{0}, piece.device);
      for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] %= graph_.mesh.axes()[axis].size;
      pack.jobs.push_back({static_cast<std::int64_t>(pack.jobs.size()) * bytes,
                           {offset_at(from.address, at) + offset_of(piece.begin, from.address)}});
    }
  }
  Address packed = from.address;
  std::ranges::fill(packed.axes, 0);
  if (!pack.jobs.empty()) {
    const BufferId messages = new_buffer(as_type(pack.jobs.size()), 0, Spacing::dense);
    add(std::move(pack), {packed}, {messages}, graph_.buffers[messages].type.shape(), 0);
    packed = natural_address(graph_, messages);
  }

  TransferWork work;
  for (const auto& [process, pieces] : wanted_by)
    if (process != processes_.self())
      work.sends.push_back({process, begins[pieces], static_cast<std::int64_t>(pieces.size()) * bytes});
  std::map<std::pair<int, Piece>, std::int64_t> received;  // by process
  std::size_t count = 0;
  for (const auto& [process, pieces] : wanted_of) {
    const std::int64_t to = static_cast<std::int64_t>(count) * bytes,
                       all = static_cast<std::int64_t>(pieces.size()) * bytes;
    if (process == processes_.self()) work.own.push_back({begins[pieces], to, all});
    else work.receives.push_back({process, to, all});
    for (const Piece& piece : pieces) received[{process, piece}] = static_cast<std::int64_t>(count++) * bytes;
  }
  const BufferId pool = new_buffer(as_type(count), 0, Spacing::dense);
  add(std::move(work), {packed}, {pool}, graph_.buffers[pool].type.shape(), 0);

  const Address to = natural_address(graph_, buffer);
  CopyWork shuffled{{}, {}, across.kind, across.must_agree};
  for (std::size_t i = 0; i < strides.size(); ++i)
    shuffled.loops.push_back({across.digits[i].size, step(across.digits[i].to, to), strides[i]});
  for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
    const std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
    for (const Across::Piece& piece : across.pieces(device_of(self, at))) {
      CopyWork::Job& job = shuffled.jobs.emplace_back();
      job.to = offset_at(to, at) + offset_of(piece.to, to);
      for (int source : piece.devices) {
        const Readers::Source read = readers.source(self, source, piece.from);
        job.from.push_back(received.at({processes_.number(read.place), read.piece}));
      }
    }
  }
  add(std::move(shuffled), {natural_address(graph_, pool)}, {buffer}, type.shape(), stored);
}

}  // namespace tutti
