// SPDX-License-Identifier: Apache-2.0
// A packet is one i64: the sequence number in the high 32 bits, data in the low 32 bits. An element of 64
// bits takes two packets: row 0 of the inbox has the low halves of all elements, row 1 the high halves.
#include "tutti/kernels/emit/barrier.hpp"
#include "tutti/kernels/emit/phases.hpp"

namespace tutti::kernels {
namespace {

constexpr AtomicStore relaxed_store{Order::relaxed, Scope::sys};
constexpr AtomicLoad relaxed_load{Order::relaxed, Scope::sys};

Scalar integer_of(Scalar scalar) {
  switch (bits(scalar)) {
    case 8: return Scalar::i8;
    case 16: return Scalar::i16;
    case 32: return Scalar::i32;
    default: return Scalar::i64;
  }
}

ValueType packets_type(Writer& w) { return value_of(Scalar::i64, {w.manifest.launch.tile_elements}); }

Value constant(Writer& w, std::int64_t value) { return w.b.constant(packets_type(w), value); }

/// Converts elements to i64; their bits are the low bits.
Value bits_of(Writer& w, Value values) {
  const Scalar integer = integer_of(w.element);
  if (integer != w.element) values = w.b.one(Bitcast{integer}, {values});
  return integer == Scalar::i64 ? values : w.b.convert(ConvertOp::extui, values, Scalar::i64);
}

Value values_of(Writer& w, Value bits) {
  const Scalar integer = integer_of(w.element);
  if (integer != Scalar::i64) bits = w.b.convert(ConvertOp::trunci, bits, integer);
  return integer == w.element ? bits : w.b.one(Bitcast{w.element}, {bits});
}

/// Returns the sequence number in the high 32 bits of every lane.
Value stamp(Writer& w) {
  const Value wide = w.b.convert(ConvertOp::extui, w.argument(ArgumentKind::sequence), Scalar::i64);
  const Value high = w.b.arith(ArithOp::shli, wide, w.i64(32));
  return w.b.splat(high, packets_type(w).dims);
}

/// Returns the address of the inbox in which `owner` receives from `sender`.
Value inbox(Writer& w, Value owner, Value sender) {
  const Value all = w.half_of(ArgumentKind::inbox_table, owner, Scalar::i64);
  return w.b.offset(all, w.mul(sender, w.i32(packet_inbox_bytes / packet_bytes)));
}

int rows(const Writer& w) { return packets_per_element(w.view.moved); }

/// Returns pointers to the tile's packets in one row. Row 0 has the low bits.
Value in_row(Writer& w, Value base, int row, const Tile& tile) {
  const Value start = row == 0 ? base : w.b.offset(base, w.i32(row * w.manifest.launch.elements));
  return w.b.offset(start, tile.elements);
}

void send_tile(Writer& w, Value base, Value values, Value high, const Tile& tile) {
  const Value bits = bits_of(w, values);
  for (int row = 0; row < rows(w); ++row) {
    Value data = bits;
    if (row == 1) data = w.b.arith(ArithOp::shrui, bits, constant(w, 32));
    else if (rows(w) > 1) data = w.b.arith(ArithOp::andi, bits, constant(w, 0xffff'ffff));
    const Value packet = w.b.arith(ArithOp::ori, data, high);
    w.b.atomic_store(relaxed_store, in_row(w, base, row, tile), packet, tile.mask);
  }
}

/// Returns an i1: true if any packet lacks this call's number.
Value is_missing(Writer& w, Value packets, Value high) {
  const Value above = w.b.constant(packets_type(w), -(std::int64_t{1} << 32));
  const Value number = w.b.arith(ArithOp::andi, packets, above);
  return w.b.reduce(ArithOp::ori, w.b.compare(IntPredicate::ne, number, high));
}

struct Received {
  Value bits, arrived;
};

/// Polls the packets of one row until all have arrived. If `alive` is false, gives up without a poll.
Received receive_row(Writer& w, Value pointers, Value high, Value alive, const Tile& tile) {
  Builder& b = w.b;
  const Value limit = w.argument(ArgumentKind::wait_limit);
  const Value for_ever = b.compare(IntPredicate::eq, limit, w.i64(0));
  const Value start = w.i64(0);
  const Value missing = b.constant(value_of(Scalar::i1), 1);
  const Value nothing = constant(w, 0);
  const auto polls_again = [&](std::span<const Value> carried) {
    const Value within = b.compare(IntPredicate::ne, carried[0], limit);
    const Value may_poll = b.arith(ArithOp::andi, b.arith(ArithOp::ori, within, for_ever), alive);
    return b.arith(ArithOp::andi, carried[1], may_poll);
  };
  const auto poll = [&](std::span<const Value> carried) {
    Value packets = b.atomic_load(relaxed_load, pointers, tile.mask);
    if (tile.mask) packets = b.select(*tile.mask, packets, high);  // lanes outside count as arrived
    const Value polls = w.add(carried[0], w.i64(1));
    return Builder::Values{polls, is_missing(w, packets, high), packets};
  };
  const Builder::Values end = b.while_loop({start, missing, nothing}, polls_again, poll);
  const Value low = b.arith(ArithOp::andi, end[2], constant(w, 0xffff'ffff));
  return {low, w.negated(end[1])};
}

/// Receives a tile from `source`. A wait that is given up is reported at `error`.
Received receive_tile(Writer& w, Value base, Value source, Value high, Value alive, const Tile& tile) {
  Received tile_of = receive_row(w, in_row(w, base, 0, tile), high, alive, tile);
  if (rows(w) == 2) {
    const Received second = receive_row(w, in_row(w, base, 1, tile), high, tile_of.arrived, tile);
    const Value above = w.b.arith(ArithOp::shli, second.bits, constant(w, 32));
    tile_of = {w.b.arith(ArithOp::ori, tile_of.bits, above), second.arrived};
  }
  const Value failed = w.b.arith(ArithOp::andi, alive, w.negated(tile_of.arrived));
  w.b.if_then(failed, [&] { store_error(w, error_pair(w, source), w.argument(ArgumentKind::sequence), {}); });
  break_unless(w, w.negated(failed));
  return tile_of;
}

/// Runs alive = body(tile, alive) for each tile of the program; returns the last `alive`.
Value while_alive(Writer& w, Value alive, const std::function<Value(const Tile&, Value)>& body) {
  const Value first = w.widened(w.program());
  const Value end = w.index(w.manifest.launch.tiles());
  const Value step = w.programs();
  return w.b.for_loop(first, end, step, {alive}, [&](Value t, std::span<const Value> carried) {
    return Builder::Values{body(w.tile(t), carried[0])};
  })[0];
}

Value yes(Writer& w) { return w.b.constant(value_of(Scalar::i1), 1); }

void store_output(Writer& w, Value arrived, Value values, Value block, const Tile& tile) {
  w.b.if_then(arrived, [&] {
    const Value to = w.places(w.argument(ArgumentKind::output), w.view.result, block, tile.elements);
    store_tile(w, to, values, tile, Memory::own);
  });
}

}  // namespace

void send_packets(Writer& w) {
  const Value high = stamp(w);
  w.for_ranks(w.world, [&](Value target) {
    const Value base = inbox(w, target, w.rank());
    w.for_own_tiles([&](Value t) {
      const Tile tile = w.tile(t);
      send_tile(w, base, input_tile(w, slice_for(w, target), tile), high, tile);
    });
  });
}

void receive_packets(Writer& w) {
  const Value high = stamp(w);
  const Value first = w.i32(1);
  const Value end = w.i32(w.world + 1);
  const Value step = w.i32(1);
  w.b.for_loop(first, end, step, {yes(w)}, [&](Value n, std::span<const Value> carried) {
    const Value source = w.rank_after(n);
    const Value base = inbox(w, w.rank(), source);
    return Builder::Values{while_alive(w, carried[0], [&](const Tile& tile, Value alive) {
      const Received got = receive_tile(w, base, source, high, alive, tile);
      store_output(w, got.arrived, values_of(w, got.bits), source, tile);
      return got.arrived;
    })};
  });
}

void fold_packets(Writer& w) {
  const Value high = stamp(w);
  while_alive(w, yes(w), [&](const Tile& tile, Value alive) {
    std::optional<Value> sum;
    for (int rank = 0; rank < w.world; ++rank) {
      const Value source = w.i32(rank);
      const Value base = inbox(w, w.rank(), source);
      const Received got = receive_tile(w, base, source, high, alive, tile);
      const Value values = values_of(w, got.bits);
      sum = sum ? folded(w, *sum, values) : to_accumulator(w, values);
      alive = got.arrived;
    }
    store_output(w, alive, from_accumulator(w, *sum), w.i32(0), tile);
    return alive;
  });
}

}  // namespace tutti::kernels
