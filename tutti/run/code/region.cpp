// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/region.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "tutti/run/code/region_walk.hpp"
#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {

region::Tile region::tile_of(const RegionCode& code, std::int64_t t) {
  const std::int64_t per_row = code.space.tiles_per_row();
  Tile tile{t / per_row * code.space.tile_rows, t % per_row * code.space.tile_columns, 0, 0, t % per_row};
  tile.rows = std::min(code.space.tile_rows, code.space.rows - tile.row);
  tile.columns = std::min(code.space.tile_columns, code.space.columns - tile.column);
  return tile;
}

namespace {

/// Along each dim of blocks.
using Coordinates = std::array<std::int64_t, RegionAssembly::most_dims>;

Coordinates coordinates_of(const RegionAssembly& assembly, std::int64_t element) {
  Coordinates at;
  for (std::size_t d = assembly.sizes.size(); d-- > 1; element /= assembly.sizes[d])
    at[d] = element % assembly.sizes[d];
  at[0] = element;
  return at;
}

/// The bytes from the ref of a block to the line of `at`, which has all coordinates but the last one. None:
/// the block has nothing of the line.
std::optional<std::int64_t> line_of(const RegionAssembly::Block& block, const Coordinates& at) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d + 1 < block.strides.size(); ++d) {
    if (at[d] < block.begin[d] || at[d] >= block.end[d]) return std::nullopt;
    offset += at[d] * block.strides[d];
  }
  return offset;
}

}  // namespace

std::optional<std::uintptr_t> region::place_in_one_block(const RegionAssembly& assembly,
                                                         const std::uintptr_t* frame, std::int64_t begin,
                                                         std::int64_t end) {
  const std::size_t last = assembly.sizes.size() - 1;
  const Coordinates at = coordinates_of(assembly, begin);
  const std::int64_t first = at[last], behind = first + end - begin;
  if (behind > assembly.sizes[last]) return std::nullopt;
  for (const RegionAssembly::Block& block : assembly.blocks) {
    if (first < block.begin[last] || behind > block.end[last] ||
        block.strides[last] != assembly.element_bytes)
      continue;
    if (const std::optional<std::int64_t> line = line_of(block, at))
      return frame[static_cast<int>(block.ref)] +
             static_cast<std::uintptr_t>(*line + first * block.strides[last]);
  }
  return std::nullopt;
}

std::optional<std::uintptr_t> region::place_within_rim(const RegionAssembly& assembly,
                                                       const std::uintptr_t* frame, std::int64_t begin,
                                                       std::int64_t end) {
  const RegionAssembly::Block& block = assembly.blocks[assembly.widest];
  if (begin / assembly.line() < block.begin[0] || (end - 1) / assembly.line() >= block.end[0])
    return std::nullopt;
  return frame[static_cast<int>(block.ref)] + static_cast<std::uintptr_t>(begin * assembly.element_bytes);
}

namespace {

using I = RegionInstruction;
using region::Call;
using region::each_row;
using region::pointer;
using region::Tile;
using region::walk;

void load(const RegionCode& code, const Call& call, const Tile& tile) {
  const RegionRef& from = code.refs[call.instruction.in[0]];
  std::int64_t bytes = from.element_bytes, columns = call.instruction.row_value ? 1 : tile.columns;
  std::array<CopyLoop, 2> loops{CopyLoop{tile.rows, columns * bytes, from.row_stride},
                                CopyLoop{columns, bytes, from.column_stride}};
  strided_copy(pointer(call.out), pointer(call.in[0]), loops, static_cast<std::size_t>(bytes));
}

/// Visits the elements of a tile of an irregular operand in row-major order of its loops, in pieces along the
/// last loop.
template <class F>
void walk_irregular(const RegionCode& code, const Call& call, const Tile& tile, F&& on_piece) {
  const std::vector<StridedLoop>& loops = code.loops[std::get<I::LoadIrregular>(call.instruction.what).loops];
  std::int64_t columns = call.instruction.row_value ? 1 : code.space.columns;
  std::int64_t at = tile.row * columns + (call.instruction.row_value ? 0 : tile.column), left = call.n;
  std::int64_t bytes = code.refs[call.instruction.out].element_bytes;
  std::uintptr_t to = call.out;
  while (left > 0) {
    std::int64_t rest = at, offset = 0, piece = std::min(left, loops.back().size - at % loops.back().size);
    for (std::size_t i = loops.size(); i-- > 0; rest /= loops[i].size)
      offset += rest % loops[i].size * loops[i].stride;
    on_piece(to, call.in[0] + static_cast<std::uintptr_t>(offset),
             CopyLoop{piece, bytes, loops.back().stride});
    to += static_cast<std::uintptr_t>(piece * bytes);
    at += piece;
    left -= piece;
  }
}

/// Visits the elements of a tile of blocks in row-major order of their dims, in pieces along the last dim.
template <class F>
void walk_pieces(const RegionAssembly& assembly, const Call& call, std::int64_t tile_begin, F&& on_piece) {
  const std::int64_t bytes = assembly.element_bytes;
  const std::size_t last = assembly.sizes.size() - 1;
  Coordinates at = coordinates_of(assembly, tile_begin);
  std::uintptr_t to = call.out;
  for (std::int64_t left = call.n; left > 0;) {
    const std::int64_t n = std::min(left, assembly.sizes[last] - at[last]);
    for (std::size_t k = 0; k < assembly.blocks.size(); ++k) {
      const RegionAssembly::Block& block = assembly.blocks[k];
      const std::optional<std::int64_t> line = line_of(block, at);
      const std::int64_t begin = std::max(at[last], block.begin[last]),
                         end = std::min(at[last] + n, block.end[last]);
      if (!line || begin >= end) continue;
      on_piece(to + static_cast<std::uintptr_t>((begin - at[last]) * bytes),
               call.in[k] + static_cast<std::uintptr_t>(*line + begin * block.strides[last]),
               CopyLoop{end - begin, bytes, block.strides[last]});
    }
    to += static_cast<std::uintptr_t>(n * bytes);
    left -= n;
    at[last] = 0;
    for (std::size_t d = last; d > 0; --d) {
      if (++at[d - 1] < assembly.sizes[d - 1]) break;
      at[d - 1] = 0;
    }
  }
}

/// Visits the rim of a tile of blocks in pieces along the lines.
template <class F>
void walk_rim_pieces(const RegionAssembly& assembly, const RegionRim& rim, const Call& call,
                     std::int64_t tile_begin, F&& on_piece) {
  const std::int64_t bytes = assembly.element_bytes, line = rim.line, tile_end = tile_begin + call.n;
  const std::int64_t first_line = tile_begin / line, last_line = (tile_end - 1) / line;
  const auto visit = [&](const RegionAssembly::Block& block, std::uintptr_t from, std::int64_t begin,
                         std::int64_t end) {
    if (begin >= end) return;
    for (std::int64_t l = std::max(first_line, block.begin[0]); l <= std::min(last_line, block.end[0] - 1);
         ++l) {
      const std::int64_t piece = std::max(l * line + begin, tile_begin),
                         piece_end = std::min(l * line + end, tile_end);
      if (piece < piece_end)
        on_piece(call.out + static_cast<std::uintptr_t>((piece - tile_begin) * bytes),
                 from + static_cast<std::uintptr_t>(l * block.strides[0] +
                                                    (piece - l * line) * block.strides[1]),
                 CopyLoop{piece_end - piece, bytes, block.strides[1]});
    }
  };
  for (std::size_t k = 0; k < assembly.blocks.size(); ++k) {
    const RegionAssembly::Block& block = assembly.blocks[k];
    visit(block, call.in[k], block.begin[1], std::min(block.end[1], rim.begin));
    visit(block, call.in[k], std::max(block.begin[1], rim.end), block.end[1]);
  }
}

/// Visits what a call puts together.
template <class F>
void walk_assembled(const RegionCode& code, const Call& call, const Tile& tile, F&& on_piece) {
  const RegionAssembly& assembly = code.assemblies[std::get<I::Assemble>(call.instruction.what).which];
  const std::int64_t begin = region::begin_of(code, tile);
  if (call.is_of_rim) walk_rim_pieces(assembly, *code.rim, call, begin, on_piece);
  else walk_pieces(assembly, call, begin, on_piece);
}

/// Runs a call on a tile; one overload per kind of instruction.
class CallRunner {
 public:
  CallRunner(const RegionCode& code, const Call& call, const Tile& tile)
      : code_(code),
        call_(call),
        i_(call.instruction),
        tile_(tile),
        out_(pointer(call.out)),
        in_(operands(call)) {}

  void operator()(const I::Elementwise& of) const {
    each_row(code_, call_, [&](const Call& row) { of.kernel(pointer(row.out), operands(row), row.n); });
  }
  void operator()(const I::Chain& of) const {
    if (of.by_rows && call_.rows > 1) {
      std::int64_t row_bytes[I::most_operands];
      put_row_bytes(row_bytes);
      return of.by_rows(out_, code_.refs[i_.out].row_stride, in_, row_bytes, i_.steps, i_.operands,
                        call_.rows, call_.n, of.store);
    }
    each_row(code_, call_, [&](const Call& row) {
      of.kernel(pointer(row.out), operands(row), i_.steps, i_.operands, row.n, of.store);
    });
  }
  void operator()(const I::ChainRows& of) const {
    std::int64_t row_bytes[I::most_operands];
    put_row_bytes(row_bytes);
    of.kernel(out_, in_, row_bytes, i_.steps, i_.operands, call_.n, tile_.columns);
  }
  void operator()(const I::Fold& of) const { of.kernel(out_, in_, of.terms, call_.n, of.load, of.store); }
  void operator()(const I::FoldChain& of) const {
    const RegionFoldChain& chain = code_.fold_chains[of.which];
    auto* const* out = reinterpret_cast<std::byte* const*>(call_.in);
    chain.kernel({chain.on_fold.data(), static_cast<int>(chain.on_fold.size()), chain.steps.data(),
                  static_cast<int>(chain.steps.size()), chain.results, chain.terms},
                 out, in_ + chain.results, in_ + chain.results + chain.terms, call_.n, chain.load,
                 chain.store);
  }
  void operator()(const I::Rows& of) const {
    of.kernel(out_, in_[0], call_.n, tile_.columns, code_.refs[i_.in[0]].row_stride);
  }
  void operator()(const I::Fetch& of) const {
    std::int64_t bytes = call_.n * code_.refs[i_.in[0]].element_bytes;
    std::int64_t begin = bytes * of.part / of.parts, end = bytes * (of.part + 1) / of.parts;
    fetch(in_[0] + begin, static_cast<std::size_t>(end - begin));
  }
  void operator()(const I::LoadTile&) const { load(code_, call_, tile_); }
  void operator()(const I::LoadIrregular&) const {
    walk_irregular(code_, call_, tile_, [](std::uintptr_t to, std::uintptr_t from, CopyLoop loop) {
      strided_copy(pointer(to), pointer(from), {&loop, 1}, static_cast<std::size_t>(loop.to_stride));
    });
  }
  void operator()(const I::Assemble&) const {
    walk_assembled(code_, call_, tile_, [](std::uintptr_t to, std::uintptr_t from, CopyLoop loop) {
      if (loop.size == 1 && loop.to_stride == 4) std::memcpy(pointer(to), pointer(from), 4);  // of a rim
      else if (loop.from_stride == loop.to_stride)
        std::memcpy(pointer(to), pointer(from), static_cast<std::size_t>(loop.size * loop.to_stride));
      else strided_copy(pointer(to), pointer(from), {&loop, 1}, static_cast<std::size_t>(loop.to_stride));
    });
  }
  void operator()(const I::StreamTile&) const {
    stream(out_, in_[0], static_cast<std::size_t>(call_.n * code_.refs[i_.out].element_bytes));
  }

 private:
  /// The integers are addresses of operands, so they can be read as the kernel's array of pointers.
  static const std::byte* const* operands(const Call& call) {
    return reinterpret_cast<const std::byte* const*>(call.in);
  }
  void put_row_bytes(std::int64_t* row_bytes) const {
    for (int j = 0; j < i_.operands; ++j) row_bytes[j] = code_.refs[i_.in[j]].row_stride;
  }

  const RegionCode& code_;
  const Call& call_;
  const RegionInstruction& i_;
  const Tile& tile_;
  std::byte* out_;
  const std::byte* const* in_;
};

}  // namespace

void RegionCode::run(const WorkerStep& step, StepContext& context) const {
  walk(*this, whole, step, context.scratch, context.frame, [&](const Call& call, const Tile& tile) {
    std::visit(CallRunner(*this, call, tile), call.instruction.what);
  });
  if (streams) finish_streaming();
}

void RegionCode::touch(const WorkerStep& step, StepContext& context, const OnTouched& on_touched) const {
  const RegionCode& region = *this;
  auto span = [&](std::uintptr_t at, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                  std::int64_t column_stride, std::int64_t bytes, bool written) {
    for (std::int64_t r = 0; r < rows && columns > 0; ++r) {
      std::int64_t last = (columns - 1) * column_stride;  // negative if the row runs backwards
      std::uintptr_t begin =
          at + static_cast<std::uintptr_t>(r * row_stride + std::min<std::int64_t>(last, 0));
      on_touched({begin, begin + static_cast<std::uintptr_t>(std::abs(last) + bytes), written});
    }
  };
  const auto touch_row = [&](const Call& call, const Tile& tile) {
    const RegionInstruction& i = call.instruction;
    if (i.as<I::Fetch>()) return;
    auto dense = [&](std::uintptr_t at, const RegionRef& r, std::int64_t n, bool written) {
      span(at, 1, 0, n, r.element_bytes, r.element_bytes, written);
    };
    if (const auto* of = i.as<I::FoldChain>()) {
      const RegionFoldChain& chain = fold_chains[of->which];
      for (std::size_t k = 0; k < chain.parts.size(); ++k)
        dense(call.in[k], refs[chain.parts[k].ref], chain.parts[k].repeats ? 1 : call.n,
              k < static_cast<std::size_t>(chain.results));
      return;
    }
    dense(call.out, refs[i.out], call.n, true);
    if (i.as<I::LoadIrregular>()) {
      walk_irregular(region, call, tile, [&](std::uintptr_t, std::uintptr_t from, CopyLoop loop) {
        span(from, 1, 0, loop.size, loop.from_stride, loop.to_stride, false);
      });
      return;
    }
    if (i.as<I::Assemble>()) {
      walk_assembled(region, call, tile, [&](std::uintptr_t, std::uintptr_t from, CopyLoop loop) {
        span(from, 1, 0, loop.size, loop.from_stride, loop.to_stride, false);
      });
      return;
    }
    const bool is_fold = i.as<I::Fold>() != nullptr;
    for (int j = 0; j < i.inputs(); ++j) {
      const RegionRef& r = refs[i.in[is_fold ? 0 : j]];
      if (i.as<I::LoadTile>() || i.folds_rows())
        span(call.in[j], tile.rows, r.row_stride, i.row_value || i.steps[j].repeats ? 1 : tile.columns,
             i.folds_rows() ? r.element_bytes : r.column_stride, r.element_bytes, false);
      else
        span(call.in[j], 1, 0, i.goes_through_elements() && i.steps[j].repeats ? 1 : call.n, r.element_bytes,
             r.element_bytes, false);
    }
  };
  walk(region, whole, step, context.scratch, context.frame, [&](const Call& call, const Tile& tile) {
    each_row(region, call, [&](const Call& row) { touch_row(row, tile); });
  });
}

std::int64_t RegionCode::units() const {
  std::int64_t n = 1;
  for (std::int64_t size : unit_sizes) n *= size;
  return n;
}

}  // namespace tutti
