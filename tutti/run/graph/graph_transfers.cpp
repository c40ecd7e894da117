// SPDX-License-Identifier: Apache-2.0
// Views and folds of values that lie in several processes: local work, a transfer, local work.
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "tutti/base/require.hpp"
#include "tutti/run/graph/graph_builder.hpp"

namespace tutti {

ViewCut::Place GraphBuilder::own_place() const {
  ViewCut::Place place;
  for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis) place.push_back(processes_.at(axis));
  return place;
}

std::int64_t GraphBuilder::Message::bytes() const {
  std::int64_t bytes = element_bytes;
  for (const Move& loop : loops) bytes *= loop.size;
  return bytes;
}

std::vector<std::int64_t> GraphBuilder::Message::strides() const {
  std::vector<std::int64_t> strides(loops.size());
  std::int64_t stride = element_bytes;
  for (std::size_t i = loops.size(); i-- > 0; stride *= loops[i].size) strides[i] = stride;
  return strides;
}

Type GraphBuilder::Message::type_of(DType dtype, std::int64_t messages) const {
  return {dtype, Shape({messages, bytes() / element_bytes})};
}

bool GraphBuilder::Message::is_dense() const {
  const std::vector<std::int64_t> dense = strides();
  return std::ranges::equal(loops, dense, {}, &Move::from);
}

GraphBuilder::Message GraphBuilder::message_of(std::vector<Move> moves, const Address& from) const {
  std::erase_if(moves, [](const Move& move) { return move.size == 1 || move.from == 0; });
  std::ranges::stable_sort(moves, std::ranges::greater{},
                           [](const Move& move) { return std::abs(move.from); });
  return {std::move(moves), element_bytes(graph_, from)};
}

GraphBuilder::Packed GraphBuilder::packed(const Address& from, const Message& message,
                                          const std::vector<std::int64_t>& offsets) {
  Packed packed{from, {}};
  if (message.is_dense()) {
    for (std::int64_t offset : offsets) packed.begins[offset] = from.offset + offset;
  } else {
    CopyWork pack;
    const std::vector<std::int64_t> strides = message.strides();
    for (std::size_t i = 0; i < strides.size(); ++i)
      pack.loops.push_back({message.loops[i].size, strides[i], message.loops[i].from});
    for (std::int64_t offset : offsets) {
      const std::int64_t begin = std::ssize(packed.begins) * message.bytes();
      packed.begins[offset] = begin;
      pack.jobs.push_back({begin, {from.offset + offset}});
    }
    const BufferId buffer =
        new_buffer(message.type_of(graph_.buffers[from.buffer].type.dtype(), std::ssize(offsets)), 0,
                   Spacing::dense);
    Address read = from;
    std::ranges::fill(read.axes, 0);
    if (!offsets.empty()) add(std::move(pack), {read}, {buffer}, graph_.buffers[buffer].type.shape(), 0);
    packed.operand = natural_address(graph_, buffer);
  }
  std::ranges::fill(packed.operand.axes, 0);
  return packed;
}

BufferId GraphBuilder::transferred(const ViewCut& cut, const Address& from, const Message& message,
                                   OwnMessage own) {
  const ViewCut::Place self = own_place();
  const std::int64_t bytes = message.bytes();

  // The readers of each block of this process, by the offset where the block begins.
  std::map<std::int64_t, std::vector<int>> readers;
  for (const ViewCut::Place& place : processes_.places())
    if (cut.reads(place, self)) readers[cut.offset_for(place, from)].push_back(processes_.number(place));
  std::vector<std::int64_t> offsets;
  for (const auto& [offset, processes] : readers) offsets.push_back(offset);
  const Packed packed = this->packed(from, message, offsets);

  TransferWork work;
  std::int64_t own_begin = 0;
  for (const auto& [offset, processes] : readers)
    for (int process : processes)
      if (process == processes_.self()) own_begin = packed.begins.at(offset);
      else work.sends.push_back({process, packed.begins.at(offset), bytes});
  std::ranges::sort(work.sends, {}, &TransferWork::Part::process);
  std::int64_t messages = 0;
  for (const ViewCut::Place& place : cut.read_by(self)) {
    const int process = processes_.number(place);
    if (process != processes_.self()) work.receives.push_back({process, messages++ * bytes, bytes});
    else if (own == OwnMessage::copied) work.own.push_back({own_begin, messages++ * bytes, bytes});
  }
  std::ranges::sort(work.receives, {}, &TransferWork::Part::process);
  const Type type = message.type_of(graph_.buffers[from.buffer].type.dtype(), messages);
  const BufferId result = new_buffer(type, 0, Spacing::dense);
  add(std::move(work), {packed.operand}, {result}, type.shape(), 0);
  return result;
}

BufferId GraphBuilder::folded_in_chunks(const ViewCut& cut, const Address& from, const Message& message,
                                        ReduceKind kind) {
  const std::vector<ViewCut::Place> places = cut.read_by(own_place());
  std::vector<int> processes;
  for (const ViewCut::Place& place : places) processes.push_back(processes_.number(place));
  const auto own =
      static_cast<std::size_t>(std::ranges::find(processes, processes_.self()) - processes.begin());
  const std::int64_t each = message.element_bytes, elements = message.bytes() / each,
                     chunk = (elements + std::ssize(places) - 1) / std::ssize(places);
  const auto begin = [&](std::size_t i) {
    return std::min(static_cast<std::int64_t>(i) * chunk, elements) * each;
  };
  const auto size = [&](std::size_t i) { return begin(i + 1) - begin(i); };
  const DType dtype = graph_.buffers[from.buffer].type.dtype();
  const std::int64_t offset = cut.offset_for(own_place(), from);
  const Packed packed = this->packed(from, message, {offset});
  const std::int64_t base = packed.begins.at(offset);

  TransferWork scatter, gather;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const std::int64_t row = static_cast<std::int64_t>(i) * chunk * each;
    if (i == own) {
      scatter.own.push_back({base + begin(i), row, size(i)});
      gather.own.push_back({0, begin(i), size(i)});
      continue;
    }
    scatter.sends.push_back({processes[i], base + begin(i), size(i)});
    scatter.receives.push_back({processes[i], row, size(own)});
    gather.sends.push_back({processes[i], 0, size(own)});
    gather.receives.push_back({processes[i], begin(i), size(i)});
  }
  for (TransferWork* work : {&scatter, &gather}) {
    std::ranges::sort(work->sends, {}, &TransferWork::Part::process);
    std::ranges::sort(work->receives, {}, &TransferWork::Part::process);
  }
  const Type rows(dtype, Shape({std::ssize(places), chunk})), part(dtype, Shape({chunk}));
  const BufferId terms = new_buffer(rows, 0, Spacing::dense), folded = new_buffer(part, 0, Spacing::dense),
                 result = new_buffer(message.type_of(dtype, 1), 0, Spacing::dense);
  add(std::move(scatter), {packed.operand}, {terms}, rows.shape(), 0);
  FoldWork fold{kind, 0};
  for (std::int64_t i = 0; i < std::ssize(places); ++i) fold.terms.push_back(i * chunk * each);
  Address read = natural_address(graph_, terms);
  read.dims = {each};
  add(std::move(fold), {read}, {folded}, part.shape(), 0);
  add(std::move(gather), {natural_address(graph_, folded)}, {result}, graph_.buffers[result].type.shape(), 0);
  return result;
}

std::vector<Move> GraphBuilder::moves_in(const Message& message, const std::vector<Move>& moves) {
  std::vector<Move> here;
  for (const Move& move : moves)
    if (move.size == 1 || move.from == 0) here.push_back({move.size, 0, move.to});
  const std::vector<std::int64_t> strides = message.strides();
  for (std::size_t i = 0; i < strides.size(); ++i)
    here.push_back({message.loops[i].size, strides[i], message.loops[i].to});
  return here;
}

GraphBuilder::Value GraphBuilder::viewed_across(const ViewCut& cut, const Value& from, Stored operand,
                                                Type to, Spacing spacing) {
  const std::vector<Move> moves =
      moves_of(cut.inside(), graph_.mesh, from.address, operand, {to.shape(), stored_axes(to)});
  const Message message = message_of(moves, from.address);
  const BufferId buffer = transferred(cut, from.address, message);
  Value received{natural_address(graph_, buffer), 0};
  std::vector<Move> here = moves_in(message, moves);
  std::int64_t step = message.bytes();
  for (auto digit = cut.sources().rbegin(); digit != cut.sources().rend(); step *= digit->size, ++digit)
    here.push_back({digit->size, step, digit->to});
  return viewed_by(here, received, to, spacing);
}

GraphBuilder::Value GraphBuilder::converted(const Value& from, Type type, DType dtype, BufferId buffer) {
  add(PointwiseWork{kernel::Pointwise{kernel::ConvertFn{}}}, {from.address}, {buffer}, type.shape(),
      graph_.buffers[buffer].stored);
  ensure(graph_.buffers[buffer].type.dtype() == dtype, "a conversion to another dtype than its buffer has");
  return {natural_address(graph_, buffer), from.stored};
}

GraphBuilder::Terms GraphBuilder::own_terms(const kernel::Fold& fold, const Value& from, Type folded) {
  const AxisSet along = set_of(graph_.mesh, fold.axes);
  // Own terms are a subtree of all terms if they follow each other, and are a power of two.
  const auto own = static_cast<std::uint64_t>(positions(graph_.mesh, along));
  bool is_subtree = std::has_single_bit(own), is_inside = false;
  for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis) {
    if (!has(along, axis)) continue;
    is_subtree &= !is_inside || processes_.along(axis) == 1;
    is_inside |= graph_.mesh.axes()[axis].size > 1;
  }
  const Type terms = operand_type(0);
  if (!is_subtree || own == 1) return {from, terms, own == 1};
  Value operand = from;
  Type partial = folded;
  const bool rounds =
      is_half(terms.dtype()) && (fold.kind == ReduceKind::sum || fold.kind == ReduceKind::prod);
  if (rounds) {
    partial = folded.with(DType::f32);
    operand = converted(from, terms, DType::f32,
                        new_buffer(terms.with(DType::f32), from.stored, Spacing::staggered));
  }
  const BufferId buffer = new_buffer(partial, stored_axes(folded), Spacing::dense);
  add(FoldWork{fold.kind, along}, {operand.address}, {buffer}, folded.shape(),
      from.stored | stored_axes(folded));
  return {{natural_address(graph_, buffer), stored_axes(folded)}, partial, true};
}

/// A view of all boxes along the axes that a fold goes over and processes divide.
GraphBuilder::Boxes GraphBuilder::boxes_along(AxisSet along) const {
  Boxes boxes;
  for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis)
    if (has(along, axis) && processes_.along(axis) > 1) {
      kernel::Coordinate from_boxes = kernel::along(processes_.whole().axes()[axis]);
      from_boxes.weight = graph_.mesh.axes()[axis].size;
      boxes.view.digits.push_back({processes_.along(axis), from_boxes, kernel::along(Dim{0})});
      boxes.divided |= AxisSet{1} << axis;
      boxes.count *= processes_.along(axis);
    }
  return boxes;
}

GraphBuilder::Value GraphBuilder::rounded_fold(const Work& work, const std::vector<Address>& terms, Type own,
                                               Type result, AxisSet axes,
                                               const std::function<BufferId()>& new_result) {
  if (own.dtype() == result.dtype()) {
    const BufferId buffer = new_result();
    add(work, terms, {buffer}, result.shape(), axes);
    return {natural_address(graph_, buffer), stored_axes(result)};
  }
  const BufferId wide = new_buffer(result.with(own.dtype()), stored_axes(result), Spacing::staggered);
  add(work, terms, {wide}, result.shape(), axes);
  return converted({natural_address(graph_, wide), stored_axes(result)}, result, result.dtype(),
                   new_result());
}

std::optional<GraphBuilder::Value> GraphBuilder::folded_blocks(const kernel::Fold& fold, const Terms& own,
                                                               const Shape& folded) {
  kernel::View then = fold.then[0];
  if (!own.are_folded || then.reshape || !can_be_cut(then, processes_)) return std::nullopt;
  const AxisSet along = set_of(graph_.mesh, fold.axes);
  const Type to = result_type();
  const AxisSet stored = own.value.stored & ~along;
  Address address = dense(own.value, own.type).address;
  for (std::size_t axis = 0; axis < address.axes.size(); ++axis)
    if (has(along, axis)) address.axes[axis] = 0;
  if (to.elements() > 0) address.offset += start_of(then, address);

  Boxes boxes = boxes_along(along);
  boxes.view.digits.insert(boxes.view.digits.end(), then.digits.begin(), then.digits.end());
  const ViewCut cut(boxes.view, processes_, {boxes.divided | stored, stored_axes(to)});
  const Stored result{to.shape(), stored_axes(to)};
  const std::vector<Move> moves = moves_of(cut.inside(), graph_.mesh, address, {folded, stored}, result);
  // Terms of a fold are dense: of each device all dims, in order.
  Message message = message_of(moves, address);
  const auto place = [](const Move& move) {
    const bool is_dim = move.to.of == kernel::Coordinate::Source::dim;
    return std::tuple(is_dim, is_dim ? move.to.dim.index : 0, -move.to.weight);
  };
  std::ranges::stable_sort(message.loops, {}, place);
  const std::vector<Move> here = moves_in(message, moves);
  if (!address_of(here, graph_.mesh, address, result)) return std::nullopt;

  const BufferId received = transferred(cut, address, message);
  const Address terms = *address_of(here, graph_.mesh, natural_address(graph_, received), result);
  FoldWork work{fold.kind, 0};
  for (int box = 0; box < boxes.count; ++box) work.terms.push_back(box * message.bytes());
  return rounded_fold(work, {terms}, own.type, to, stored_axes(to), [&] { return result_buffer(); });
}

GraphBuilder::Value GraphBuilder::folded_across(const kernel::Fold& fold, const Terms& own, Type folded) {
  const AxisSet along = set_of(graph_.mesh, fold.axes);
  const Address address = dense(own.value, own.type).address;
  const Boxes boxes = boxes_along(along);
  const AxisSet divided = boxes.divided;
  const ViewCut cut(boxes.view, processes_, {divided, 0});

  // Terms of a fold are dense: of each device all dims, in order.
  std::vector<Move> moves;
  for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis)
    moves.push_back(
        {graph_.mesh.axes()[axis].size, address.axes[axis], kernel::along(graph_.mesh.axes()[axis])});
  Message message = message_of(moves, address);
  for (int i = 0; i < folded.rank(); ++i)
    if (folded.shape()[i] != 1)
      message.loops.push_back({folded.shape()[i], address.along(Dim{i}), kernel::along(Dim{i})});
  // Two processes would send as many bytes, in two steps.
  const bool in_chunks = own.are_folded && boxes.count > 2 && message.bytes() > processes_.largest_whole_fold;
  const bool is_of_two = own.are_folded && boxes.count == 2 && fold.kind == ReduceKind::sum;
  const BufferId buffer =
      in_chunks ? folded_in_chunks(cut, address, message, fold.kind)
                : transferred(cut, address, message, is_of_two ? OwnMessage::left : OwnMessage::copied);

  Address terms = natural_address(graph_, buffer);
  terms.dims.assign(static_cast<std::size_t>(folded.rank()), 0);
  std::ranges::fill(terms.axes, 0);
  const std::vector<std::int64_t> strides = message.strides();
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const kernel::Coordinate& to = message.loops[i].to;
    if (to.of == kernel::Coordinate::Source::dim)
      terms.dims[static_cast<std::size_t>(to.dim.index)] = strides[i];
    else terms.axes[number_of(to.axis)] = strides[i];
  }
  // Terms in the order of the mesh.
  FoldWork work{fold.kind, 0};
  const Mesh& whole = processes_.whole();
  const AxisSet inside = own.are_folded ? 0 : along;
  for (std::int64_t p = 0; p < positions(whole, along); ++p) {
    const std::vector<std::int64_t> at = coordinates(whole, along, p);
    std::int64_t box = 0, offset = 0;
    bool is_first = true;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      const std::int64_t size = graph_.mesh.axes()[axis].size;
      if (has(divided, axis)) box = box * processes_.along(axis) + at[axis] / size;
      if (has(inside, axis)) offset += at[axis] % size * terms.axes[axis];
      else if (has(along, axis)) is_first &= at[axis] % size == 0;
    }
    if (is_first) work.terms.push_back(box * message.bytes() + offset);
  }
  if (in_chunks) work.terms = {0};  // all are in it
  for (std::size_t axis = 0; axis < terms.axes.size(); ++axis)
    if (has(along, axis)) terms.axes[axis] = 0;

  const AxisSet axes = stored_axes(folded) | (own.value.stored & ~along);
  const bool is_result = fold.then.empty();
  const auto new_result = [&] {
    return is_result ? result_buffer() : new_buffer(folded, stored_axes(folded), Spacing::staggered);
  };
  if (!is_of_two) return rounded_fold(work, {terms}, own.type, folded, axes, new_result);
  // The own term is read where it lies. Terms in the order of the mesh.
  Address mine = address;
  for (std::size_t axis = 0; axis < mine.axes.size(); ++axis)
    if (has(along, axis)) mine.axes[axis] = 0;
  const bool is_first = cut.read_by(own_place())[0] == own_place();
  const std::vector<Address> both =
      is_first ? std::vector<Address>{mine, terms} : std::vector<Address>{terms, mine};
  return rounded_fold(PointwiseWork{kernel::Pointwise{BinaryFn::add}}, both, own.type, folded, axes,
                      new_result);
}

}  // namespace tutti
