// SPDX-License-Identifier: Apache-2.0
// Weak memory, on litmus tests: which outcomes some schedule has, and which none has.
#include <gtest/gtest.h>

#include "tests/kernels/expect_fault.hpp"

namespace tutti::kernels {
namespace {

/// True if some schedule has the outcome that the kernel fails for.
bool is_seen(const EmittedKernels& kernels, const CheckOptions& options) {
  const CheckReport report = check(kernels, options);
  if (report.fault) EXPECT_EQ(report.fault->kind, FaultKind::out_of_bounds) << to_string(report);
  else EXPECT_TRUE(report.all_schedules);
  return report.fault.has_value();
}

struct Strength {
  Order store = Order::release, load = Order::acquire;
  Scope store_scope = Scope::sys, load_scope = Scope::sys;
};

/// Message passing: is the flag there, but not the data? `reader` is a rank or a block.
EmittedKernels message_passing(const Strength& how, int reader_rank, int reader_block) {
  return tiny_group(2, 2, [&](Script& s) {
    const Value data = s.word(0, 0), flag = s.word(1, 1);
    s.only(0, [&] {
      s.store_atomic(data, s.number(1), Order::relaxed);
      s.store_atomic(flag, s.number(1), how.store, how.store_scope);
    });
    s.only(reader_rank, reader_block, [&] {
      const Value seen = s.load_atomic(flag, how.load, how.load_scope);
      s.fail_if(seen, 1, s.load_atomic(data, Order::relaxed), 0);
    });
  });
}
EmittedKernels across_ranks(const Strength& how) { return message_passing(how, 1, 0); }
EmittedKernels across_blocks(const Strength& how) { return message_passing(how, 0, 1); }

TEST(check_memory, a_released_flag_that_is_acquired_brings_the_data) {
  EXPECT_FALSE(is_seen(across_ranks({}), many_orders()));
  EXPECT_FALSE(is_seen(across_ranks({}), every_order()));
  EXPECT_FALSE(is_seen(across_blocks({}), many_orders()));
}

TEST(check_memory, a_relaxed_read_may_return_an_older_value) {
  EXPECT_TRUE(is_seen(across_ranks({Order::relaxed, Order::acquire}), many_orders()));
  EXPECT_TRUE(is_seen(across_ranks({Order::release, Order::relaxed}), many_orders()));
  EXPECT_TRUE(is_seen(across_ranks({Order::relaxed, Order::relaxed}), many_orders()));
}

TEST(check_memory, exhaustive_schedules_read_the_newest_value) {
  EXPECT_FALSE(is_seen(across_ranks({Order::relaxed, Order::relaxed}), every_order()));
}

TEST(check_memory, a_scope_of_the_gpu_orders_its_blocks_only) {
  const Strength stores{.store_scope = Scope::gpu}, loads{.load_scope = Scope::gpu},
      both{.store_scope = Scope::gpu, .load_scope = Scope::gpu};
  for (const Strength& how : {stores, loads, both}) {
    EXPECT_TRUE(is_seen(across_ranks(how), many_orders()));
    EXPECT_FALSE(is_seen(across_blocks(how), many_orders()));
  }
}

TEST(check_memory, a_scope_of_a_block_orders_no_other_block) {
  EXPECT_TRUE(is_seen(across_blocks({.store_scope = Scope::cta}), many_orders()));
  EXPECT_TRUE(is_seen(across_blocks({.load_scope = Scope::cta}), many_orders()));
}

/// Two ranks run `first` and `second`, which give a number each; rank 2 looks whether they were these.
/// Numbers are stored with 1 added, as 0 means that there is none yet.
EmittedKernels outcome(const std::function<Value(Script&)>& first,
                       const std::function<Value(Script&)>& second, std::int64_t first_number,
                       std::int64_t second_number) {
  return tiny_group(3, 1, [&](Script& s) {
    const Value of_first = s.word(2, 0), of_second = s.word(2, 1);
    const auto tell = [&](const std::function<Value(Script&)>& run, Value to) {
      const Value number = run(s);
      s.store_atomic(to, s.w.add(number, s.number(1)), Order::relaxed);
    };
    s.only(0, [&] { tell(first, of_first); });
    s.only(1, [&] { tell(second, of_second); });
    s.only(2, [&] {
      const Value x = s.load_atomic(of_first, Order::relaxed);
      s.fail_if(x, first_number + 1, s.load_atomic(of_second, Order::relaxed), second_number + 1);
    });
  });
}

/// Each stores its word and loads the other's.
EmittedKernels store_buffering(std::int64_t first_number, std::int64_t second_number) {
  const auto side = [](int mine, int other) {
    return [=](Script& s) {
      s.store_atomic(s.word(0, mine), s.number(1), Order::release);
      return s.load_atomic(s.word(0, other), Order::acquire);
    };
  };
  return outcome(side(0, 1), side(1, 0), first_number, second_number);
}

TEST(check_memory, stores_are_buffered) {
  for (int first : {0, 1})
    for (int second : {0, 1}) EXPECT_TRUE(is_seen(store_buffering(first, second), many_orders(4000)));
}

TEST(check_memory, exhaustive_schedules_of_store_buffering_are_sequential) {
  EXPECT_FALSE(is_seen(store_buffering(0, 0), every_order()));
  EXPECT_TRUE(is_seen(store_buffering(0, 1), every_order()));
  EXPECT_TRUE(is_seen(store_buffering(1, 0), every_order()));
  EXPECT_TRUE(is_seen(store_buffering(1, 1), every_order()));
}

// Each loads the other's word and then stores its own.
TEST(check_memory, nothing_comes_before_its_cause) {
  const auto side = [](int mine, int other) {
    return [=](Script& s) {
      const Value seen = s.load_atomic(s.word(0, other), Order::relaxed);
      s.store_atomic(s.word(0, mine), s.number(1), Order::relaxed);
      return seen;
    };
  };
  EXPECT_FALSE(is_seen(outcome(side(0, 1), side(1, 0), 1, 1), many_orders()));
  EXPECT_FALSE(is_seen(outcome(side(0, 1), side(1, 0), 1, 1), every_order()));
  EXPECT_TRUE(is_seen(outcome(side(0, 1), side(1, 0), 0, 1), many_orders()));
}

/// Rank 0 stores 1, then 2; rank 1 loads twice.
EmittedKernels two_loads(std::int64_t first, std::int64_t second) {
  return tiny_group(2, 1, [&](Script& s) {
    const Value word = s.word(0, 0);
    s.only(0, [&] {
      s.store_atomic(word, s.number(1), Order::relaxed);
      s.store_atomic(word, s.number(2), Order::relaxed);
    });
    s.only(1, [&] {
      const Value seen = s.load_atomic(word, Order::relaxed);
      s.fail_if(seen, first, s.load_atomic(word, Order::relaxed), second);
    });
  });
}

TEST(check_memory, loads_of_one_word_never_go_back) {
  for (int first : {0, 1, 2})
    for (int second : {0, 1, 2}) {
      EXPECT_EQ(is_seen(two_loads(first, second), many_orders()), first <= second);
      EXPECT_EQ(is_seen(two_loads(first, second), every_order()), first <= second);
    }
}

TEST(check_memory, an_agent_reads_its_own_stores) {
  const auto kernels = tiny_group(2, 1, [](Script& s) {
    s.only(1, [&] {
      s.store_atomic(s.word(0, 0), s.number(3), Order::relaxed);
      const Value seen = s.load_atomic(s.word(0, 0), Order::relaxed);
      s.fail_if(seen, 0, seen, 0);
    });
  });
  EXPECT_FALSE(is_seen(kernels, many_orders()));
}

TEST(check_memory, read_modify_writes_lose_no_addition) {
  const auto add = [](Script& s) {
    return s.w.b.atomic_rmw({RmwOp::add, Order::relaxed, Scope::sys}, s.word(0, 0), s.number(1));
  };
  EXPECT_FALSE(is_seen(outcome(add, add, 0, 0), many_orders()));
  EXPECT_FALSE(is_seen(outcome(add, add, 0, 0), every_order()));
  EXPECT_FALSE(is_seen(outcome(add, add, 1, 1), many_orders()));
  EXPECT_TRUE(is_seen(outcome(add, add, 0, 1), many_orders()));
  EXPECT_TRUE(is_seen(outcome(add, add, 1, 0), many_orders()));
}

TEST(check_memory, a_compare_and_swap_succeeds_once) {
  const auto take = [](Script& s) {
    const Value word = s.word(0, 0), free = s.number(0);
    return s.w.b.one(AtomicCas{Order::relaxed, Scope::sys}, {word, free, s.number(1)});
  };
  EXPECT_FALSE(is_seen(outcome(take, take, 0, 0), many_orders()));
  EXPECT_TRUE(is_seen(outcome(take, take, 0, 1), many_orders()));
}

/// Rank 0 stores plain data and releases a flag, which rank 1 changes before rank 2 acquires it.
EmittedKernels passed_on(const std::function<void(Script&, Value flag)>& change) {
  return tiny_group(3, 1, [&](Script& s) {
    const Value data = s.word(0, 0), flag = s.word(0, 1);
    s.only(0, [&] {
      s.store(data, s.number(7));
      s.w.b.block_barrier();
      s.store_atomic(flag, s.number(1), Order::release);
    });
    s.only(1, [&] {
      s.await(flag, 1, Order::relaxed);
      change(s, flag);
    });
    s.only(2, [&] {
      s.await(flag, 2, Order::acquire);
      s.load(data);
    });
  });
}

TEST(check_memory, a_read_modify_write_passes_a_release_on) {
  const auto kernels = passed_on([](Script& s, Value flag) {
    s.w.b.atomic_rmw({RmwOp::add, Order::relaxed, Scope::sys}, flag, s.number(1));
  });
  expect_no_fault(check(kernels, many_orders()));
  expect_no_fault(check(kernels, every_order()));
}

TEST(check_memory, a_store_does_not_pass_a_release_on) {
  const auto kernels =
      passed_on([](Script& s, Value flag) { s.store_atomic(flag, s.number(2), Order::relaxed); });
  for (const CheckOptions& options : {many_orders(), every_order()})
    expect_fault(check(kernels, options), FaultKind::race,
                 {"at pad of rank 0 + 0 bytes", "rank 2, block 0, call 0: tt.load",
                  "rank 1, block 0, call 0: tt.atomic_store", "but the store does not release"});
}

TEST(check_memory, kernels_of_a_rank_are_ordered_and_those_of_ranks_are_not) {
  const EmittedKernels store =
      tiny_group(2, 1, [](Script& s) { s.only(0, [&] { s.store(s.word(0, 0), s.number(1)); }); });
  const auto load_by = [](int rank) {
    return tiny_group(2, 1, [&](Script& s) { s.only(rank, [&] { s.load(s.word(0, 0)); }); });
  };
  const std::vector<EmittedKernels> same{store, load_by(0)}, other{store, load_by(1)};
  expect_no_fault(check(same, {.calls = 2}));
  expect_fault(check(other, {.calls = 2}), FaultKind::race,
               {"rank 1, block 0, call 1: tt.load", "rank 0, block 0, call 0: tt.store"});
}

}  // namespace
}  // namespace tutti::kernels
