// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/emit/barrier.hpp"

namespace tutti::kernels {
namespace {

constexpr Load of_own{Memory::own, Cache::none};
constexpr Store to_own{Memory::own, Cache::none};

Value sequence_of(Writer& w, int barrier) {
  const Value first = w.argument(ArgumentKind::sequence);
  return barrier == 0 ? first : w.add(first, w.i32(barrier));
}

/// The index of rank 0's slot number `which` in this block's row. In a row, all ranks' slots 0 come first,
/// then all slots 1, then all slots 2.
Value first_slot(Writer& w, Value which) {
  const Value row = w.mul(w.program(), w.i32(w.manifest.pads.row_bytes / slot_bytes));
  return w.add(row, w.mul(which, w.i32(w.world)));
}

/// Chooses slot 0, or for Encoding::poll slots 1 and 2 alternately: see slots_per_peer.
Value first_slot_of(Writer& w, Value sequence) {
  if (w.manifest.encoding != Encoding::poll) return first_slot(w, w.i32(0));
  const Value parity = w.b.arith(ArithOp::andi, sequence, w.i32(1));
  return first_slot(w, w.add(parity, w.i32(1)));
}

/// A tensor with one lane per rank. The mask turns spare lanes off; there is no mask without spare lanes.
struct Peers {
  explicit Peers(Writer& w) : lanes(w.b.range(0, lanes_for(w.world))) {
    if (lanes_for(w.world) == w.world) return;
    mask = w.b.compare(IntPredicate::slt, lanes, w.b.constant(w.b.type(lanes), w.world));
  }
  Value lanes;
  std::optional<Value> mask;
};

Value pads_of(Writer& w, const Peers& peers) {
  const Value entries = w.b.offset(w.argument(ArgumentKind::signal_table), peers.lanes);
  const Value addresses = w.b.load(entries, peers.mask, {}, of_own);
  return w.b.one(IntToPtr{Scalar::i32, alignment_bytes}, {addresses});
}

Value own_pad(Writer& w) { return w.buffer(ArgumentKind::signal_table, w.rank(), Scalar::i32); }

void if_below_world(Writer& w, const std::function<void(Value)>& then) {
  const Value thread = w.b.one(ThreadId{});
  const Value is_peer = w.b.compare(IntPredicate::ult, thread, w.i32(w.world));
  w.b.if_then(is_peer, [&] { then(thread); });
}

void signal_by_threads(Writer& w, Value slots, Value sequence) {
  const Value mine = w.add(slots, w.rank());
  if_below_world(w, [&](Value peer) {
    const Value pad = w.buffer(ArgumentKind::signal_table, peer, Scalar::i32);
    w.b.one(ThreadSignal{}, {w.b.offset(pad, mine), sequence});
  });
}

void signal_by_lanes(Writer& w, Value slots, Value sequence) {
  const Peers peers(w);
  const Value mine = w.add(slots, w.rank());
  const Value at = w.b.offset(pads_of(w, peers), mine);
  const Value values = w.b.splat(sequence, {lanes_for(w.world)});
  if (w.manifest.encoding == Encoding::poll) return w.b.atomic_store({}, at, values, peers.mask);
  w.b.atomic_rmw({RmwOp::exch, Order::release, Scope::sys}, at, values, peers.mask);
}

/// A thread that gives up stores an error pair in global memory. All threads read it after the block barrier.
Value wait_by_threads(Writer& w, Value slots, Value sequence) {
  const Value mine = w.b.offset(own_pad(w), slots);
  const Value limit = w.argument(ArgumentKind::wait_limit);
  if_below_world(w, [&](Value peer) {
    const Value slot = w.b.offset(mine, peer);
    w.b.one(ThreadWait{}, {slot, sequence, limit, error_pair(w, peer)});
  });
  w.b.block_barrier();
  const Peers peers(w);
  const std::optional<Value> none =
      peers.mask ? std::optional(w.b.constant(value_of(Scalar::i32, {lanes_for(w.world)}), 0)) : std::nullopt;
  const Value failed = w.b.load(error_pair(w, peers.lanes), peers.mask, none, of_own);
  const Value any = w.b.reduce(ArithOp::ori, failed);
  return w.b.compare(IntPredicate::eq, any, w.i32(0));
}

/// Polls one slot by adding 0. Returns an i1: true if the signal has arrived.
Value poll_by_adding(Writer& w, Value slot, Value sequence) {
  Builder& b = w.b;
  const Value limit = w.argument(ArgumentKind::wait_limit);
  const Value for_ever = b.compare(IntPredicate::eq, limit, w.i64(0));
  const Value start = w.i64(0);
  const Value is_behind = b.constant(value_of(Scalar::i1), 1);
  const auto polls_again = [&](std::span<const Value> carried) {
    const Value within = b.compare(IntPredicate::ne, carried[0], limit);
    return b.arith(ArithOp::andi, carried[1], b.arith(ArithOp::ori, within, for_ever));
  };
  const auto poll = [&](std::span<const Value> carried) {
    const Value seen = b.atomic_rmw({RmwOp::add, Order::acquire, Scope::sys}, slot, w.i32(0));
    const Value ahead = b.arith(ArithOp::subi, seen, sequence);
    const Value polls = w.add(carried[0], w.i64(1));
    return Builder::Values{polls, b.compare(IntPredicate::slt, ahead, w.i32(0))};
  };
  const Value behind = b.while_loop({start, is_behind}, polls_again, poll)[1];
  return w.negated(behind);
}

Value wait_by_adding(Writer& w, Value slots, Value sequence) {
  Builder& b = w.b;
  const Value mine = b.offset(own_pad(w), slots);
  const Value first = w.i32(0);
  const Value end = w.i32(w.world);
  const Value one = w.i32(1);
  const Value yes = b.constant(value_of(Scalar::i1), 1);
  const auto poll = [&](Value peer, std::span<const Value> carried) {
    const Value arrived = poll_by_adding(w, b.offset(mine, peer), sequence);
    b.if_then(w.negated(arrived), [&] { store_error(w, error_pair(w, peer), sequence, {}); });
    return Builder::Values{b.arith(ArithOp::andi, carried[0], arrived)};
  };
  const Value arrived = b.for_loop(first, end, one, {yes}, poll)[0];
  b.block_barrier();
  return arrived;
}

/// AtomicPoll has no mask, so spare lanes poll this rank's own slot, which is already signalled.
Value wait_by_polling(Writer& w, Value slots, Value sequence) {
  Builder& b = w.b;
  const Peers peers(w);
  const int lanes = lanes_for(w.world);
  const Value polled =
      peers.mask ? b.select(*peers.mask, peers.lanes, b.splat(w.rank(), {lanes})) : peers.lanes;
  const Value mine = b.offset(b.offset(own_pad(w), slots), polled);
  const Value limit = w.argument(ArgumentKind::wait_limit);
  const Value is_unlimited = b.compare(IntPredicate::eq, limit, w.i64(0));
  const Value timeout = b.select(is_unlimited, w.i64(poll_for_ever_ns), limit);
  const Value arrived = b.atomic_poll({}, mine, b.splat(sequence, {lanes}), timeout);
  b.block_barrier();
  const Value missing = w.negated(arrived);
  store_error(w, error_pair(w, polled), sequence, missing);
  return b.reduce(ArithOp::andi, arrived);
}

Value wait_in_encoding(Writer& w, int barrier) {
  const Value sequence = sequence_of(w, barrier);
  const Value slots = first_slot_of(w, sequence);
  switch (w.manifest.encoding) {
    case Encoding::threads: return wait_by_threads(w, slots, sequence);
    case Encoding::atomics: return wait_by_adding(w, slots, sequence);
    case Encoding::poll: break;
  }
  return wait_by_polling(w, slots, sequence);
}

}  // namespace

void signal(Writer& w, int barrier) {
  w.b.block_barrier();
  const Value sequence = sequence_of(w, barrier);
  const Value slots = first_slot_of(w, sequence);
  if (w.manifest.encoding == Encoding::threads) return signal_by_threads(w, slots, sequence);
  signal_by_lanes(w, slots, sequence);
}

Value wait(Writer& w, int barrier) {
  const Value arrived = wait_in_encoding(w, barrier);
  break_unless(w, arrived);
  return arrived;
}

void break_unless(Writer& w, Value arrived) {
  w.b.if_then(w.negated(arrived), [&] {
    const Value one = w.i32(1);
    w.b.atomic_rmw({RmwOp::exch, Order::relaxed, Scope::sys}, w.argument(ArgumentKind::error), one);
  });
}

void unless_broken(Writer& w, const std::function<void()>& then) {
  const Value broken = w.b.atomic_load({Order::relaxed, Scope::sys}, w.argument(ArgumentKind::error));
  w.b.if_then(w.b.compare(IntPredicate::eq, broken, w.i32(0)), then);
}

void after_barrier(Writer& w, int barrier, const std::function<void()>& then) {
  signal(w, barrier);
  w.b.if_then(wait(w, barrier), then);
}

Value error_pair(Writer& w, Value peer) {
  const Value row = w.mul(w.program(), w.i32(w.world));
  const Value first = w.add(row, w.i32(1));
  const Dims dims = w.b.type(peer).dims;
  const Value place = w.add(dims.empty() ? first : w.b.splat(first, dims), peer);
  const Value words = w.b.constant(w.b.type(peer), error_pair_bytes / 4);
  return w.b.offset(w.argument(ArgumentKind::error), w.mul(place, words));
}

void store_error(Writer& w, Value pair, Value sequence, std::optional<Value> mask) {
  const Dims dims = w.b.type(pair).dims;
  const ValueType word = value_of(Scalar::i32, dims);
  const Value one = w.b.constant(word, 1);
  w.b.store(pair, one, mask, to_own);
  const Value number = dims.empty() ? sequence : w.b.splat(sequence, dims);
  w.b.store(w.b.offset(pair, one), number, mask, to_own);
}

}  // namespace tutti::kernels
