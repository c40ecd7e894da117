// SPDX-License-Identifier: Apache-2.0
// Shuffles of values that lie in several processes: pack, a transfer, and a shuffle of what has arrived. Also
// views whose digits count parts of boxes.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
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
  using PiecesOf = std::function<std::vector<Across::Piece>(std::int64_t device)>;
  /// `differs`: the axes along which the operand's values differ. `stored`: those of the result.
  Readers(const Processes& processes, Place self, AxisSet differs, AxisSet stored, const PiecesOf& pieces)
      : processes_(processes), differs_(differs), stored_(stored), pieces_(pieces), self_(std::move(self)) {
    for (const Place& place : processes.places())
      for_each_piece(place, [&](const auto&, const Across::Piece& piece) {
        for (int device : piece.devices) {
          const Source read = source(place, device, piece.from);
          if (read.place == self_) by_[processes_.number(place)].insert(read.piece);
          if (place == self_) of_[processes_.number(read.place)].insert(read.piece);
        }
      });
  }

  /// The pieces of this process that others read, and itself.
  const std::map<int, std::set<Piece>>& by_process() const { return by_; }
  /// The pieces that this process reads of each.
  const std::map<int, std::set<Piece>>& of_process() const { return of_; }

  /// Calls act(coordinates of the shard in the box, piece) for the result of this process.
  template <class Act>
  void for_each_own_piece(const Act& act) const {
    for_each_piece(self_, act);
  }
  /// The process that has what this process reads, and the piece.
  std::pair<int, Piece> read(std::int64_t device, const std::vector<std::int64_t>& begin) const {
    const Source found = source(self_, device, begin);
    return {processes_.number(found.place), found.piece};
  }

 private:
  struct Source {
    Place place;  // of the process
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

  template <class Act>
  void for_each_piece(const Place& reader, const Act& act) const {
    const Mesh& box = processes_.box();
    for (std::int64_t shard = 0; shard < positions(box, stored_); ++shard) {
      const std::vector<std::int64_t> at = coordinates(box, stored_, shard);
      std::int64_t device = 0;  // in the whole mesh
      for (std::size_t axis = 0; axis < at.size(); ++axis)
        device = device * processes_.whole().axes()[axis].size +
                 std::int64_t{reader[axis]} * box.axes()[axis].size + at[axis];
      for (const Across::Piece& piece : pieces_(device)) act(at, piece);
    }
  }

  const Processes& processes_;
  AxisSet differs_, stored_;
  const PiecesOf& pieces_;
  Place self_;
  std::map<int, std::set<Piece>> by_, of_;
};

std::int64_t step_of(const kernel::Coordinate& coordinate, const Address& address) {
  return coordinate.of == kernel::Coordinate::Source::dim ? coordinate.weight * address.along(coordinate.dim)
                                                          : 0;
}
std::int64_t offset_of(const std::vector<std::int64_t>& begin, const Address& address) {
  std::int64_t offset = 0;
  for (std::size_t dim = 0; dim < begin.size(); ++dim) offset += begin[dim] * address.dims[dim];
  return offset;
}

/// A piece in a message: dense, without what repeats.
struct PieceInMessage {
  PieceInMessage(const std::vector<kernel::Digit>& digits, const Address& operand, std::int64_t element)
      : bytes(element) {
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      const bool repeats = digit->from.of != kernel::Coordinate::Source::dim;
      strides.insert(strides.begin(), repeats ? 0 : bytes);
      if (repeats) continue;
      loops.insert(loops.begin(), {digit->size, bytes, step_of(digit->from, operand)});
      bytes *= digit->size;
    }
  }
  /// True if it lies so in the operand.
  bool lies_in_operand() const {
    return std::ranges::all_of(loops, [](const CopyLoop& loop) {
      return loop.size == 1 || loop.from_stride == loop.to_stride;
    });
  }
  /// True if it lies so in the result.
  bool lies_in_result(const std::vector<kernel::Digit>& digits, const Address& result) const {
    for (std::size_t i = 0; i < digits.size(); ++i)
      if (digits[i].size != 1 && strides[i] != step_of(digits[i].to, result)) return false;
    return true;
  }

  std::int64_t bytes;
  std::vector<CopyLoop> loops;        // from the operand
  std::vector<std::int64_t> strides;  // of the digits
};

using Landings = std::map<std::pair<int, Piece>, std::int64_t>;

/// Where the pieces of each process land in the result. None: some land several times, or are folded, or the
/// pieces of a message do not land one after the other.
std::optional<Landings> landings_in_result(const Readers& readers, const Address& result,
                                           std::int64_t bytes) {
  Landings landings;
  bool each_once = true;
  readers.for_each_own_piece([&](const auto& at, const Across::Piece& piece) {
    each_once = each_once && piece.devices.size() == 1;
    if (each_once)
      each_once = landings
                      .emplace(readers.read(piece.devices[0], piece.from),
                               offset_at(result, at) + offset_of(piece.to, result))
                      .second;
  });
  if (!each_once) return std::nullopt;
  for (auto next = landings.begin(); next != landings.end();) {
    const auto before = next++;
    if (next != landings.end() && next->first.first == before->first.first &&
        next->second != before->second + bytes)
      return std::nullopt;
  }
  return landings;
}

/// The same in a pool, where the messages lie one after the other.
Landings landings_in_pool(const Readers& readers, std::int64_t bytes) {
  Landings landings;
  for (const auto& [process, pieces] : readers.of_process())
    for (const Piece& piece : pieces) {
      const std::int64_t at = std::ssize(landings) * bytes;
      landings[{process, piece}] = at;
    }
  return landings;
}

}  // namespace

void GraphBuilder::lower_across(const kernel::Shuffle& shuffle, bool must_agree) {
  const std::size_t each = shuffle.pieces.size() / static_cast<std::size_t>(processes_.whole().devices());
  const auto begin = [](const kernel::Coordinate& coordinate, std::int64_t number, int rank) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(rank));
    if (coordinate.of == kernel::Coordinate::Source::dim)
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
    const bool from_axis = digit.from.of == Coordinate::Source::axis,
               to_axis = digit.to.of == Coordinate::Source::axis;
    if (!from_axis && !to_axis) across.digits.push_back(digit);
    if (from_axis && !to_axis) {
      of_devices.push_back(digit);
      each *= digit.size;
    }
  }
  require_plannable(each * whole.devices());
  AxisSet read_across = 0;
  for (const kernel::Digit& digit : view.digits)
    if (digit.from.of == Coordinate::Source::axis)
      read_across |= AxisSet{1} << index_of(whole, digit.from.axis);

  const auto add_to = [&](const Coordinate& coordinate, std::int64_t digit, std::vector<std::int64_t>& axes,
                          std::vector<std::int64_t>& dims) {
    if (coordinate.of == Coordinate::Source::axis)
      axes[index_of(whole, coordinate.axis)] += digit * coordinate.weight;
    if (coordinate.of == Coordinate::Source::dim)
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
        if (digit.to.of == Coordinate::Source::axis)
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
  const Readers readers(processes_, own_place(), from.stored, stored, across.pieces);
  const std::int64_t element = element_bytes(graph_, from.address);
  const PieceInMessage in_message(across.digits, from.address, element);
  const std::int64_t bytes = in_message.bytes;
  const auto as_type = [&](std::size_t pieces) {
    return Type(graph_.buffers[from.address.buffer].type.dtype(),
                Shape({static_cast<std::int64_t>(pieces), bytes / element}));
  };
  const auto place_of = [&](const Piece& piece) {
    std::vector<std::int64_t> at = coordinates(processes_.whole(), ~AxisSet{0}, piece.device);
    for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] %= graph_.mesh.axes()[axis].size;
    return offset_at(from.address, at) + offset_of(piece.begin, from.address);
  };

  // Pack, unless each message lies in the operand. Messages with the same pieces are one.
  Address packed = from.address;
  std::ranges::fill(packed.axes, 0);
  std::map<std::set<Piece>, std::int64_t> begins;
  const auto is_one_piece = [](const auto& message) { return message.second.size() == 1; };
  if (in_message.lies_in_operand() && std::ranges::all_of(readers.by_process(), is_one_piece)) {
    for (const auto& [process, pieces] : readers.by_process()) begins[pieces] = place_of(*pieces.begin());
  } else if (!readers.by_process().empty()) {
    CopyWork pack{{}, in_message.loops};
    for (const auto& [process, pieces] : readers.by_process()) {
      if (!begins.emplace(pieces, std::ssize(pack.jobs) * bytes).second) continue;
      for (const Piece& piece : pieces)
        pack.jobs.push_back({std::ssize(pack.jobs) * bytes, {place_of(piece)}});
    }
    const BufferId messages = new_buffer(as_type(pack.jobs.size()), 0, Spacing::dense);
    add(std::move(pack), {packed}, {messages}, graph_.buffers[messages].type.shape(), 0);
    packed = natural_address(graph_, messages);
  }

  const Address to = natural_address(graph_, buffer);
  std::optional<Landings> in_result;
  if (!across.must_agree && in_message.lies_in_result(across.digits, to))
    in_result = landings_in_result(readers, to, bytes);
  const Landings landings = in_result ? *in_result : landings_in_pool(readers, bytes);

  TransferWork work;
  for (const auto& [process, pieces] : readers.by_process())
    if (process != processes_.self())
      work.sends.push_back({process, begins[pieces], std::ssize(pieces) * bytes});
  for (const auto& [process, pieces] : readers.of_process()) {
    const std::int64_t at = landings.at({process, *pieces.begin()}), all = std::ssize(pieces) * bytes;
    if (process == processes_.self()) work.own.push_back({begins[pieces], at, all});
    else work.receives.push_back({process, at, all});
  }
  if (in_result) return add(std::move(work), {packed}, {buffer}, type.shape(), 0);
  const BufferId pool = new_buffer(as_type(landings.size()), 0, Spacing::dense);
  add(std::move(work), {packed}, {pool}, graph_.buffers[pool].type.shape(), 0);

  CopyWork shuffled{{}, {}, across.kind, across.must_agree};
  for (std::size_t i = 0; i < across.digits.size(); ++i)
    shuffled.loops.push_back(
        {across.digits[i].size, step_of(across.digits[i].to, to), in_message.strides[i]});
  readers.for_each_own_piece([&](const auto& at, const Across::Piece& piece) {
    CopyWork::Job& job = shuffled.jobs.emplace_back();
    job.to = offset_at(to, at) + offset_of(piece.to, to);
    for (int device : piece.devices) job.from.push_back(landings.at(readers.read(device, piece.from)));
  });
  add(std::move(shuffled), {natural_address(graph_, pool)}, {buffer}, type.shape(), stored);
}

}  // namespace tutti
