// SPDX-License-Identifier: Apache-2.0
// The kernel calls of a region's code, tile by tile: the interpreter runs them, the race checker looks at
// what they touch, and a direct region keeps them.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "tutti/run/code/region.hpp"

namespace tutti::region {

/// Position and size of a tile in its region.
struct Tile {
  std::int64_t row, column, rows, columns;
  std::int64_t along_row;  // tiles before it in its row
};

/// Tile `t` of a unit. The last ones of a row and of the region may be smaller.
Tile tile_of(const RegionCode& code, std::int64_t t);

/// One kernel call, as produced by walk().
struct Call {
  const RegionInstruction& instruction;
  std::uintptr_t out;
  const std::uintptr_t* in;  // one per operand, term of a fold, or part of a fold chain
  std::int64_t n;            // elements, or rows of a fold of rows
  std::int64_t rows = 1;     // if the instruction goes by row: the rows, of n elements each
  bool is_of_rim = false;    // puts together the rim alone
};

inline std::byte* pointer(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

inline std::uintptr_t at_tile(const RegionRef& ref, std::uintptr_t start, const Tile& tile) {
  return start + static_cast<std::uintptr_t>(tile.row * ref.row_advance + tile.along_row * ref.tile_advance);
}

/// The first element of a tile, in row-major order of the region's space.
inline std::int64_t begin_of(const RegionCode& code, const Tile& tile) {
  return tile.row * code.space.columns + tile.column;
}

/// Where a block has the elements from `begin` to `end` one after the other. None: some are not in it.
std::optional<std::uintptr_t> place_in_one_block(const RegionAssembly& assembly, const std::uintptr_t* frame,
                                                 std::int64_t begin, std::int64_t end);

/// Where the block of the rim has these elements, as far as it has them. None: it lacks a whole line.
std::optional<std::uintptr_t> place_within_rim(const RegionAssembly& assembly, const std::uintptr_t* frame,
                                               std::int64_t begin, std::int64_t end);

/// Calls on_call for a tile of blocks, unless one block has all of it. Sets the frame's places of the tile.
template <class F>
void walk_assembly(const RegionCode& code, const RegionInstruction& instruction, std::uintptr_t* frame,
                   const Tile& tile, std::uintptr_t* blocks, F&& on_call) {
  const RegionAssembly& assembly =
      code.assemblies[std::get<RegionInstruction::Assemble>(instruction.what).which];
  const std::int64_t begin = begin_of(code, tile), n = tile.rows * tile.columns;
  std::uintptr_t& place = frame[static_cast<int>(instruction.out)];
  for (std::size_t k = 0; k < assembly.blocks.size(); ++k)
    blocks[k] = frame[static_cast<int>(assembly.blocks[k].ref)];
  if (!assembly.tile)
    return on_call(Call{instruction, at_tile(code.refs[instruction.out], place, tile), blocks, n});
  const std::uintptr_t in_scratch = frame[static_cast<int>(*assembly.tile)];
  const std::optional<std::uintptr_t> in_block = place_in_one_block(assembly, frame, begin, begin + n);
  place = in_block.value_or(in_scratch);
  if (assembly.beside) frame[static_cast<int>(*assembly.beside)] = place;
  if (in_block) return;
  const std::optional<std::uintptr_t> within =
      assembly.beside ? place_within_rim(assembly, frame, begin, begin + n) : std::nullopt;
  place = within.value_or(place);
  on_call(Call{instruction, in_scratch, blocks, n, 1, within.has_value()});
}

/// Calls on_call for a chain on the parts of a tile. Each rim is a part. All lines between are one call. It
/// computes wrong values in the rims, which are overwritten. If the result lies over an operand, each line is
/// a call.
template <class F>
void walk_rims(const RegionCode& code, const Call& whole, const std::uintptr_t* frame, const Tile& tile,
               std::span<const RimmedOperand> rimmed, F&& on_call) {
  const auto beside = [&](const RimmedOperand& of) {
    return frame[static_cast<int>(*code.assemblies[of.assembly].beside)];
  };
  const auto has_rim = [&](const RimmedOperand& of) { return beside(of) != whole.in[of.operand]; };
  if (std::none_of(rimmed.begin(), rimmed.end(), has_rim)) return on_call(whole);
  const RegionInstruction& i = whole.instruction;
  const RegionRim& rim = *code.rim;
  const std::int64_t first = begin_of(code, tile), end = first + whole.n,
                     first_line = first - first % rim.line;
  std::array<std::uintptr_t, RegionInstruction::most_operands> in;
  const auto call_part = [&](std::int64_t part_begin, std::int64_t part_end, bool is_rim) {
    part_begin = std::max(part_begin, first);
    part_end = std::min(part_end, end);
    if (part_begin >= part_end) return;
    const auto skipped = [&](RefId ref) {
      return static_cast<std::uintptr_t>((part_begin - first) * code.refs[ref].element_bytes);
    };
    std::copy_n(whole.in, i.operands, in.begin());
    if (is_rim)
      for (const RimmedOperand& of : rimmed) in[static_cast<std::size_t>(of.operand)] = beside(of);
    for (int j = 0; j < i.operands; ++j)
      if (!i.steps[j].repeats) in[static_cast<std::size_t>(j)] += skipped(i.in[j]);
    on_call(Call{i, whole.out + skipped(i.out), in.data(), part_end - part_begin});
  };
  const bool is_over_operand = std::find(whole.in, whole.in + i.operands, whole.out) != whole.in + i.operands;
  if (!is_over_operand) {
    const std::int64_t last_line = end - 1 - (end - 1) % rim.line;
    const std::int64_t from =
        first < first_line + rim.end ? first_line + rim.begin : first_line + rim.line + rim.begin;
    const std::int64_t to =
        end - 1 >= last_line + rim.begin ? last_line + rim.end : last_line - rim.line + rim.end;
    call_part(from, to, false);
  }
  for (std::int64_t line = first_line; line - (rim.line - rim.end) < end; line += rim.line) {
    call_part(line - (rim.line - rim.end), line + rim.begin, true);
    if (is_over_operand) call_part(line + rim.begin, line + rim.end, false);
  }
}

/// Calls on_call for each kernel call of an instruction on a tile. Changes the frame where a tile lies in one
/// block.
template <class F>
void walk_instruction(const RegionCode& code, const RegionInstruction& instruction, std::uintptr_t* frame,
                      const Tile& tile, std::uintptr_t* terms, F&& on_call) {
  const auto at = [&](RefId ref) { return at_tile(code.refs[ref], frame[static_cast<int>(ref)], tile); };
  if (instruction.as<RegionInstruction::Assemble>())
    return walk_assembly(code, instruction, frame, tile, terms, on_call);
  if (const auto* folds = instruction.as<RegionInstruction::FoldChain>()) {
    std::uintptr_t* to = terms;
    for (const RegionFoldChain::Part& part : code.fold_chains[folds->which].parts)
      *to++ = at(part.ref) + static_cast<std::uintptr_t>(part.offset);
    return on_call(Call{instruction, terms[0], terms, tile.rows * tile.columns});
  }
  std::uintptr_t out = at(instruction.out);
  std::uintptr_t in[RegionInstruction::most_operands];
  for (int j = 0; j < instruction.operands; ++j) in[j] = at(instruction.in[j]);
  const auto* fold = instruction.as<RegionInstruction::Fold>();
  const auto* chain = instruction.as<RegionInstruction::Chain>();
  const std::optional<std::size_t> rims = chain ? chain->rims : std::nullopt;
  bool by_row = instruction.by_row;
  std::int64_t n = instruction.row_value || instruction.folds_rows() ? tile.rows : tile.rows * tile.columns;
  const std::int64_t* offsets = code.offsets.data() + instruction.offsets;
  for (int p = 0; p < instruction.positions; ++p) {
    std::uintptr_t to = out + static_cast<std::uintptr_t>(*offsets++);
    if (fold) {
      for (int t = 0; t < fold->terms; ++t) terms[t] = in[0] + static_cast<std::uintptr_t>(*offsets++);
      on_call(Call{instruction, to, terms, n});
      continue;
    }
    for (int j = 0; j < instruction.operands; ++j) terms[j] = in[j] + static_cast<std::uintptr_t>(*offsets++);
    if (rims) walk_rims(code, Call{instruction, to, terms, n}, frame, tile, code.rims[*rims], on_call);
    else if (by_row) on_call(Call{instruction, to, terms, tile.columns, tile.rows});
    else on_call(Call{instruction, to, terms, n});
  }
}

/// Calls on_row(call) for each row of a call that goes by row, and once for every other call.
template <class F>
void each_row(const RegionCode& code, const Call& call, F&& on_row) {
  if (call.rows == 1) return on_row(call);
  const RegionInstruction& i = call.instruction;
  std::array<std::uintptr_t, RegionInstruction::most_operands> in;
  std::copy_n(call.in, i.operands, in.begin());
  Call row{i, call.out, in.data(), call.n};
  for (std::int64_t r = 0; r < call.rows; ++r) {
    on_row(row);
    row.out += static_cast<std::uintptr_t>(code.refs[i.out].row_stride);
    for (int j = 0; j < i.operands; ++j)
      in[static_cast<std::size_t>(j)] += static_cast<std::uintptr_t>(code.refs[i.in[j]].row_stride);
  }
}

/// Calls on_call(call, tile) for each kernel call of a worker's part: code.once per unit, then `whole` on
/// whole tiles and code.code on others.
template <class F>
void walk(const RegionCode& code, const std::vector<RegionInstruction>& whole, const WorkerStep& step,
          std::byte* scratch, std::vector<std::uintptr_t>& frame, F&& on_call) {
  std::array<std::uintptr_t, 64> few;
  std::size_t most = 0;
  for (const RegionInstruction& i : code.code) most = std::max(most, static_cast<std::size_t>(i.inputs()));
  for (const RegionFoldChain& chain : code.fold_chains) most = std::max(most, chain.parts.size());
  for (const RegionAssembly& assembly : code.assemblies) most = std::max(most, assembly.blocks.size());
  std::vector<std::uintptr_t> many(most > few.size() ? most : 0);
  std::uintptr_t* terms = many.empty() ? few.data() : many.data();
  std::size_t outer = code.unit_sizes.size();
  if (frame.size() < code.refs.size()) frame.resize(code.refs.size());
  std::array<std::int64_t, 64> at;  // the coordinates of the unit
  for (std::int64_t unit = step.unit_begin; unit < step.unit_end; ++unit) {
    std::int64_t rest = unit;
    for (std::size_t a = outer; a-- > 0; rest /= code.unit_sizes[a]) at[a] = rest % code.unit_sizes[a];
    const std::int64_t* strides = code.unit_strides.data();
    std::uintptr_t* address = frame.data();
    for (const RegionRef& ref : code.refs) {
      std::byte* base = ref.base == scratch_base ? scratch : code.bases[ref.base];
      std::int64_t offset = ref.offset;
      for (std::size_t a = 0; a < outer; ++a) offset += at[a] * *strides++;
      *address++ = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
    }
    Tile first{0, 0, code.space.tile_rows, code.space.tile_columns, 0};
    for (const RegionInstruction& i : code.once)
      walk_instruction(code, i, frame.data(), first, terms, [&](const Call& call) { on_call(call, first); });
    for (std::int64_t t = step.tile_begin; t < step.tile_end; ++t) {
      const Tile tile = tile_of(code, t);
      bool is_whole = tile.rows == code.space.tile_rows && tile.columns == code.space.tile_columns;
      for (const RegionInstruction& i : is_whole ? whole : code.code)
        walk_instruction(code, i, frame.data(), tile, terms, [&](const Call& call) { on_call(call, tile); });
    }
  }
}

}  // namespace tutti::region
