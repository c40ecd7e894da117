// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/verify.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/all_gather.hpp"
#include "tutti/base/error.hpp"
#include "tutti/kernels/ir/builder.hpp"

namespace tutti::kernels {
namespace {

std::string refusal(const std::function<void()>& program) {
  try {
    program();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::internal);
    return error.message();
  }
  return "accepted";
}

/// A kernel of a loop: %0 = n, %1 = its range, %5 = i + i inside.
Function sample() {
  Builder b("sample");
  const Value n = b.argument("n", value_of(Scalar::i32), 16);
  b.range(0, 8);
  const Value zero = b.constant(value_of(Scalar::i32), 0);
  b.for_loop(zero, n, n, [&](Value i) { b.arith(ArithOp::addi, i, i); });
  return std::move(b).finish();
}

std::string refusal_after(const std::function<void(Function&)>& damage) {
  Function function = sample();
  damage(function);
  return refusal([&] { verify(function); });
}

TEST(kernel_verifier, takes_what_the_builder_made) {
  EXPECT_EQ(refusal_after([](Function&) {}), "accepted");
}

TEST(kernel_verifier, refuses_names_and_hints_that_do_not_print) {
  EXPECT_EQ(refusal_after([](Function& f) { f.name = "a b"; }),
            "kernel 'a b': the name is not an identifier");
  EXPECT_EQ(refusal_after([](Function& f) { f.arguments[0].name = "0"; }),
            "kernel sample: argument '0' is not an identifier");
  EXPECT_EQ(refusal_after([](Function& f) { f.arguments[0].divisibility = 12; }),
            "kernel sample: argument n is divisible by 12, which is not a power of two");
  EXPECT_EQ(refusal_after([](Function& f) { f.types[0] = value_of(Scalar::i64); }),
            "kernel sample: argument n is i32, but its value has another type");
  EXPECT_EQ(refusal([] {
              Builder b("k");
              b.argument("a", value_of(Scalar::i32));
              b.argument("a", value_of(Scalar::i32));
              std::move(b).finish();
            }),
            "kernel k: two arguments are named a");
}

TEST(kernel_verifier, refuses_types_that_do_not_follow) {
  EXPECT_EQ(refusal_after([](Function& f) { f.types[1] = value_of(Scalar::i32, {4}); }),
            "tt.make_range: the result is tensor<4xi32>, expected tensor<8xi32>");
  EXPECT_EQ(refusal_after([](Function& f) { f.body.ops[0].results.clear(); }),
            "tt.make_range: 0 results, expected 1");
  EXPECT_EQ(refusal_after([](Function& f) { f.body.ops[2].regions.clear(); }),
            "scf.for %2: 0 regions, expected 1");
}

TEST(kernel_verifier, refuses_values_out_of_scope) {
  EXPECT_EQ(refusal_after([](Function& f) { std::swap(f.body.ops[1], f.body.ops[2]); }),
            "scf.for: %2 is not defined here");
  EXPECT_EQ(refusal([] {
              Builder b("k");
              const Value n = b.argument("n", value_of(Scalar::i32));
              Value inside;
              b.for_loop(n, n, n, [&](Value i) { inside = b.arith(ArithOp::addi, i, n); });
              b.arith(ArithOp::addi, inside, n);
              std::move(b).finish();
            }),
            "arith.addi: %2 is not defined here");
  EXPECT_EQ(refusal_after([](Function& f) { f.body.ops.insert(f.body.ops.begin(), f.body.ops[0]); }),
            "%1 is defined twice");
}

TEST(kernel_verifier, refuses_blocks_without_their_terminator_at_the_end) {
  EXPECT_EQ(refusal_after([](Function& f) { f.body.ops.pop_back(); }),
            "kernel sample: tt.return is missing at the end");
  EXPECT_EQ(refusal_after([](Function& f) { f.body.ops[2].regions[0].ops.pop_back(); }),
            "scf.for %2: region 0 has not its terminator at its end");
  EXPECT_EQ(refusal_after([](Function& f) { f.body.ops.insert(f.body.ops.begin(), f.body.ops.back()); }),
            "tt.return: ops follow a terminator");
}

TEST(kernel_protocol, refuses_a_signal_without_a_barrier_before_it) {
  EXPECT_EQ(refusal([] { all_gather_by_exchange({.before_signal = false}); }).find("tt.atomic_rmw %"), 0u);
  EXPECT_EQ(refusal([] { all_gather_by_poll({.before_signal = false}); }).find("tt.atomic_store %"), 0u);
}

TEST(kernel_protocol, refuses_loads_without_a_barrier_after_the_wait) {
  EXPECT_NE(refusal([] {
              all_gather_by_exchange({.after_wait = false});
            }).find("follows the wait tt.atomic_rmw %"),
            std::string::npos);
  EXPECT_NE(refusal([] {
              all_gather_by_poll({.after_wait = false});
            }).find("follows the wait tt.atomic_poll %"),
            std::string::npos);
}

/// A kernel of p: pointer to i32, n: i32, c: i1.
struct Kernel {
  void store(Memory memory = Memory::peer) { b.store(p, n, {}, {memory, Cache::none}); }
  void load(Memory memory = Memory::peer) { b.load(p, {}, {}, {memory, Cache::none}); }
  void signal(Order order = Order::release) { b.atomic_store({order}, p, n); }
  void wait(Order order = Order::acquire) { b.atomic_load({order}, p); }
  void thread_signal() { b.one(ThreadSignal{}, {p, n}); }
  void thread_wait() { b.one(ThreadWait{}, {p, n, b.constant(value_of(Scalar::i64), 9), p}); }

  Builder b{"k"};
  Value p = b.argument("p", pointer_to(Scalar::i32)), n = b.argument("n", value_of(Scalar::i32)),
        c = b.argument("c", value_of(Scalar::i1));
};

std::string refusal_of(const std::function<void(Kernel&)>& write) {
  return refusal([&] {
    Kernel k;
    write(k);
    std::move(k.b).finish();
  });
}

constexpr std::string_view unsent =
    "tt.atomic_store %p signals after tt.store %p without a block barrier between them";
constexpr std::string_view unseen =
    "tt.load %p follows the wait tt.atomic_load %p without a block barrier between them";

TEST(kernel_protocol, asks_for_a_barrier_on_each_path) {
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.store();
              k.b.if_then(k.c, [&] { k.b.block_barrier(); });
              k.signal();
            }),
            unsent);
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.b.if_then(k.c, [&] { k.wait(); });
              k.load();
            }),
            unseen);
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.store();
              k.b.for_loop(k.n, k.n, k.n, [&](Value) { k.b.block_barrier(); });
              k.signal();
            }),
            unsent);
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.b.while_loop(
                  {},
                  [&](auto) {
                    k.b.block_barrier();
                    return k.c;
                  },
                  [&](auto) {
                    k.wait();
                    return Builder::Values{};
                  });
              k.load();
              k.b.block_barrier();
              k.signal();
            }),
            "accepted");
}

TEST(kernel_protocol, sees_the_round_before_in_a_loop) {
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.b.for_loop(k.n, k.n, k.n, [&](Value) {
                k.signal();
                k.store();
              });
            }),
            unsent);
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.b.while_loop(
                  {},
                  [&](auto) {
                    k.load();
                    return k.c;
                  },
                  [&](auto) {
                    k.wait();
                    return Builder::Values{};
                  });
            }),
            unseen);
}

TEST(kernel_protocol, concerns_peers_and_orders_only) {
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.store(Memory::own);
              k.signal();
            }),
            "accepted");
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.wait();
              k.load(Memory::own);
            }),
            "accepted");
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.store();
              k.signal(Order::relaxed);
            }),
            "accepted");
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.wait(Order::relaxed);
              k.load();
            }),
            "accepted");
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.load();
              k.signal();
            }),
            "tt.atomic_store %p signals after tt.load %p without a block barrier between them");
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.wait();
              k.store();
            }),
            "tt.store %p follows the wait tt.atomic_load %p without a block barrier between them");
}

TEST(kernel_protocol, knows_signals_and_waits_of_threads) {
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.store();
              k.thread_signal();
            }),
            "tt.elementwise_inline_asm %p signals after tt.store %p without a block barrier between them");
  EXPECT_EQ(refusal_of([](Kernel& k) {
              k.thread_wait();
              k.load();
            }),
            "tt.load %p follows the wait tt.elementwise_inline_asm %p without a block barrier between them");
}

/// A kernel in which threads below 2 run `write`.
std::string refusal_in_threads(const std::function<void(Kernel&)>& write) {
  return refusal_of([&](Kernel& k) {
    const Value thread = k.b.one(ThreadId{});
    const Value first = k.b.compare(IntPredicate::ult, thread, k.b.constant(value_of(Scalar::i32), 2));
    k.b.if_then(first, [&] { write(k); });
  });
}

TEST(kernel_threads, may_signal_and_wait_in_a_branch) {
  EXPECT_EQ(refusal_in_threads([](Kernel& k) {
              k.thread_signal();
              k.thread_wait();
            }),
            "accepted");
}

TEST(kernel_threads, run_nothing_that_needs_the_whole_block) {
  EXPECT_EQ(refusal_in_threads([](Kernel& k) { k.b.block_barrier(); }),
            "ttg.barrier needs the whole block, but only some threads of scf.if %5 run it");
  EXPECT_EQ(refusal_in_threads([](Kernel& k) { k.store(Memory::own); }),
            "tt.store %p needs the whole block, but only some threads of scf.if %5 run it");
  EXPECT_EQ(refusal_in_threads([](Kernel& k) { k.b.if_then(k.c, [&] { k.b.block_barrier(); }); }),
            "ttg.barrier needs the whole block, but only some threads of scf.if %5 run it");
  EXPECT_EQ(refusal_of([](Kernel& k) { k.b.splat(k.b.one(ThreadId{}), {4}); }),
            "tt.splat %3 needs the whole block, but its operands differ between threads");
}

}  // namespace
}  // namespace tutti::kernels
