// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/all_gather.hpp"

#include <functional>
#include <utility>

#include "tutti/kernels/ir/builder.hpp"

namespace tutti::kernels {
namespace {

// C++ does not say which argument of a call is evaluated first: at most one of them makes an op.

constexpr int ranks = 2, tile = 1024, row = 8;
constexpr Load of_own{Memory::own, Cache::none};  // input and tables do not change while kernels run
constexpr Store to_output{Memory::own, Cache::none};

struct Kernel {
  explicit Kernel(std::string name) : b(std::move(name)) {}

  Value i32(std::int64_t value) { return b.constant(value_of(Scalar::i32), value); }
  Value add(Value x, Value y) { return b.arith(ArithOp::addi, x, y); }
  Value mul(Value x, Value y) { return b.arith(ArithOp::muli, x, y); }

  /// Calls body with the offsets of one tile after another.
  void for_tiles(const std::function<void(Value)>& body) {
    b.for_loop(block, tiles, blocks, [&](Value t) {
      const Value first = b.splat(mul(t, i32(tile)), {tile});
      body(add(first, lanes));
    });
  }

  void for_ranks(const std::function<void(Value)>& body) {
    const Value zero = i32(0);
    const Value one = i32(1);
    b.for_loop(zero, i32(ranks), one, body);
  }

  Value staging_of(Value source) {
    const Value address = b.load(b.offset(stagings, source), {}, {}, of_own);
    return b.one(IntToPtr{Scalar::f32, 16}, {address});
  }

  void publish() {
    const Value mine = staging_of(rank);
    for_tiles([&](Value at) {
      const Value x = b.load(b.offset(input, at), {}, {}, of_own);
      b.store(b.offset(mine, at), x);
    });
  }

  void consume() {
    for_ranks([&](Value s) {
      const Value last = i32(ranks - 1);
      const Value source = b.arith(ArithOp::andi, add(rank, s), last);
      const Value from = staging_of(source);
      const Value to = b.offset(output, mul(source, mul(tiles, i32(tile))));
      for_tiles([&](Value at) {
        const Value x = b.load(b.offset(from, at));
        b.store(b.offset(to, at), x, {}, to_output);
      });
    });
  }

  Value pad_of(Value owner) {
    return b.one(IntToPtr{Scalar::i32, {}}, {b.load(b.offset(pads, owner), {}, {}, of_own)});
  }

  /// Where this rank signals to each peer.
  Value slots_at_peers(Value slots) {
    const Value slot = add(slots, rank);
    return b.offset(pad_of(peers), slot);
  }

  Builder b;
  Value input = b.argument("input", pointer_to(Scalar::f32), 16);
  Value output = b.argument("output", pointer_to(Scalar::f32), 16);
  Value stagings = b.argument("stagings", pointer_to(Scalar::i64), 16);
  Value pads = b.argument("pads", pointer_to(Scalar::i64), 16);
  Value rank = b.argument("rank", value_of(Scalar::i32));
  Value tiles = b.argument("tiles", value_of(Scalar::i32));
  Value sequence = b.argument("sequence", value_of(Scalar::i32));
  Value timeout_ns = b.argument("timeout_ns", value_of(Scalar::i64));
  Value error = b.argument("error", pointer_to(Scalar::i32));
  Value block = b.program_id();
  Value blocks = b.num_programs();
  Value lanes = b.range(0, tile);
  Value peers = b.range(0, ranks);
};

}  // namespace

Function all_gather_by_exchange(Barriers barriers) {
  Kernel k("all_gather_by_exchange");
  Builder& b = k.b;
  k.publish();
  if (barriers.before_signal) b.block_barrier();
  const Value slots = k.mul(k.block, k.i32(row));
  const Value wanted = b.splat(k.sequence, {ranks});
  b.atomic_rmw({RmwOp::exch, Order::release, Scope::sys}, k.slots_at_peers(slots), wanted);
  const Value mine = b.offset(k.pad_of(k.rank), slots);
  k.for_ranks([&](Value peer) {
    const Value slot = b.offset(mine, peer);
    const Value zero = k.i32(0);
    const auto is_behind = [&](std::span<const Value>) {
      const Value seen = b.atomic_rmw({RmwOp::add, Order::acquire, Scope::sys}, slot, zero);
      return b.compare(IntPredicate::slt, b.arith(ArithOp::subi, seen, k.sequence), zero);
    };
    b.while_loop({}, is_behind, [](std::span<const Value>) { return Builder::Values{}; });
  });
  if (barriers.after_wait) b.block_barrier();
  k.consume();
  return std::move(b).finish();
}

Function all_gather_by_poll(Barriers barriers) {
  Kernel k("all_gather_by_poll");
  Builder& b = k.b;
  k.publish();
  if (barriers.before_signal) b.block_barrier();
  const Value parity = b.arith(ArithOp::andi, k.sequence, k.i32(1));
  const Value row_of_call = k.add(k.mul(k.block, k.i32(2)), parity);
  const Value slots = k.mul(row_of_call, k.i32(row));
  const Value wanted = b.splat(k.sequence, {ranks});
  b.atomic_store({}, k.slots_at_peers(slots), wanted);
  const Value mine = b.offset(b.offset(k.pad_of(k.rank), slots), k.peers);
  const Value arrived = b.reduce(ArithOp::andi, b.atomic_poll({}, mine, wanted, k.timeout_ns));
  if (barriers.after_wait) b.block_barrier();
  b.if_else(
      arrived,
      [&] {
        k.consume();
        return Builder::Values{};
      },
      [&] {
        b.store(k.error, k.sequence, {}, to_output);
        return Builder::Values{};
      });
  return std::move(b).finish();
}

}  // namespace tutti::kernels
