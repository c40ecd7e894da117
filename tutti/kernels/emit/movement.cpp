// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tutti/kernels/emit/phases.hpp"

namespace tutti::kernels {
namespace {

/// Returns the rank at the other end of this rank's pair in a ppermute, or -1. `ends` orders a pair: this
/// rank's end first.
Value paired(Writer& w, const std::function<std::pair<int, int>(const std::pair<int, int>&)>& ends) {
  Value found = w.i32(-1);
  for (const auto& pair : w.manifest.spec.pairs) {
    const auto [mine, other] = ends(pair);
    const Value is_mine = w.b.compare(IntPredicate::eq, w.rank(), w.i32(mine));
    found = w.b.select(is_mine, w.i32(other), found);
  }
  return found;
}
Value source_of(Writer& w) {
  return paired(w, [](const auto& pair) { return std::pair(pair.second, pair.first); });
}
Value target_of(Writer& w) {
  return paired(w, [](const auto& pair) { return pair; });
}

Value is_paired(Writer& w, Value other) { return w.b.compare(IntPredicate::sge, other, w.i32(0)); }

Value zeros(Writer& w) {
  const ValueType type = value_of(w.element, {w.manifest.launch.tile_elements});
  if (is_float(type)) return w.b.constant(type, 0.0);
  return w.b.constant(type, 0);
}

/// Stores zeros in the output if this rank has no source.
void store_zeros_without(Writer& w, Value source) {
  const Value is_alone = w.b.compare(IntPredicate::slt, source, w.i32(0));
  w.b.if_then(is_alone, [&] {
    w.for_own_tiles([&](Value t) {
      w.with_tile(t, {}, [&](const Tile& tile) {
        const Value to = w.b.offset(w.argument(ArgumentKind::output), tile.elements);
        store_tile(w, to, zeros(w), tile, Memory::own);
      });
    });
  });
}

/// Returns a function that copies a tile of `source` from its staging to the output.
std::function<void(Value)> pull_from(Writer& w, Value source) {
  const Value staging = w.half_of(ArgumentKind::staging_table, source, w.element);
  return [&w, staging, source](Value t) {
    w.with_tile(t, {}, [&](const Tile& tile) {
      const Value from = in_slice(w, staging, slice_for(w, w.rank()), tile);
      const Value values = load_tile(w, from, tile, Memory::peer);
      const Value output = w.argument(ArgumentKind::output);
      const Value to = w.places(output, w.view.result, source, tile.elements);
      store_tile(w, to, values, tile, Memory::own);
    });
  };
}

void push_tile(Writer& w, Value target, Value values, const Tile& tile) {
  const Value output = w.buffer(ArgumentKind::output_table, target, w.element);
  const Value to = w.places(output, w.view.result, w.rank(), tile.elements);
  store_tile(w, to, values, tile, Memory::peer);
}

void push_to_target(Writer& w) {
  const Value target = target_of(w);
  w.b.if_then(is_paired(w, target), [&] {
    w.for_own_tiles([&](Value t) {
      w.with_tile(t, {},
                  [&](const Tile& tile) { push_tile(w, target, input_tile(w, w.i32(0), tile), tile); });
    });
  });
  store_zeros_without(w, source_of(w));
}

}  // namespace

void publish(Writer& w) {
  const Value staging = w.half_of(ArgumentKind::staging_table, w.rank(), w.element);
  const auto publish_slice = [&](Value slice) {
    w.for_own_tiles([&](Value t) {
      w.with_tile(t, {}, [&](const Tile& tile) {
        const Value values = input_tile(w, slice, tile);
        store_tile(w, in_slice(w, staging, slice, tile), values, tile, Memory::peer);
      });
    });
  };
  const Value first = w.i32(0);
  if (w.view.operand.blocks == 1) return publish_slice(first);
  const Value end = w.i32(w.world);
  w.b.for_loop(first, end, w.i32(1), publish_slice);
}

void pull(Writer& w) {
  if (w.manifest.spec.kind != CollectiveKind::ppermute)
    return w.visit([&](Value source) { return pull_from(w, source); });
  const Value source = source_of(w);
  w.b.if_then(is_paired(w, source), [&] { w.for_own_tiles(pull_from(w, source)); });
  store_zeros_without(w, source);
}

void push_to_outputs(Writer& w) {
  if (w.manifest.spec.kind == CollectiveKind::ppermute) return push_to_target(w);
  const bool has_slices = w.view.operand.blocks > 1;
  w.for_own_tiles([&](Value t) {
    w.with_tile(t, {}, [&](const Tile& tile) {
      std::optional<Value> same;
      if (!has_slices) same = input_tile(w, w.i32(0), tile);
      w.for_ranks(w.world, [&](Value target) {
        push_tile(w, target, same ? *same : input_tile(w, target, tile), tile);
      });
    });
  });
}

Value slice_for(Writer& w, Value peer) { return w.view.operand.blocks == 1 ? w.i32(0) : peer; }

Value input_tile(Writer& w, Value slice, const Tile& tile) {
  const Value input = w.argument(ArgumentKind::input);
  const Value from = w.places(input, w.view.operand, slice, tile.elements);
  return load_tile(w, from, tile, Memory::own);
}

Value load_tile(Writer& w, Value pointers, const Tile& tile, Memory memory) {
  return w.b.load(pointers, tile.mask, {}, {memory, Cache::none});
}

void store_tile(Writer& w, Value pointers, Value values, const Tile& tile, Memory memory) {
  w.b.store(pointers, values, tile.mask, {memory, Cache::none});
}

Value in_slice(Writer& w, Value staging, Value slice, const Tile& tile) {
  const BlockedArray slices{1, w.world, slice_elements(w.view, w.manifest.launch)};
  return w.places(staging, slices, slice, tile.elements);
}

}  // namespace tutti::kernels
