// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/region.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

using Kind = RegionInstruction::Kind;
constexpr std::size_t most_direct_calls = 64;

/// Where a tile lies in its region.
struct Tile {
  std::int64_t row, column, rows, columns;
};

/// One call of a kernel, as the walk below hands it out.
struct Call {
  const RegionInstruction& instruction;
  std::uintptr_t out;
  const std::uintptr_t* in;  // one per operand, or per term of a fold, or per part of a fold chain
  std::int64_t n;            // elements; rows of a row reduction
};

std::byte* pointer(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

std::uintptr_t at_tile(const RegionRef& ref, std::uintptr_t start, const Tile& tile) {
  return start + static_cast<std::uintptr_t>(tile.row * ref.row_advance + tile.column * ref.column_advance);
}

const RegionFoldChain& fold_chain(const RegionCode& code, const RegionInstruction& instruction) {
  return code.fold_chains[static_cast<std::size_t>(instruction.which)];
}

/// Hands out the calls of one instruction on one tile.
template <class F>
void walk_instruction(const RegionCode& code, const RegionInstruction& instruction,
                      const std::uintptr_t* frame, const Tile& tile, std::uintptr_t* terms, F&& on_call) {
  const RegionRef* refs = code.refs.data();
  if (instruction.kind == Kind::fold_chain) {
    std::uintptr_t* to = terms;
    for (const RegionFoldChain::Part& part : fold_chain(code, instruction).parts)
      *to++ = at_tile(refs[part.ref], frame[part.ref], tile) + static_cast<std::uintptr_t>(part.offset);
    return on_call(Call{instruction, terms[0], terms, tile.rows * tile.columns});
  }
  std::uintptr_t out = at_tile(refs[instruction.out], frame[instruction.out], tile);
  std::array<std::uintptr_t, RegionInstruction::most_operands> in;
  for (int j = 0; j < instruction.operands; ++j)
    in[static_cast<std::size_t>(j)] = at_tile(refs[instruction.in[j]], frame[instruction.in[j]], tile);
  bool by_row = instruction.by_row;
  std::int64_t n = instruction.row_value || instruction.folds_rows() ? tile.rows : tile.rows * tile.columns;
  const std::int64_t* offsets = code.offsets.data() + instruction.offsets;
  for (int p = 0; p < instruction.positions; ++p) {
    std::uintptr_t to = out + static_cast<std::uintptr_t>(*offsets++);
    if (instruction.kind == Kind::fold) {
      for (int t = 0; t < instruction.terms; ++t) terms[t] = in[0] + static_cast<std::uintptr_t>(*offsets++);
      on_call(Call{instruction, to, terms, n});
      continue;
    }
    for (int j = 0; j < instruction.operands; ++j)
      terms[j] = in[static_cast<std::size_t>(j)] + static_cast<std::uintptr_t>(*offsets++);
    if (!by_row) {
      on_call(Call{instruction, to, terms, n});
      continue;
    }
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      on_call(Call{instruction, to, terms, tile.columns});
      to += static_cast<std::uintptr_t>(refs[instruction.out].row_stride);
      for (int j = 0; j < instruction.operands; ++j)
        terms[j] += static_cast<std::uintptr_t>(refs[instruction.in[j]].row_stride);
    }
  }
}

/// Walks units and tiles of a step; on whole tiles it does `whole`. on_call(call, tile).
template <class F>
void walk(const RegionCode& code, const std::vector<RegionInstruction>& whole, const WorkerStep& part,
          std::byte* scratch, std::vector<std::uintptr_t>& frame, F&& on_call) {
  std::array<std::uintptr_t, 64> few;
  std::size_t most = 0;
  for (const RegionInstruction& i : code.code) most = std::max(most, static_cast<std::size_t>(i.terms));
  for (const RegionFoldChain& chain : code.fold_chains) most = std::max(most, chain.parts.size());
  std::vector<std::uintptr_t> many(most > few.size() ? most : 0);
  std::uintptr_t* terms = many.empty() ? few.data() : many.data();
  std::size_t outer = code.unit_sizes.size();
  if (frame.size() < code.refs.size()) frame.resize(code.refs.size());
  std::array<std::int64_t, 64> at;  // the coordinates of the unit
  for (std::int64_t unit = part.unit_begin; unit < part.unit_end; ++unit) {
    std::int64_t rest = unit;
    for (std::size_t a = outer; a-- > 0; rest /= code.unit_sizes[a]) at[a] = rest % code.unit_sizes[a];
    const std::int64_t* strides = code.unit_strides.data();
    for (std::size_t r = 0; r < code.refs.size(); ++r) {
      const RegionRef& ref = code.refs[r];
      std::byte* base = ref.base == 0 ? scratch : code.bases[static_cast<std::size_t>(ref.base)];
      std::int64_t offset = ref.offset;
      for (std::size_t a = 0; a < outer; ++a) offset += at[a] * *strides++;
      frame[r] = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(offset);
    }
    Tile first{0, 0, code.space.tile_rows, code.space.tile_columns};
    for (const RegionInstruction& i : code.once)
      walk_instruction(code, i, frame.data(), first, terms, [&](const Call& call) { on_call(call, first); });
    std::int64_t per_row = code.space.tiles_per_row();
    for (std::int64_t t = part.tile_begin; t < part.tile_end; ++t) {
      Tile tile{t / per_row * code.space.tile_rows, t % per_row * code.space.tile_columns, 0, 0};
      tile.rows = std::min(code.space.tile_rows, code.space.rows - tile.row);
      tile.columns = std::min(code.space.tile_columns, code.space.columns - tile.column);
      bool is_whole = tile.rows == code.space.tile_rows && tile.columns == code.space.tile_columns;
      for (const RegionInstruction& i : is_whole ? whole : code.code)
        walk_instruction(code, i, frame.data(), tile, terms, [&](const Call& call) { on_call(call, tile); });
    }
  }
}

void load(const RegionCode& code, const Call& call, const Tile& tile) {
  const RegionRef& from = code.refs[static_cast<std::size_t>(call.instruction.in[0])];
  std::int64_t bytes = from.element_bytes, columns = call.instruction.row_value ? 1 : tile.columns;
  std::array<CopyLoop, 2> loops{CopyLoop{tile.rows, columns * bytes, from.row_stride},
                                CopyLoop{columns, bytes, from.column_stride}};
  strided_copy(pointer(call.out), pointer(call.in[0]), loops, static_cast<std::size_t>(bytes));
}

/// The elements of a tile follow each other in row-major order of the loops: piece by piece along the last one.
template <class F>
void walk_irregular(const RegionCode& code, const Call& call, const Tile& tile, F&& on_piece) {
  const std::vector<StridedLoop>& loops = code.loops[static_cast<std::size_t>(call.instruction.which)];
  std::int64_t columns = call.instruction.row_value ? 1 : code.space.columns;
  std::int64_t at = tile.row * columns + (call.instruction.row_value ? 0 : tile.column), left = call.n;
  std::int64_t bytes = code.refs[static_cast<std::size_t>(call.instruction.out)].element_bytes;
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

void run_call(const RegionCode& code, const Call& call, const Tile& tile) {
  const RegionInstruction& i = call.instruction;
  // The addresses are those of operands: a kernel's array of them.
  auto in = reinterpret_cast<const std::byte* const*>(call.in);
  switch (i.kind) {
    case Kind::elementwise: i.elementwise(pointer(call.out), in, call.n); return;
    case Kind::chain: i.chain(pointer(call.out), in, i.steps, i.operands, call.n, i.store); return;
    case Kind::fold: i.fold(pointer(call.out), in, i.terms, call.n, i.load, i.store); return;
    case Kind::fold_chain: {
      const RegionFoldChain& chain = fold_chain(code, i);
      auto* const* out = reinterpret_cast<std::byte* const*>(call.in);
      return chain.kernel({chain.on_fold.data(), static_cast<int>(chain.on_fold.size()), chain.steps.data(),
                           static_cast<int>(chain.steps.size()), chain.results, chain.terms},
                          out, in + chain.results, in + chain.results + chain.terms, call.n, chain.load,
                          chain.store);
    }
    case Kind::rows:
      i.rows(pointer(call.out), in[0], call.n, code.space.columns,
             code.refs[static_cast<std::size_t>(i.in[0])].row_stride);
      return;
    case Kind::chain_rows: {
      std::int64_t row_bytes[RegionInstruction::most_operands];
      for (int j = 0; j < i.operands; ++j)
        row_bytes[j] = code.refs[static_cast<std::size_t>(i.in[j])].row_stride;
      return i.chain_rows(pointer(call.out), in, row_bytes, i.steps, i.operands, call.n, code.space.columns);
    }
    case Kind::fetch: {
      std::int64_t bytes = call.n * code.refs[static_cast<std::size_t>(i.in[0])].element_bytes;
      std::int64_t begin = bytes * i.which / i.terms, end = bytes * (i.which + 1) / i.terms;
      return fetch(in[0] + begin, static_cast<std::size_t>(end - begin));
    }
    case Kind::load: load(code, call, tile); return;
    case Kind::stream: {
      std::int64_t bytes = call.n * code.refs[static_cast<std::size_t>(i.out)].element_bytes;
      return stream(pointer(call.out), in[0], static_cast<std::size_t>(bytes));
    }
    case Kind::load_irregular:
      walk_irregular(code, call, tile, [&](std::uintptr_t to, std::uintptr_t from, CopyLoop loop) {
        strided_copy(pointer(to), pointer(from), {&loop, 1}, static_cast<std::size_t>(loop.to_stride));
      });
      return;
  }
}

}  // namespace

void RegionCode::run(const WorkerStep& part, StepContext& context) const {
  walk(*this, whole, part, context.scratch, context.frame,
       [&](const Call& call, const Tile& tile) { run_call(*this, call, tile); });
  if (streams) finish_streaming();
}

void RegionCode::touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const {
  const RegionCode& region = *this;
  auto span = [&](std::uintptr_t at, std::int64_t rows, std::int64_t row_stride, std::int64_t columns,
                  std::int64_t column_stride, std::int64_t bytes, bool written) {
    for (std::int64_t r = 0; r < rows && columns > 0; ++r) {
      std::int64_t last = (columns - 1) * column_stride;  // before the first one if the row runs backwards
      std::uintptr_t begin =
          at + static_cast<std::uintptr_t>(r * row_stride + std::min<std::int64_t>(last, 0));
      on_touched({begin, begin + static_cast<std::uintptr_t>(std::abs(last) + bytes), written});
    }
  };
  walk(region, whole, part, context.scratch, context.frame, [&](const Call& call, const Tile& tile) {
    const RegionInstruction& i = call.instruction;
    if (i.kind == Kind::fetch) return;
    auto ref = [&](int r) -> const RegionRef& { return refs[static_cast<std::size_t>(r)]; };
    auto dense = [&](std::uintptr_t at, const RegionRef& r, std::int64_t n, bool written) {
      span(at, 1, 0, n, r.element_bytes, r.element_bytes, written);
    };
    if (i.kind == Kind::fold_chain) {
      const RegionFoldChain& chain = fold_chain(region, i);
      for (std::size_t k = 0; k < chain.parts.size(); ++k)
        dense(call.in[k], ref(chain.parts[k].ref), chain.parts[k].repeats ? 1 : call.n,
              k < static_cast<std::size_t>(chain.results));
      return;
    }
    dense(call.out, ref(i.out), call.n, true);
    if (i.kind == Kind::load_irregular) {
      walk_irregular(region, call, tile, [&](std::uintptr_t, std::uintptr_t from, CopyLoop loop) {
        span(from, 1, 0, loop.size, loop.from_stride, loop.to_stride, false);
      });
      return;
    }
    for (int j = 0; j < (i.kind == Kind::fold ? i.terms : i.operands); ++j) {
      const RegionRef& r = ref(i.in[i.kind == Kind::fold ? 0 : j]);
      if (i.kind == Kind::load || i.folds_rows())
        span(call.in[j], tile.rows, r.row_stride, i.row_value || i.steps[j].repeats ? 1 : tile.columns,
             i.folds_rows() ? r.element_bytes : r.column_stride, r.element_bytes, false);
      else
        span(call.in[j], 1, 0, i.goes_through_elements() && i.steps[j].repeats ? 1 : call.n, r.element_bytes,
             r.element_bytes, false);
    }
  });
}

void DirectRegion::run(const WorkerStep&, StepContext&) const {
  for (const DirectCall& call : calls) {
    switch (call.kind) {
      case Kind::elementwise: call.elementwise(call.out, call.in, call.n); break;
      case Kind::chain: call.chain(call.out, call.in, call.steps, call.operands, call.n, Store::plain); break;
      case Kind::fold:
        call.fold(call.out, call.terms.data(), call.operands, call.n, Load::plain, Store::plain);
        break;
      case Kind::rows: call.rows(call.out, call.in[0], call.n, call.columns, call.row_bytes[0]); break;
      case Kind::chain_rows:
        call.chain_rows(call.out, call.in, call.row_bytes, call.steps, call.operands, call.n, call.columns);
        break;
      case Kind::fold_chain:
      case Kind::fetch:
      case Kind::load:
      case Kind::load_irregular:
      case Kind::stream: break;  // not direct
    }
  }
}

void DirectRegion::touch(const WorkerStep&, StepContext&, const OnTouched& on_touched) const {
  std::size_t next = 0;
  for (const DirectCall& call : calls) {
    auto bytes = [&] { return element_bytes[next++]; };
    auto touch = [&](const std::byte* at, std::int64_t length, bool written) {
      auto begin = reinterpret_cast<std::uintptr_t>(at);
      if (length > 0) on_touched({begin, begin + static_cast<std::uintptr_t>(length), written});
    };
    touch(call.out, call.n * bytes(), true);
    if (call.kind == Kind::rows || call.kind == Kind::chain_rows) {
      for (int j = 0; j < call.operands; ++j) {
        std::int64_t element = bytes();
        for (std::int64_t r = 0; r < call.n; ++r)
          touch(call.in[j] + r * call.row_bytes[j], element < 0 ? -element : call.columns * element, false);
      }
      continue;
    }
    if (call.kind == Kind::fold) {
      std::int64_t element = bytes();
      for (const std::byte* term : call.terms) touch(term, call.n * element, false);
      continue;
    }
    for (int j = 0; j < call.operands; ++j) {
      std::int64_t element = bytes();  // negative: one element for all
      touch(call.in[j], element < 0 ? -element : call.n * element, false);
    }
  }
}

std::int64_t RegionCode::units() const {
  std::int64_t n = 1;
  for (std::int64_t size : unit_sizes) n *= size;
  return n;
}

// -------------------------------------------------------------------------------------------------- direct regions

namespace {

/// Not arithmetic on pointers: a caller's buffer has no address yet.
std::byte* further(std::byte* at, std::int64_t bytes) {
  return pointer(reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes));
}

DirectCall direct_call(const RegionCode& code, const Call& call) {
  const RegionInstruction& i = call.instruction;
  DirectCall made{};
  made.kind = i.kind;
  made.operands = i.kind == Kind::fold ? i.terms : i.operands;
  made.out = pointer(call.out);
  made.n = call.n;
  made.columns = code.space.columns;
  for (std::size_t j = 0; j < std::size(i.in); ++j)
    made.row_bytes[j] = code.refs[static_cast<std::size_t>(i.in[j])].row_stride;
  if (i.kind == Kind::elementwise) made.elementwise = i.elementwise;
  if (i.kind == Kind::chain) made.chain = i.chain;
  if (i.kind == Kind::chain_rows) made.chain_rows = i.chain_rows;
  std::ranges::copy(i.steps, made.steps);
  if (i.kind == Kind::fold) made.fold = i.fold;
  if (i.kind == Kind::rows) made.rows = i.rows;
  for (int j = 0; j < made.operands; ++j)
    if (i.kind == Kind::fold) made.terms.push_back(pointer(call.in[j]));
    else made.in[j] = pointer(call.in[j]);
  return made;
}

std::int64_t element_bytes(const RegionCode& code, int ref) {
  return code.refs[static_cast<std::size_t>(ref)].element_bytes;
}

bool can_be_direct(const RegionCode& code, const WorkerStep& part) {
  auto is_indirect = [](const RegionInstruction& i) {
    return i.kind == Kind::load || i.kind == Kind::load_irregular;
  };
  if (code.streams || !code.once.empty() || std::ranges::any_of(code.code, is_indirect)) return false;
  std::int64_t tiles = (part.unit_end - part.unit_begin) * (part.tile_end - part.tile_begin);
  return tiles * static_cast<std::int64_t>(code.code.size()) <= static_cast<std::int64_t>(most_direct_calls);
}

/// Neighbouring positions along inner axes become one longer call: `last` does what `next`, of the same instruction,
/// would. False if they are no neighbours.
bool lengthen(const RegionCode& code, const RegionInstruction& i, DirectCall& last, const DirectCall& next) {
  if (!i.goes_through_elements()) return false;
  bool follows = next.out == further(last.out, last.n * element_bytes(code, i.out));
  for (int j = 0; j < i.operands && follows; ++j)
    follows = next.in[j] ==
              (i.steps[j].repeats ? last.in[j] : further(last.in[j], last.n * element_bytes(code, i.in[j])));
  if (follows) last.n += next.n;
  return follows;
}

/// A call of `direct` that stays where it is: tells of its addresses and adds the bytes of its elements.
void settle(const RegionCode& code, const RegionInstruction& i, DirectCall& call, DirectRegion& direct,
            const OnRelocated& relocate) {
  auto tell = [&](std::byte** at, int r) {
    const RegionRef& ref = code.refs[static_cast<std::size_t>(r)];
    if (ref.base == 0) return;
    relocate(at, code.base_buffers[static_cast<std::size_t>(ref.base)],
             *at - code.bases[static_cast<std::size_t>(ref.base)]);
  };
  tell(&call.out, i.out);
  direct.element_bytes.push_back(element_bytes(code, i.out));
  for (std::byte*& term : call.terms) tell(&term, i.in[0]);
  for (int j = 0; j < (call.kind == Kind::fold ? 1 : call.operands); ++j) {
    if (call.kind != Kind::fold) tell(&call.in[j], i.in[j]);
    std::int64_t bytes = element_bytes(code, i.in[j]);
    direct.element_bytes.push_back(i.steps[j].repeats ? -bytes : bytes);
  }
}

}  // namespace

bool make_direct(const RegionCode& code, const WorkerStep& part, std::byte* scratch, DirectRegion& direct,
                 const OnRelocated& relocate) {
  if (!can_be_direct(code, part)) return false;
  std::vector<const RegionInstruction*> instructions;  // of the calls
  std::vector<std::uintptr_t> frame;
  walk(code, code.code, part, scratch, frame, [&](const Call& call, const Tile&) {
    const RegionInstruction& i = call.instruction;
    DirectCall made = direct_call(code, call);
    if (!direct.calls.empty() && instructions.back() == &i && lengthen(code, i, direct.calls.back(), made))
      return;
    direct.calls.push_back(std::move(made));
    instructions.push_back(&i);
  });
  if (direct.calls.size() > 4 * most_direct_calls) return false;
  for (std::size_t c = 0; c < direct.calls.size(); ++c)
    settle(code, *instructions[c], direct.calls[c], direct, relocate);
  return true;
}

}  // namespace tutti
