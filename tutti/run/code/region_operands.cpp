// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/region_operands.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr std::int64_t shortest_row_call = 32;  // elements; shorter rows are loaded into a tile instead

/// Makes one dim of two neighbours where every block has all of the second one and keeps to its order. One
/// dim is left at least.
void join_dims(RegionAssembly& assembly) {
  const auto erase = [&](std::size_t d) {
    const auto at = static_cast<std::ptrdiff_t>(d);
    assembly.sizes.erase(assembly.sizes.begin() + at);
    for (RegionAssembly::Block& block : assembly.blocks)
      for (std::vector<std::int64_t>* each : {&block.begin, &block.end, &block.strides})
        each->erase(each->begin() + at);
  };
  for (std::size_t d = assembly.sizes.size(); d-- > 0 && assembly.sizes.size() > 1;)
    if (assembly.sizes[d] == 1) erase(d);
  for (std::size_t d = assembly.sizes.size() - 1; d-- > 0;) {
    const std::int64_t size = assembly.sizes[d + 1];
    const bool are_alike = std::ranges::all_of(assembly.blocks, [&](const RegionAssembly::Block& block) {
      return block.begin[d + 1] == 0 && block.end[d + 1] == size &&
             block.strides[d] == size * block.strides[d + 1];
    });
    if (!are_alike) continue;
    for (RegionAssembly::Block& block : assembly.blocks) {
      block.begin[d] *= size;
      block.end[d] *= size;
      block.strides[d] = block.strides[d + 1];
    }
    assembly.sizes[d] *= size;
    erase(d + 1);
  }
}

}  // namespace

OperandRefs::OperandRefs(const Graph& graph, const Steps& steps, StepId step,
                         const std::vector<std::size_t>& unit_axes, RegionCode& code)
    : graph_(graph),
      steps_(steps),
      index_(step),
      step_(steps.list[step]),
      unit_axes_(unit_axes),
      code_(code),
      merged_(step_.outer()) {
  for (std::size_t axis : unit_axes) {
    merged_ &= ~(AxisSet{1} << axis);
    code_.unit_sizes.push_back(graph.mesh.axes()[axis].size);
  }
  code_.space = space_of(graph, step_, merged_);
  code_.bases.add(nullptr);
  code_.base_buffers.add(std::nullopt);
}

// ---- operands

bool OperandRefs::goes_by_row(const std::vector<const Address*>& operands, const Shape& shape,
                              Reads reads) const {
  if (is_row_value(step_, shape) || code_.space.tile_rows == 1 || code_.space.columns < shortest_row_call)
    return false;
  return std::ranges::any_of(operands, [&](const Address* operand) {
    if (!operand) return false;
    if (is_made_here(operand->buffer))
      return reads == Reads::dense_or_scalar && code_.refs[placed_.at(operand->buffer)].row_value;
    Pattern p = pattern(*operand, shape);
    bool in_steps = p.kind == Pattern::Kind::row ||
                    (p.kind == Pattern::Kind::strided && p.column_stride == element_bytes(graph_, *operand));
    return in_steps || (p.kind == Pattern::Kind::column && reads == Reads::dense_or_scalar);
  });
}

OperandRefs::Read OperandRefs::read(const Address& operand, const Shape& shape, Reads reads, bool by_row) {
  bool row_value = is_row_value(step_, shape), one_row = by_row || code_.space.tile_rows == 1;
  bool as_scalar = one_row && reads == Reads::dense_or_scalar;
  if (is_made_here(operand.buffer)) return read_made_here(placed_.at(operand.buffer), row_value, as_scalar);
  Pattern p = pattern(operand, shape);
  RefId from = in_memory(operand, p, row_value);
  switch (p.kind) {
    case Pattern::Kind::dense: return {from};
    case Pattern::Kind::scalar:
      if (reads == Reads::dense_or_scalar) return {from, Stride::scalar};
      return {load_once(operand, from, row_value)};
    case Pattern::Kind::row: return {one_row ? from : load_once(operand, from, row_value)};
    case Pattern::Kind::column:
      if (as_scalar) return {from, Stride::scalar};
      return {load(from, row_value, When::every_tile)};
    case Pattern::Kind::strided:
      if (one_row && !row_value && p.column_stride == element_bytes(graph_, operand)) return {from};
      return {load(from, row_value, When::every_tile)};
    case Pattern::Kind::irregular:
      code_.loops.push_back(p.loops);
      return {load(from, row_value, When::every_tile, code_.loops.size() - 1)};
  }
  return {from};
}

OperandRefs::Read OperandRefs::read_made_here(RefId made, bool row_value, bool as_scalar) {
  if (!ref(made).row_value || row_value) return {made};
  if (as_scalar) return {made, Stride::scalar};
  RefId column = add_ref(ref(made), axis_strides(made));  // the same memory, repeated along rows
  ref(column).row_value = false;
  return {load(column, false, When::every_tile)};
}

bool OperandRefs::lies_by_rows(const Address& operand, const Shape& shape) const {
  if (is_made_here(operand.buffer)) return false;
  Pattern::Kind kind = pattern(operand, shape).kind;
  return kind == Pattern::Kind::row || kind == Pattern::Kind::strided;
}

RefId OperandRefs::start_of_terms(const Address& operand, const Shape& shape) {
  Pattern p = pattern(operand, shape);
  ensure(p.kind == Pattern::Kind::dense || shape.elements() == 0, "terms of a fold are not dense");
  return in_memory(operand, p, is_row_value(step_, shape));
}

RefId OperandRefs::load(RefId from, bool row_value, When when, std::optional<std::size_t> irregular_loops) {
  AxisSet inner = 0;
  for (std::size_t i = 0; i < graph_.mesh.axes().size(); ++i)
    if (has(step_.inner, i) && axis_strides(from)[i] != 0) inner |= AxisSet{1} << i;
  RefId to = temporary(ref(from).element_bytes, inner, row_value, when);
  RegionInstruction i{};
  if (irregular_loops) i.what = RegionInstruction::LoadIrregular{*irregular_loops};
  else i.what = RegionInstruction::LoadTile{};
  i.row_value = row_value;
  i.out = to;
  i.in[0] = from;
  if (irregular_loops) ref(from).row_advance = ref(from).tile_advance = 0;
  add_offsets(i, inner);
  (when == When::every_tile ? code_.code : code_.once).push_back(i);
  if (when == When::every_tile) loaded_.push_back(to);
  else temporaries_.erase(to);  // the tile is never reused
  return to;
}

RefId OperandRefs::load_once(const Address& operand, RefId from, bool row_value) {
  for (const auto& [address, was_row_value, to] : loaded_once_)
    if (address == operand && was_row_value == row_value) return to;
  RefId to = load(from, row_value, When::once_per_unit);
  loaded_once_.push_back({operand, row_value, to});
  return to;
}

// ---- blocks

RefId OperandRefs::same(RefId of) { return add_ref(ref(of), axis_strides(of)); }

RegionAssembly OperandRefs::assembly_of(const Task& task) {
  const std::vector<Box>& boxes = std::get<AssembleWork>(task.work).boxes;
  RegionAssembly made{{}, {}, element_bytes(graph_, task.operands[0]), {}, 0, {}};
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    const Address& address = task.operands[k];
    const RegionOperand over = over_region(graph_, address, task.shape, merged_);
    const std::size_t outer = over.sizes.size() - boxes[k].begin.size();  // merged axes: each block has all
    RegionAssembly::Block block{add_ref({base_of(address.buffer), address.offset, 0, 0, 0, 0,
                                         made.element_bytes, false},
                                        address.axes),
                                std::vector<std::int64_t>(outer, 0), over.sizes, over.strides};
    block.begin.insert(block.begin.end(), boxes[k].begin.begin(), boxes[k].begin.end());
    std::ranges::copy(boxes[k].end, block.end.begin() + static_cast<std::ptrdiff_t>(outer));
    made.sizes = over.sizes;
    made.blocks.push_back(std::move(block));
  }
  join_dims(made);
  return made;
}

std::optional<RegionRim> OperandRefs::joined_rim(const RegionAssembly& assembly,
                                                 const RegionAssembly::Block& block) const {
  constexpr std::int64_t least_share = 4;
  const std::int64_t line = assembly.line();
  if (line < graph_.shortest_rimmed_line || block.begin[0] >= block.end[0] ||
      block.strides != std::vector{line * assembly.element_bytes, assembly.element_bytes})
    return std::nullopt;
  RegionRim rim = code_.rim.value_or(RegionRim{line, 0, line});
  rim.begin = std::max(rim.begin, block.begin[1]);
  rim.end = std::min(rim.end, block.end[1]);
  if (line != rim.line || (line - (rim.end - rim.begin)) * least_share > line) return std::nullopt;
  return rim;
}

void OperandRefs::add_rims(const std::vector<std::size_t>& candidates) {
  std::vector<std::size_t> shortest = candidates;
  std::erase_if(shortest, [&](std::size_t k) { return code_.assemblies[k].sizes.size() != 2; });
  std::ranges::stable_sort(shortest, {}, [&](std::size_t k) { return code_.assemblies[k].line(); });
  for (std::size_t which : shortest) {
    RegionAssembly& assembly = code_.assemblies[which];
    for (std::size_t k = 0; k < assembly.blocks.size() && !assembly.beside; ++k)
      if (const std::optional<RegionRim> rim = joined_rim(assembly, assembly.blocks[k])) {
        code_.rim = rim;
        assembly.widest = k;
        assembly.beside = same(*assembly.tile);
      }
  }
}

// ---- results

RefId OperandRefs::result_in_memory(BufferId b, bool row_value) {
  Address own = natural_address(graph_, b);
  Pattern p = pattern(own, buffer(b).type.shape());
  ensure(p.kind == Pattern::Kind::dense || buffer(b).type.elements() == 0,
         "a result of a region is not dense");
  return in_memory(own, {}, row_value);
}

RefId OperandRefs::pieces_in_memory(BufferId b) {
  Address own = natural_address(graph_, b);
  const std::int64_t piece = lanes_of_piece * element_bytes(graph_, own);
  const std::int64_t row = code_.space.tiles_per_row() * piece;
  return add_ref({base_of(b), 0, row, piece, row, 0, piece, true}, own.axes);
}

RefId OperandRefs::result_in_scratch(BufferId b, bool row_value) {
  auto bytes = static_cast<std::int64_t>(bytes_per_element(buffer(b).type.dtype()));
  return temporary(bytes, buffer(b).stored & step_.inner, row_value);
}

void OperandRefs::release(BufferId b) {
  if (auto placed = placed_.find(b); placed != placed_.end()) free(placed->second);
}

void OperandRefs::release_loaded() {
  for (RefId loaded : loaded_) free(loaded);
  loaded_.clear();
}

// ---- refs

// Taken by value: the arguments may be elements of the vectors that this function grows.
RefId OperandRefs::add_ref(RegionRef made, std::vector<std::int64_t> axis_strides) {
  const RefId ref = code_.refs.add(made);
  for (std::size_t axis : unit_axes_)
    code_.unit_strides.push_back(made.base == scratch_base ? 0 : axis_strides[axis]);
  axis_strides_.add(std::move(axis_strides));
  return ref;
}

BaseId OperandRefs::base_of(BufferId b) {
  for (BaseId base : code_.bases.ids())
    if (code_.base_buffers[base] == b) return base;
  code_.base_buffers.add(b);
  return code_.bases.add(nullptr);
}

Pattern OperandRefs::pattern(const Address& address, const Shape& shape) const {
  RegionOperand over = over_region(graph_, address, shape, merged_);
  std::int64_t columns = is_row_value(step_, shape) ? 1 : code_.space.columns;
  return pattern_of(collapsed(over.sizes, over.strides), code_.space.rows, columns,
                    element_bytes(graph_, address));
}

RefId OperandRefs::in_memory(const Address& address, const Pattern& p, bool row_value) {
  std::int64_t bytes = element_bytes(graph_, address), row = p.row_stride, column = p.column_stride;
  if (p.kind == Pattern::Kind::dense) {
    row = row_value ? bytes : code_.space.columns * bytes;
    column = row_value ? 0 : bytes;
  }
  return add_ref({base_of(address.buffer), address.offset, row, column * code_.space.tile_columns, row,
                  column, bytes, row_value},
                 address.axes);
}

RefId OperandRefs::temporary(std::int64_t bytes, AxisSet inner, bool row_value, When when) {
  std::int64_t elements =
      row_value ? code_.space.tile_rows : code_.space.tile_rows * code_.space.tile_columns;
  std::int64_t each = (elements * bytes + 63) / 64 * 64, all = each * positions(graph_.mesh, inner);
  // A value that is loaded once per unit must not share scratch with values of each tile.
  auto it = when == When::every_tile ? std::ranges::find(free_, all, &Temporary::bytes) : free_.end();
  auto offset = static_cast<std::int64_t>(code_.scratch_bytes);
  if (it != free_.end()) {
    offset = it->offset;
    free_.erase(it);
  } else {
    code_.scratch_bytes += static_cast<std::size_t>(all);
  }
  std::vector<std::int64_t> strides(graph_.mesh.axes().size(), 0);
  std::int64_t stride = each;
  for (std::size_t i = strides.size(); i-- > 0;) {
    if (!has(inner, i)) continue;
    strides[i] = stride;
    stride *= graph_.mesh.axes()[i].size;
  }
  std::int64_t row = row_value ? bytes : code_.space.tile_columns * bytes;
  RefId made = add_ref({scratch_base, offset, 0, 0, row, row_value ? 0 : bytes, bytes, row_value}, strides);
  temporaries_[made] = {offset, all};
  return made;
}

void OperandRefs::free(RefId ref) {
  auto it = temporaries_.find(ref);
  if (it == temporaries_.end()) return;
  free_.push_back(it->second);
  temporaries_.erase(it);
}

void OperandRefs::add_offsets(RegionInstruction& i, AxisSet inner, const FoldWork& fold) {
  i.positions = static_cast<int>(positions(graph_.mesh, inner));
  i.offsets = code_.offsets.size();
  auto offset = [&](RefId r, const std::vector<std::int64_t>& at, AxisSet axes) {
    std::int64_t sum = 0;
    for (std::size_t a = 0; a < at.size(); ++a)
      if (has(axes, a)) sum += at[a] * axis_strides(r)[a];
    return sum;
  };
  auto term = [&](int t) {
    return fold.terms.empty() ? offset(i.in[0], coordinates(graph_.mesh, fold.axes, t), fold.axes)
                              : fold.terms[static_cast<std::size_t>(t)];
  };
  for (int p = 0; p < i.positions; ++p) {
    std::vector<std::int64_t> at = coordinates(graph_.mesh, inner, p);
    code_.offsets.push_back(offset(i.out, at, inner));
    const bool is_fold = i.as<RegionInstruction::Fold>() != nullptr;
    for (int j = 0; j < i.inputs(); ++j)
      if (!is_fold) code_.offsets.push_back(offset(i.in[j], at, inner));
      else code_.offsets.push_back(offset(i.in[0], at, inner & ~fold.axes) + term(j));
  }
}

}  // namespace tutti
