// SPDX-License-Identifier: Apache-2.0
// Shuffles of values that lie in several processes: pack, a transfer, and a shuffle of what has arrived.
#include <algorithm>
#include <map>
#include <set>

#include "tutti/run/graph/graph_builder.hpp"

namespace tutti {
namespace {

using Place = ViewCut::Place;

/// A block of the value of one device.
struct Piece {
  std::int64_t device;  // along axes where the operand is equal: 0
  std::int64_t block;
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
  Source source(const Place& reader, std::int64_t device, std::int64_t block) const {
    Source found{reader, {0, block}};
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
  const Value from = value(equation().operands[0]);
  const AxisSet stored = stored_axes(result_type());
  const Readers readers(processes_, from.stored);
  const Mesh& whole = processes_.whole();
  const Place self = own_place();
  const std::size_t each = shuffle.pieces.size() / static_cast<std::size_t>(whole.devices());

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
      const auto device = static_cast<std::size_t>(device_of(reader, coordinates(graph_.mesh, stored, i)));
      for (std::size_t k = 0; k < each; ++k)
        for (int source : shuffle.pieces[device * each + k].devices)
          act(readers.source(reader, source, shuffle.pieces[device * each + k].block));
    }
  };
  std::map<int, std::set<Piece>> wanted_by, wanted_of;  // of this process by others, and the other way round
  for (const Place& place : processes_.places())
    for_each_source(place, [&](const Readers::Source& source) {
      if (source.place == self) wanted_by[processes_.number(place)].insert(source.piece);
      if (place == self) wanted_of[processes_.number(source.place)].insert(source.piece);
    });

  // A piece in a message, dense.
  const std::int64_t element = element_bytes(graph_, from.address);
  std::int64_t bytes = element;
  std::vector<CopyLoop> loops;  // to a message
  const auto step = [](const kernel::Coordinate& coordinate, const Address& address) {
    return coordinate.of == kernel::Coordinate::Of::dim ? coordinate.weight * address.along(coordinate.dim)
                                                        : std::int64_t{0};
  };
  for (auto digit = shuffle.digits.rbegin(); digit != shuffle.digits.rend(); bytes *= digit->size, ++digit)
    loops.insert(loops.begin(), {digit->size, bytes, step(digit->from, from.address)});
  const auto as_type = [&](std::size_t pieces) {
    return Type(operand_type(0).dtype(), Shape({static_cast<std::int64_t>(pieces), bytes / element}));
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
                           {offset_at(from.address, at) + piece.block * step(shuffle.block, from.address)}});
    }
  }
  Address packed = from.address;
  std::ranges::fill(packed.axes, 0);
  if (!pack.jobs.empty()) {
    const BufferId buffer = new_buffer(as_type(pack.jobs.size()), 0, Spacing::dense);
    add(std::move(pack), {packed}, {buffer}, graph_.buffers[buffer].type.shape(), 0);
    packed = natural_address(graph_, buffer);
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

  const BufferId buffer = result_buffer();
  const Address to = natural_address(graph_, buffer);
  CopyWork shuffled{{}, {}, shuffle.kind, must_agree};
  for (std::size_t i = 0; i < loops.size(); ++i)
    shuffled.loops.push_back({loops[i].size, step(shuffle.digits[i].to, to), loops[i].to_stride});
  for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
    const std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
    const auto device = static_cast<std::size_t>(device_of(self, at));
    for (std::size_t k = 0; k < each; ++k) {
      const kernel::Shuffle::Piece& piece = shuffle.pieces[device * each + k];
      CopyWork::Job& job = shuffled.jobs.emplace_back();
      job.to = offset_at(to, at) + static_cast<std::int64_t>(k) * step(shuffle.piece, to);
      for (int source : piece.devices) {
        const Readers::Source read = readers.source(self, source, piece.block);
        job.from.push_back(received.at({processes_.number(read.place), read.piece}));
      }
    }
  }
  add(std::move(shuffled), {natural_address(graph_, pool)}, {buffer}, result_type().shape(), stored);
}

}  // namespace tutti
