// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/region.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "tutti/tensor/loops/simd/stream.hpp"

namespace tutti {
namespace {

using I = RegionInstruction;
constexpr std::size_t most_direct_calls = 64;

/// Position and size of a tile in its region.
struct Tile {
  std::int64_t row, column, rows, columns;
  std::int64_t along_row;  // tiles before it in its row
};

/// One kernel call, as produced by walk().
struct Call {
  const RegionInstruction& instruction;
  std::uintptr_t out;
  const std::uintptr_t* in;  // one per operand, term of a fold, or part of a fold chain
  std::int64_t n;            // elements, or rows of a fold of rows
};

std::byte* pointer(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

std::uintptr_t at_tile(const RegionRef& ref, std::uintptr_t start, const Tile& tile) {
  return start + static_cast<std::uintptr_t>(tile.row * ref.row_advance + tile.along_row * ref.tile_advance);
}

/// Calls on_call for each kernel call of an instruction on a tile.
template <class F>
void walk_instruction(const RegionCode& code, const RegionInstruction& instruction,
                      const std::uintptr_t* frame, const Tile& tile, std::uintptr_t* terms, F&& on_call) {
  const auto at = [&](RefId ref) { return at_tile(code.refs[ref], frame[static_cast<int>(ref)], tile); };
  if (const auto* chain = instruction.as<I::FoldChain>()) {
    std::uintptr_t* to = terms;
    for (const RegionFoldChain::Part& part : code.fold_chains[chain->which].parts)
      *to++ = at(part.ref) + static_cast<std::uintptr_t>(part.offset);
    return on_call(Call{instruction, terms[0], terms, tile.rows * tile.columns});
  }
  std::uintptr_t out = at(instruction.out);
  std::array<std::uintptr_t, RegionInstruction::most_operands> in;
  for (int j = 0; j < instruction.operands; ++j) in[static_cast<std::size_t>(j)] = at(instruction.in[j]);
  const auto* fold = instruction.as<I::Fold>();
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
    for (int j = 0; j < instruction.operands; ++j)
      terms[j] = in[static_cast<std::size_t>(j)] + static_cast<std::uintptr_t>(*offsets++);
    if (!by_row) {
      on_call(Call{instruction, to, terms, n});
      continue;
    }
    for (std::int64_t r = 0; r < tile.rows; ++r) {
      on_call(Call{instruction, to, terms, tile.columns});
      to += static_cast<std::uintptr_t>(code.refs[instruction.out].row_stride);
      for (int j = 0; j < instruction.operands; ++j)
        terms[j] += static_cast<std::uintptr_t>(code.refs[instruction.in[j]].row_stride);
    }
  }
}

/// Calls on_call(call, tile) for each kernel call of a worker's part: code.once per unit, then `whole` on
/// whole tiles and code.code on others.
template <class F>
void walk(const RegionCode& code, const std::vector<RegionInstruction>& whole, const WorkerStep& part,
          std::byte* scratch, std::vector<std::uintptr_t>& frame, F&& on_call) {
  std::array<std::uintptr_t, 64> few;
  std::size_t most = 0;
  for (const RegionInstruction& i : code.code) most = std::max(most, static_cast<std::size_t>(i.inputs()));
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
    std::int64_t per_row = code.space.tiles_per_row();
    for (std::int64_t t = part.tile_begin; t < part.tile_end; ++t) {
      Tile tile{t / per_row * code.space.tile_rows, t % per_row * code.space.tile_columns, 0, 0, t % per_row};
      tile.rows = std::min(code.space.tile_rows, code.space.rows - tile.row);
      tile.columns = std::min(code.space.tile_columns, code.space.columns - tile.column);
      bool is_whole = tile.rows == code.space.tile_rows && tile.columns == code.space.tile_columns;
      for (const RegionInstruction& i : is_whole ? whole : code.code)
        walk_instruction(code, i, frame.data(), tile, terms, [&](const Call& call) { on_call(call, tile); });
    }
  }
}

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

/// Runs a call on a tile; one overload per kind of instruction.
class CallRunner {
 public:
  CallRunner(const RegionCode& code, const Call& call, const Tile& tile)
      : code_(code),
        call_(call),
        i_(call.instruction),
        tile_(tile),
        out_(pointer(call.out)),
        // The integers are addresses of operands, so they can be read as the kernel's array of pointers.
        in_(reinterpret_cast<const std::byte* const*>(call.in)) {}

  void operator()(const I::Elementwise& of) const { of.kernel(out_, in_, call_.n); }
  void operator()(const I::Chain& of) const {
    of.kernel(out_, in_, i_.steps, i_.operands, call_.n, of.store);
  }
  void operator()(const I::ChainRows& of) const {
    std::int64_t row_bytes[I::most_operands];
    for (int j = 0; j < i_.operands; ++j) row_bytes[j] = code_.refs[i_.in[j]].row_stride;
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
  void operator()(const I::StreamTile&) const {
    stream(out_, in_[0], static_cast<std::size_t>(call_.n * code_.refs[i_.out].element_bytes));
  }

 private:
  const RegionCode& code_;
  const Call& call_;
  const RegionInstruction& i_;
  const Tile& tile_;
  std::byte* out_;
  const std::byte* const* in_;
};

}  // namespace

void RegionCode::run(const WorkerStep& part, StepContext& context) const {
  walk(*this, whole, part, context.scratch, context.frame, [&](const Call& call, const Tile& tile) {
    std::visit(CallRunner(*this, call, tile), call.instruction.what);
  });
  if (streams) finish_streaming();
}

void RegionCode::touch(const WorkerStep& part, StepContext& context, const OnTouched& on_touched) const {
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
  walk(region, whole, part, context.scratch, context.frame, [&](const Call& call, const Tile& tile) {
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
  });
}

namespace {

struct DirectRunner {
  const DirectCall& call;

  void operator()(const I::Elementwise& of) const { of.kernel(call.out, call.in, call.n); }
  void operator()(const I::Chain& of) const {
    of.kernel(call.out, call.in, call.steps, call.operands, call.n, Store::plain);
  }
  void operator()(const I::ChainRows& of) const {
    of.kernel(call.out, call.in, call.row_bytes, call.steps, call.operands, call.n, call.columns);
  }
  void operator()(const DirectCall::Fold& of) const {
    of.kernel(call.out, of.terms.data(), static_cast<int>(of.terms.size()), call.n, Load::plain,
              Store::plain);
  }
  void operator()(const I::Rows& of) const {
    of.kernel(call.out, call.in[0], call.n, call.columns, call.row_bytes[0]);
  }
};

}  // namespace

void DirectRegion::run(const WorkerStep&, StepContext&) const {
  for (const DirectCall& call : calls) std::visit(DirectRunner{call}, call.what);
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
    if (std::holds_alternative<I::Rows>(call.what) || std::holds_alternative<I::ChainRows>(call.what)) {
      for (int j = 0; j < call.operands; ++j) {
        std::int64_t element = bytes();
        for (std::int64_t r = 0; r < call.n; ++r)
          touch(call.in[j] + r * call.row_bytes[j], element < 0 ? -element : call.columns * element, false);
      }
      continue;
    }
    if (const auto* fold = std::get_if<DirectCall::Fold>(&call.what)) {
      std::int64_t element = bytes();
      for (const std::byte* term : fold->terms) touch(term, call.n * element, false);
      continue;
    }
    for (int j = 0; j < call.operands; ++j) {
      std::int64_t element = bytes();  // negative: the operand repeats
      touch(call.in[j], element < 0 ? -element : call.n * element, false);
    }
  }
}

std::int64_t RegionCode::units() const {
  std::int64_t n = 1;
  for (std::int64_t size : unit_sizes) n *= size;
  return n;
}

// ---- direct regions

namespace {

/// `at` plus `bytes`, without pointer arithmetic: the address of a caller's buffer may not be known yet.
std::byte* further(std::byte* at, std::int64_t bytes) {
  return pointer(reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes));
}

/// The kernel of an instruction that can be direct; none for other instructions.
std::optional<decltype(DirectCall::what)> direct_kernel(const RegionInstruction& i) {
  if (const auto* of = i.as<I::Elementwise>()) return *of;
  if (const auto* of = i.as<I::Chain>()) return *of;
  if (const auto* of = i.as<I::ChainRows>()) return *of;
  if (const auto* of = i.as<I::Rows>()) return *of;
  if (const auto* of = i.as<I::Fold>()) return DirectCall::Fold{of->kernel, {}};
  return std::nullopt;
}

DirectCall direct_call(const RegionCode& code, const Call& call, const Tile& tile) {
  const RegionInstruction& i = call.instruction;
  DirectCall made{};
  made.what = *direct_kernel(i);
  made.operands = i.inputs();
  made.out = pointer(call.out);
  made.n = call.n;
  made.columns = tile.columns;
  for (std::size_t j = 0; j < std::size(i.in); ++j) made.row_bytes[j] = code.refs[i.in[j]].row_stride;
  std::ranges::copy(i.steps, made.steps);
  auto* fold = std::get_if<DirectCall::Fold>(&made.what);
  for (int j = 0; j < made.operands; ++j)
    if (fold) fold->terms.push_back(pointer(call.in[j]));
    else made.in[j] = pointer(call.in[j]);
  return made;
}

std::int64_t element_bytes(const RegionCode& code, RefId ref) { return code.refs[ref].element_bytes; }

bool can_be_direct(const RegionCode& code, const WorkerStep& part) {
  auto is_indirect = [](const RegionInstruction& i) { return !direct_kernel(i); };
  if (code.streams || !code.once.empty() || std::ranges::any_of(code.code, is_indirect)) return false;
  std::int64_t tiles = (part.unit_end - part.unit_begin) * (part.tile_end - part.tile_begin);
  return tiles * static_cast<std::int64_t>(code.code.size()) <= static_cast<std::int64_t>(most_direct_calls);
}

/// Extends `last` by `next`, a call of the same instruction at the next position along inner axes. False if
/// their operands and results are not contiguous.
bool lengthen(const RegionCode& code, const RegionInstruction& i, DirectCall& last, const DirectCall& next) {
  if (!i.goes_through_elements()) return false;
  bool follows = next.out == further(last.out, last.n * element_bytes(code, i.out));
  for (int j = 0; j < i.operands && follows; ++j)
    follows = next.in[j] ==
              (i.steps[j].repeats ? last.in[j] : further(last.in[j], last.n * element_bytes(code, i.in[j])));
  if (follows) last.n += next.n;
  return follows;
}

/// Reports the addresses of `call`, whose place in direct.calls is final, to `relocate`, and adds its element
/// sizes.
void settle(const RegionCode& code, const RegionInstruction& i, DirectCall& call, DirectRegion& direct,
            const OnRelocated& relocate) {
  auto tell = [&](std::byte** at, RefId r) {
    const RegionRef& ref = code.refs[r];
    if (ref.base == scratch_base) return;
    relocate(at, *code.base_buffers[ref.base], *at - code.bases[ref.base]);
  };
  tell(&call.out, i.out);
  direct.element_bytes.push_back(element_bytes(code, i.out));
  auto* fold = std::get_if<DirectCall::Fold>(&call.what);
  if (fold)
    for (std::byte*& term : fold->terms) tell(&term, i.in[0]);
  for (int j = 0; j < (fold ? 1 : call.operands); ++j) {
    if (!fold) tell(&call.in[j], i.in[j]);
    std::int64_t bytes = element_bytes(code, i.in[j]);
    direct.element_bytes.push_back(i.steps[j].repeats ? -bytes : bytes);
  }
}

}  // namespace

bool make_direct(const RegionCode& code, const WorkerStep& part, std::byte* scratch, DirectRegion& direct,
                 const OnRelocated& relocate) {
  if (!can_be_direct(code, part)) return false;
  std::vector<const RegionInstruction*> instructions;  // one per call
  std::vector<std::uintptr_t> frame;
  walk(code, code.code, part, scratch, frame, [&](const Call& call, const Tile& tile) {
    const RegionInstruction& i = call.instruction;
    DirectCall made = direct_call(code, call, tile);
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
