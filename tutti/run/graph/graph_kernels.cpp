// SPDX-License-Identifier: Apache-2.0
// Lowering of each kind of kernel to addresses and tasks.
#include <algorithm>
#include <bit>

#include "tutti/base/require.hpp"
#include "tutti/devices/groups.hpp"
#include "tutti/run/graph/graph_builder.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

/// True if the op may become part of a fused region, which can then also fold its result.
bool may_be_in_region(const Kernel& kernel) {
  return std::holds_alternative<kernel::Pointwise>(kernel) || std::holds_alternative<kernel::Fold>(kernel) ||
         std::holds_alternative<kernel::ReduceDims>(kernel);
}

/// The pieces of long rows; none for short ones, and where there is no kernel. There are at least 8 in a row,
/// enough for workers to share. The longest ones stay in L2, with some other values of their region.
std::optional<PiecesWork> pieces_of(ReduceKind kind, int kept, const Shape& shape, DType dtype) {
  constexpr std::int64_t shortest_long_row = 32768, shortest = 4096, longest = 65536;
  static_assert(shortest >= shortest_piece);
  const std::int64_t columns = elements_from(shape, kept);
  if (columns < shortest_long_row || !reduce_pieces_kernel(kind, dtype)) return std::nullopt;
  const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(columns) / 128);
  return PiecesWork{kind, kept, std::clamp(static_cast<std::int64_t>(wanted), shortest, longest)};
}

}  // namespace

void GraphBuilder::lower(const kernel::Literal& literal) {
  std::size_t number = graph_.constants.size();
  graph_.constants.push_back(literal.data);
  BufferId buffer = new_buffer(Type(literal.data.dtype(), literal.data.shape()), 0, Spacing::dense);
  graph_.buffers[buffer].kind = Buffer::Kind::constant;
  graph_.buffers[buffer].number = number;
  value(equation().results[0]) =
      viewed(literal.view, {natural_address(graph_, buffer), 0}, literal.data.shape(), result_type());
}

void GraphBuilder::lower(const kernel::Pointwise& fn) {
  std::vector<Address> operands;
  for (Var var : equation().operands) operands.push_back(read_by_elements(var));
  BufferId buffer = result_buffer();
  add(PointwiseWork{fn}, std::move(operands), {buffer}, result_type().shape(), stored_axes(result_type()));
}

void GraphBuilder::lower(const kernel::Fold& fold) {
  const Value from = value(equation().operands[0]);
  Type folded = operand_type(0).with(fold.axes, State::invariant);
  const AxisSet along = set_of(graph_.mesh, fold.axes);
  require_plannable(positions(processes_.whole(), along) *
                    positions(graph_.mesh, along & stored_axes(folded)));
  if (positions(processes_.whole(), along) != positions(graph_.mesh, along)) {
    const Terms own = own_terms(fold, from, folded);
    if (fold.then.empty()) {
      folded_across(fold, own, folded);
      return;
    }
    std::optional<Value> blocks = folded_blocks(fold, own, folded.shape());
    if (!blocks)
      blocks = viewed(fold.then[0], folded_across(fold, own, folded), folded.shape(), result_type());
    value(equation().results[0]) = *blocks;
    return;
  }
  // With Storage::per_device a result may have more shards than an input: the task runs over these axes, too.
  AxisSet axes = from.stored | stored_axes(folded);
  Work work = FoldWork{fold.kind, along};
  if (fold.then.empty()) {
    add(std::move(work), {from.address}, {result_buffer()}, folded.shape(), axes);
    return;
  }
  if (fold_own_blocks(fold)) return;
  BufferId buffer = new_buffer(folded, stored_axes(folded), Spacing::staggered);
  add(std::move(work), {from.address}, {buffer}, folded.shape(), axes);
  value(equation().results[0]) = viewed(fold.then[0], {natural_address(graph_, buffer), stored_axes(folded)},
                                        folded.shape(), result_type());
}

bool GraphBuilder::fold_own_blocks(const kernel::Fold& fold) {
  const Value from = value(equation().operands[0]);
  const kernel::View& view = fold.then[0];  // selects a block; never a reshape
  std::optional<std::size_t> maker = graph_.buffers[from.address.buffer].equation;
  if (maker && may_be_in_region(kernels_[*maker])) return false;
  AxisSet folded = set_of(graph_.mesh, fold.axes), stored = stored_axes(result_type());
  Address first = from.address;  // of the first term, which is the same for all devices along the folded axes
  for (std::size_t axis = 0; axis < first.axes.size(); ++axis)
    if (has(folded, axis)) first.axes[axis] = 0;
  if (result_type().elements() > 0) first.offset += start_of(view, from.address);
  Stored whole{operand_type(0).shape(), from.stored & ~folded}, own{result_type().shape(), stored};
  std::optional<Address> block =
      address_of(moves_of(view, graph_.mesh, first, whole, own), graph_.mesh, first, own);
  if (!block || !is_dense(*block, own.shape, element_bytes(graph_, *block))) return false;
  FoldWork work{fold.kind, 0};
  for (std::int64_t p = 0; p < positions(graph_.mesh, folded); ++p) {
    std::vector<std::int64_t> at = coordinates(graph_.mesh, folded, p);
    work.terms.push_back(offset_at(from.address, at) - from.address.offset);
  }
  add(std::move(work), {*block}, {result_buffer()}, own.shape, stored | (from.stored & ~folded));
  return true;
}

void GraphBuilder::lower(const kernel::Shuffle& shuffle) {
  if (processes_.is_divided()) return lower_across(shuffle, false);
  Value from = value(equation().operands[0]);
  BufferId buffer = result_buffer();
  Address to = natural_address(graph_, buffer);
  AxisSet stored = stored_axes(result_type()), everywhere = ~AxisSet{0};
  auto step = [](const kernel::Coordinate& coordinate, const Address& address) {
    if (coordinate.of != kernel::Coordinate::Source::dim) return std::int64_t{0};
    return coordinate.weight * address.along(coordinate.dim);
  };
  CopyWork work{{}, {}, shuffle.kind};
  for (const kernel::Digit& digit : shuffle.digits)
    work.loops.push_back({digit.size, step(digit.to, to), step(digit.from, from.address)});
  std::size_t pieces = shuffle.pieces.size() / static_cast<std::size_t>(graph_.mesh.devices());
  Address read = from.address;
  for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
    std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
    std::int64_t device = 0;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
      device = device * graph_.mesh.axes()[axis].size + at[axis];
    for (std::size_t k = 0; k < pieces; ++k) {
      const kernel::Shuffle::Piece& piece = shuffle.pieces[static_cast<std::size_t>(device) * pieces + k];
      CopyWork::Job& job = work.jobs.emplace_back();
      job.to = offset_at(to, at) + static_cast<std::int64_t>(k) * step(shuffle.piece, to);
      for (int source : piece.devices) {
        std::int64_t whole = offset_at(from.address, coordinates(graph_.mesh, everywhere, source));
        job.from.push_back(whole + piece.block * step(shuffle.block, from.address));
        // If a device reads another device's value, the address must not say that devices read their own.
        if (whole != offset_at(from.address, at)) std::ranges::fill(read.axes, 0);
      }
    }
  }
  add(std::move(work), {read}, {buffer}, result_type().shape(), stored);
}

void GraphBuilder::lower_to_first_of_equals(const Axes& axes) {
  if (processes_.is_divided()) {
    const Mesh& whole = processes_.whole();
    const AxisSet all = ~AxisSet{0}, along = set_of(whole, axes);
    require_plannable(std::int64_t{whole.devices()} * positions(whole, along));
    kernel::Shuffle equals;
    equals.digits = identity(result_type().shape()).digits;
    for (int device = 0; device < whole.devices(); ++device) {
      kernel::Shuffle::Piece& piece = equals.pieces.emplace_back();
      for (std::int64_t peer = 0; peer < positions(whole, along); ++peer) {
        std::vector<std::int64_t> at = coordinates(whole, all, device);
        const std::vector<std::int64_t> other = coordinates(whole, along, peer);
        std::int64_t source = 0;
        for (std::size_t axis = 0; axis < at.size(); ++axis)
          source = source * whole.axes()[axis].size + (has(along, axis) ? other[axis] : at[axis]);
        piece.devices.push_back(static_cast<int>(source));
      }
    }
    return lower_across(equals, true);
  }
  Value from = value(equation().operands[0]);
  BufferId buffer = result_buffer();
  Address to = natural_address(graph_, buffer);
  AxisSet stored = stored_axes(result_type()), compared = set_of(graph_.mesh, axes);
  require_plannable(positions(graph_.mesh, stored) * positions(graph_.mesh, compared));
  CopyWork work;
  work.must_agree = true;
  for (std::size_t dim = 0; dim < to.dims.size(); ++dim)
    work.loops.push_back(
        {result_type().shape()[static_cast<int>(dim)], to.dims[dim], from.address.dims[dim]});
  for (std::int64_t i = 0; i < positions(graph_.mesh, stored); ++i) {
    std::vector<std::int64_t> at = coordinates(graph_.mesh, stored, i);
    CopyWork::Job& job = work.jobs.emplace_back(CopyWork::Job{offset_at(to, at), {}});
    for (std::int64_t peer = 0; peer < positions(graph_.mesh, compared); ++peer) {
      std::vector<std::int64_t> other = coordinates(graph_.mesh, compared, peer);
      for (std::size_t axis = 0; axis < other.size(); ++axis)
        if (!has(compared, axis)) other[axis] = at[axis];
      job.from.push_back(offset_at(from.address, other));
    }
  }
  Address read = from.address;
  std::ranges::fill(read.axes, 0);  // each device reads the values of all, not only its own
  add(std::move(work), {read}, {buffer}, result_type().shape(), stored);
}

void GraphBuilder::lower(const kernel::Opaque& opaque) {
  const bool is_alone = opaque.changes || opaque.may_throw;
  ensure(!is_alone || opaque.shared.lines == 1, "{} lines of {}, which writes over an operand or may throw",
         opaque.shared.lines, equation().op->name());
  std::vector<Address> operands;
  for (Var var : equation().operands) operands.push_back(dense(value(var), type(var)).address);
  std::vector<BufferId> buffers;
  for (std::size_t i = 0; i < equation().results.size(); ++i) {
    buffers.push_back(result_buffer(i));
    ensure(stored_axes(type(equation().results[i])) == stored_axes(result_type()),
           "results of units that differ in their states: {} and {}", result_type(),
           type(equation().results[i]));
  }
  add(OpaqueWork{opaque}, std::move(operands), std::move(buffers), result_type().shape(),
      stored_axes(result_type()));
  value(equation().results[0]).blocks = blocks_of(opaque);
}

// ---- reductions over dims

void GraphBuilder::lower(const kernel::ReduceDims& reduce) {
  Value from = value(equation().operands[0]);
  Type operand = operand_type(0);
  const Shape& shape = operand.shape();
  auto is_reduced = [&](int dim) { return std::ranges::find(reduce.dims, Dim{dim}) != reduce.dims.end(); };
  // Runs of kept (k) and reduced (r) dims longer than 1. Only the shape decides how to reduce, so the bits
  // depend on nothing else.
  std::string runs;
  int first_reduced = shape.rank();
  for (int i = shape.rank(); i-- > 0;) {
    if (shape[i] == 1) continue;
    char run = is_reduced(i) ? 'r' : 'k';
    if (runs.empty() || runs[0] != run) runs.insert(runs.begin(), run);
    if (is_reduced(i)) first_reduced = i;
  }
  bool empty = shape.elements() == 0;
  if (runs.find('r') == std::string::npos && !empty)
    value(equation().results[0]) = viewed({{}, true}, from, shape, result_type());
  else if (!empty && (runs == "r" || runs == "kr")) add_rows(reduce.kind, first_reduced, from, shape);
  else if (!empty && (runs == "rk" || runs == "krk")) add_columns(reduce, dense(from, operand), operand);
  else {
    Value moved = with_dims_last(reduce.dims, from, operand);
    int kept = shape.rank() - static_cast<int>(reduce.dims.size());
    std::vector<std::int64_t> sizes;
    for (int i = 0; i < shape.rank(); ++i)
      if (!is_reduced(i)) sizes.push_back(shape[i]);
    for (Dim dim : reduce.dims) sizes.push_back(shape[dim]);
    add_rows(reduce.kind, kept, moved, Shape(sizes));
  }
}

void GraphBuilder::add_rows(ReduceKind kind, int kept, const Value& from, const Shape& shape) {
  if (std::optional<PiecesWork> pieces = pieces_of(kind, kept, shape, result_type().dtype()))
    return add_pieces(*pieces, from, shape);
  Address operand = from.address;
  BufferId buffer = result_buffer();
  add(RowsWork{kind, kept}, {operand}, {buffer}, shape, stored_axes(result_type()));
}

void GraphBuilder::add_pieces(const PiecesWork& work, const Value& from, const Shape& shape) {
  std::vector<std::int64_t> kept(shape.begin(), shape.begin() + work.kept);
  const std::int64_t columns = elements_from(shape, work.kept), rows = Shape(kept).elements();
  const std::int64_t count = (columns + work.columns - 1) / work.columns;
  AxisSet stored = stored_axes(result_type());
  auto add_to = [&](Work made, const Address& operand, const Shape& read, std::vector<std::int64_t> dims) {
    dims.push_back(lanes_of_piece);
    BufferId buffer = new_buffer(result_type().with(Shape(dims)), stored, Spacing::dense);
    add(std::move(made), {operand}, {buffer}, read, stored);
    return natural_address(graph_, buffer);
  };
  std::vector<std::int64_t> of_pieces = kept;
  of_pieces.push_back(count);
  Address pieces = add_to(work, from.address, shape, of_pieces);
  of_pieces.push_back(lanes_of_piece);
  Address lanes = add_to(ColumnsWork{work.kind, rows, count, lanes_of_piece}, pieces, Shape(of_pieces), kept);
  kept.push_back(lanes_of_piece);
  BufferId buffer = result_buffer();
  add(RowsWork{work.kind, work.kept}, {lanes}, {buffer}, Shape(kept), stored);
}

void GraphBuilder::add_columns(const kernel::ReduceDims& reduce, const Value& from, Type operand) {
  const Shape& shape = operand.shape();
  ColumnsWork work{reduce.kind, 1, 1, 1};
  bool seen_reduced = false;
  for (int i = 0; i < shape.rank(); ++i) {
    bool is_reduced = std::ranges::find(reduce.dims, Dim{i}) != reduce.dims.end();
    if (is_reduced && shape[i] != 1) seen_reduced = true;
    (is_reduced ? work.rows : seen_reduced ? work.columns : work.batch) *= shape[i];
  }
  Address address = from.address;
  BufferId buffer = result_buffer();
  add(work, {address}, {buffer}, shape, stored_axes(result_type()));
}

GraphBuilder::Value GraphBuilder::with_dims_last(const Dims& dims, const Value& from, Type operand) {
  Address address = from.address;
  address.dims.clear();
  for (int i = 0; i < operand.rank(); ++i)
    if (std::ranges::find(dims, Dim{i}) == dims.end()) address.dims.push_back(from.address.along(Dim{i}));
  for (Dim dim : dims) address.dims.push_back(from.address.along(dim));
  return {address, from.stored};
}

}  // namespace tutti
