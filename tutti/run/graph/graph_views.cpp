// SPDX-License-Identifier: Apache-2.0
// Views: other addresses of the same bytes, and copies where there is no such address.
#include <algorithm>

#include "tutti/run/graph/graph_builder.hpp"

namespace tutti {
namespace {

constexpr std::int64_t long_run_bytes = 1024;  // in runs this long, the time per call is negligible

}  // namespace

void GraphBuilder::lower(const kernel::View& view) {
  for (std::size_t i = 0; i < equation().results.size(); ++i) {
    Var from = equation().operands[i], to = equation().results[i];
    value(to) = viewed(view, value(from), type(from).shape(), type(to), spacing_of(to));
    bool same_elements = type(from).shape() == type(to).shape() && value(to).address == value(from).address;
    if (same_elements) value(to).origin = value(from).origin;
    value(to).blocks = cut_out(view, value(from), type(to).shape());
  }
}

GraphBuilder::Value GraphBuilder::viewed(const kernel::View& view, const Value& from, const Shape& from_shape,
                                         Type to, Spacing spacing) {
  Stored result{to.shape(), stored_axes(to)};
  if (view.reshape) {
    std::optional<Address> address = reshaped(from.address, from_shape, to.shape());
    if (!address) address = reshaped(dense(from, to.with(from_shape)).address, from_shape, to.shape());
    Value same{*address, from.stored};
    return viewed_by(moves_of(identity(to.shape()), graph_.mesh, same.address, {to.shape(), same.stored},
                              result),
                     same, to, spacing);
  }
  Value started = from;
  if (to.elements() > 0) started.address.offset += start_of(view, from.address);
  if (processes_.is_divided()) {
    if (!can_be_cut(view, processes_)) return viewed_by_pieces(view, started, from_shape, to, spacing);
    const ViewCut cut(view, processes_, {from.stored, result.axes});
    if (cut.crosses()) return viewed_across(cut, started, {from_shape, from.stored}, to, spacing);
    if (to.elements() > 0) started.address.offset += cut.offset_for(own_place(), from.address);
    return viewed_by(moves_of(cut.inside(), graph_.mesh, from.address, {from_shape, from.stored}, result),
                     started, to, spacing);
  }
  return viewed_by(moves_of(view, graph_.mesh, from.address, {from_shape, from.stored}, result), started, to,
                   spacing);
}

kernel::View GraphBuilder::identity(const Shape& shape) {
  kernel::View view;
  for (int i = 0; i < shape.rank(); ++i)
    view.digits.push_back({shape[i], kernel::along(Dim{i}), kernel::along(Dim{i})});
  return view;
}

GraphBuilder::Value GraphBuilder::viewed_by(const std::vector<Move>& moves, const Value& from, Type to,
                                            Spacing spacing) {
  AxisSet stored = stored_axes(to);
  if (std::optional<Address> address = address_of(moves, graph_.mesh, from.address, {to.shape(), stored}))
    return {*address, stored};
  BufferId buffer = new_buffer(to, stored, spacing);
  add_copy_of(moves, from.address, buffer);
  return {natural_address(graph_, buffer), stored,
          std::make_shared<const Origin>(Origin{moves, from.address})};
}

bool GraphBuilder::has_long_runs(const Origin& origin, Type type) const {
  std::int64_t bytes = element_bytes(graph_, origin.from), run = bytes;
  for (int dim = type.rank(); dim-- > 0 && run < long_run_bytes;) {
    auto is_next = [&](const Move& move) {
      return move.to.of == kernel::Coordinate::Source::dim && move.to.dim == Dim{dim} &&
             move.to.weight == 1 && move.from == run;
    };
    auto next = std::ranges::find_if(origin.moves, is_next);
    if (next != origin.moves.end()) run *= next->size;
    if (next == origin.moves.end() || next->size != type.shape()[dim]) break;
  }
  return run >= long_run_bytes;
}

void GraphBuilder::add_copy(const Value& from, Type type, BufferId buffer) {
  AxisSet stored = graph_.buffers[buffer].stored;
  if (from.origin && has_long_runs(*from.origin, type)) {
    std::vector<Move> moves = from.origin->moves;
    std::erase_if(moves, [&](const Move& move) {
      return move.to.of == kernel::Coordinate::Source::axis && !has(stored, number_of(move.to.axis));
    });
    return add_copy_of(moves, from.origin->from, buffer);
  }
  add_copy_of(moves_of(identity(type.shape()), graph_.mesh, from.address, {type.shape(), from.stored},
                       {type.shape(), stored}),
              from.address, buffer);
}

void GraphBuilder::add_copy_of(const std::vector<Move>& moves, const Address& from, BufferId buffer) {
  Address to = natural_address(graph_, buffer);
  AxisSet stored = graph_.buffers[buffer].stored;
  CopyWork work;
  std::vector<Move> over_axes;
  for (const Move& move : moves)
    if (move.to.of == kernel::Coordinate::Source::axis) over_axes.push_back(move);
    else if (move.to.of == kernel::Coordinate::Source::dim)
      work.loops.push_back({move.size, to.along(move.to.dim) * move.to.weight, move.from});
  // The operand as the devices of the result read it: a device that gathers does not read only its own part.
  Address read = from;
  std::ranges::fill(read.axes, 0);
  for (const Move& move : over_axes) read.axes[number_of(move.to.axis)] += move.from;
  for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
    std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
    std::int64_t offset = from.offset;
    for (const Move& move : over_axes)
      offset += at[number_of(move.to.axis)] / move.to.weight % move.size * move.from;
    work.jobs.push_back({offset_at(to, at), {offset}});
  }
  add(std::move(work), {read}, {buffer}, graph_.buffers[buffer].type.shape(), stored);
}

GraphBuilder::Value GraphBuilder::dense(const Value& from, Type type) {
  if (is_dense(from.address, type.shape(), element_bytes(graph_, from.address))) return from;
  for (const auto& [address, shape, copy] : dense_copies_)
    if (address == from.address && shape == type.shape()) return copy;
  AxisSet stored = 0;
  for (std::size_t i = 0; i < from.address.axes.size(); ++i)
    if (has(from.stored, i) && from.address.axes[i] != 0) stored |= AxisSet{1} << i;
  BufferId buffer = new_buffer(type, stored, Spacing::dense);
  add_copy(from, type, buffer);
  Value copy{natural_address(graph_, buffer), from.stored};
  dense_copies_.push_back({from.address, type.shape(), copy});
  return copy;
}

}  // namespace tutti
