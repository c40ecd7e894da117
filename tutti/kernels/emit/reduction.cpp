// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/emit/phases.hpp"

#include <algorithm>
#include <span>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

bool is_half(Scalar scalar) { return scalar == Scalar::f16 || scalar == Scalar::bf16; }

// Returns the op that folds two elements. Max and min return NaN if an operand is NaN, as in StableHLO.
ArithOp fold_op(const CollectiveSpec& spec) {
  const bool of_floats = tutti::is_float(spec.dtype), of_unsigned = is_unsigned(spec.dtype);
  switch (*spec.reduction) {
    case ReduceKind::sum: return of_floats ? ArithOp::addf : ArithOp::addi;
    case ReduceKind::max:
      return of_floats ? ArithOp::maximumf : of_unsigned ? ArithOp::maxui : ArithOp::maxsi;
    case ReduceKind::min:
      return of_floats ? ArithOp::minimumf : of_unsigned ? ArithOp::minui : ArithOp::minsi;
    case ReduceKind::prod:
    case ReduceKind::logical_and:
    case ReduceKind::logical_or: break;
  }
  fail(Code::internal, "kernels do not reduce by {}", ops::name(*spec.reduction));
}

/// True if a thread has enough registers for one tile of every rank at once. The kernel then loads from all
/// ranks before it adds; otherwise it folds one rank after another, because values would spill to memory.
bool folds_at_once(const Writer& w) {
  constexpr int registers = 65'536, most_of_thread = 255, per_vector = 4, per_address = 2;
  const Launch& launch = w.manifest.launch;
  const int threads = launch.warps * threads_per_warp(w.manifest.target);
  const auto elements = static_cast<int>(launch.tile_elements / threads);
  const int needed = w.world * (launch.unroll * per_vector + per_address) + elements;
  return needed <= std::min(registers / threads, most_of_thread) / 2;
}

/// The stagings of all ranks. If folds_at_once(), their addresses are loaded once; otherwise at each use.
class Stagings {
 public:
  explicit Stagings(Writer& w) : w_(w) {
    for (int rank = 0; rank < w.world && folds_at_once(w); ++rank)
      all_.push_back(w.half_of(ArgumentKind::staging_table, w.i32(rank), w.element));
  }
  Value of(int rank) const { return all_.at(static_cast<std::size_t>(rank)); }
  Value of(Value rank) const { return w_.half_of(ArgumentKind::staging_table, rank, w_.element); }

 private:
  Writer& w_;
  std::vector<Value> all_;
};

/// Folds load(rank) in the order of the ranks. `rank` is an int if folds_at_once(), otherwise a Value.
template <class Load>
Value fold_of_ranks(Writer& w, const Load& load) {
  if (folds_at_once(w)) {
    Value sum = to_accumulator(w, load(0));
    for (int rank = 1; rank < w.world; ++rank) sum = folded(w, sum, load(rank));
    return from_accumulator(w, sum);
  }
  const Value first = to_accumulator(w, load(w.i32(0)));
  const Value one = w.i32(1);
  const Value end = w.i32(w.world);
  const auto add = [&](Value rank, std::span<const Value> carried) {
    return Builder::Values{folded(w, carried[0], load(rank))};
  };
  return from_accumulator(w, w.b.for_loop(one, end, one, {first}, add)[0]);
}

template <class Load>
void fold_to_output(Writer& w, const Load& load) {
  w.for_own_tiles([&](Value t) {
    w.with_tile(t, {}, [&](const Tile& tile) {
      const Value sum = fold_of_ranks(w, [&](auto rank) { return load(rank, tile); });
      store_tile(w, w.b.offset(w.argument(ArgumentKind::output), tile.elements), sum, tile, Memory::own);
    });
  });
}

Value as_value(Writer& w, int rank) { return w.i32(rank); }
Value as_value(Writer&, Value rank) { return rank; }

/// The number of elements of a part: launch.elements, or less for the last parts. It may be negative.
Value size_of_part(Writer& w, Value part) {
  const Value before = w.times(part, w.manifest.launch.elements);
  const Value rest = w.b.arith(ArithOp::subi, w.index(w.view.elements), before);
  return w.b.arith(ArithOp::minsi, rest, w.index(w.manifest.launch.elements));
}

/// Calls body with each of the program's tiles in a part.
void for_tiles_of(Writer& w, Value part, const std::function<void(const Tile&)>& body) {
  const bool are_whole = w.manifest.launch.elements * w.world == w.view.elements;
  const std::optional<Value> limit = are_whole ? std::nullopt : std::optional(size_of_part(w, part));
  w.for_own_tiles([&](Value t) { w.with_tile(t, limit, body); });
}

/// Returns pointers to the tile in a part of an array. Stagings need no other stride: their slices are as
/// large as parts.
Value in_part(Writer& w, Value base, Value part, const Tile& tile) {
  return w.places(base, {1, w.world, w.manifest.launch.elements}, part, tile.elements);
}

}  // namespace

Value to_accumulator(Writer& w, Value values) {
  return is_half(w.element) ? w.b.convert(ConvertOp::extf, values, Scalar::f32) : values;
}

Value folded(Writer& w, Value sum, Value values) {
  return w.b.arith(fold_op(w.manifest.spec), sum, to_accumulator(w, values));
}

Value from_accumulator(Writer& w, Value sum) {
  return is_half(w.element) ? w.b.convert(ConvertOp::truncf, sum, w.element) : sum;
}

void fold_published(Writer& w) {
  const Stagings stagings(w);
  fold_to_output(w, [&](auto rank, const Tile& tile) {
    const Value staging = stagings.of(rank);
    const Value from = in_slice(w, staging, slice_for(w, w.rank()), tile);
    return load_tile(w, from, tile, Memory::peer);
  });
}

void push_to_slices(Writer& w) {
  w.for_ranks(w.world, [&](Value target) {
    const Value staging = w.half_of(ArgumentKind::staging_table, target, w.element);
    w.for_own_tiles([&](Value t) {
      w.with_tile(t, {}, [&](const Tile& tile) {
        const Value values = input_tile(w, slice_for(w, target), tile);
        store_tile(w, in_slice(w, staging, w.rank(), tile), values, tile, Memory::peer);
      });
    });
  });
}

void fold_slices(Writer& w) {
  const Value staging = w.half_of(ArgumentKind::staging_table, w.rank(), w.element);
  fold_to_output(w, [&](auto rank, const Tile& tile) {
    return load_tile(w, in_slice(w, staging, as_value(w, rank), tile), tile, Memory::peer);
  });
}

void publish_parts(Writer& w) {
  const Value staging = w.half_of(ArgumentKind::staging_table, w.rank(), w.element);
  const Value first = w.i32(0);
  const Value end = w.i32(w.world);
  w.b.for_loop(first, end, w.i32(1), [&](Value part) {
    for_tiles_of(w, part, [&](const Tile& tile) {
      const Value from = in_part(w, w.argument(ArgumentKind::input), part, tile);
      const Value values = load_tile(w, from, tile, Memory::own);
      store_tile(w, in_part(w, staging, part, tile), values, tile, Memory::peer);
    });
  });
}

// Overwrites this rank's part in its own staging: peers read that part only after the second barrier.
void fold_part(Writer& w) {
  const Stagings stagings(w);
  const Value mine = w.half_of(ArgumentKind::staging_table, w.rank(), w.element);
  for_tiles_of(w, w.rank(), [&](const Tile& tile) {
    const Value sum = fold_of_ranks(w, [&](auto rank) {
      return load_tile(w, in_part(w, stagings.of(rank), w.rank(), tile), tile, Memory::peer);
    });
    store_tile(w, in_part(w, mine, w.rank(), tile), sum, tile, Memory::peer);
    const Value output = w.argument(ArgumentKind::output);
    store_tile(w, in_part(w, output, w.rank(), tile), sum, tile, Memory::own);
  });
}

void pull_parts(Writer& w) {
  w.for_ranks(w.world - 1, [&](Value source) {
    const Value staging = w.half_of(ArgumentKind::staging_table, source, w.element);
    for_tiles_of(w, source, [&](const Tile& tile) {
      const Value values = load_tile(w, in_part(w, staging, source, tile), tile, Memory::peer);
      store_tile(w, in_part(w, w.argument(ArgumentKind::output), source, tile), values, tile, Memory::own);
    });
  });
}

}  // namespace tutti::kernels
