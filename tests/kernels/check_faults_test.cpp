// SPDX-License-Identifier: Apache-2.0
// Each kind of fault on a kernel of a few ops: what the checker finds, and how it says so.
#include <gtest/gtest.h>

#include "tests/kernels/expect_fault.hpp"
#include "tests/kernels/specs.hpp"
#include "tests/kernels/tiny_group.hpp"
#include "tutti/kernels/emit/barrier.hpp"

namespace tutti::kernels {
namespace {

TEST(check_faults, a_kernel_without_one_passes) {
  const CheckReport report = check(tiny_group(3, 2, [](Script&) {}));
  EXPECT_TRUE(report) << to_string(report);
  EXPECT_EQ(report.schedules, 100);
  EXPECT_TRUE(report.all_schedules);
}

TEST(check_faults, a_store_and_a_load_that_nothing_orders_race) {
  const auto kernels = tiny_group(2, 1, [](Script& s) {
    const Value word = s.word(0, 3);
    s.only(0, [&] { s.store(word, s.number(1)); });
    s.only(1, [&] { s.load(word); });
  });
  expect_fault(check(kernels, every_order()), FaultKind::race,
               {"at pad of rank 0 + 12 bytes (row 0, slot 1 of rank 1)", "rank 0, block 0, call 0: tt.store",
                "rank 1, block 0, call 0: tt.load", "in ppermute_i32_w2_standard", "nothing orders the two"});
}

TEST(check_faults, two_stores_that_nothing_orders_race) {
  const auto kernels = tiny_group(1, 2, [](Script& s) { s.store(s.word(0, 0), s.number(1)); });
  expect_fault(check(kernels), FaultKind::race,
               {"at pad of rank 0 + 0 bytes", "block 0, call 0: tt.store", "block 1, call 0: tt.store",
                "wrote before"});
}

// A block that begins when another has left is not ordered after it.
TEST(check_faults, two_stores_of_blocks_that_run_one_after_the_other_race) {
  const auto kernels = tiny_group(1, 2, [](Script& s) { s.store(s.word(0, 0), s.number(1)); });
  expect_fault(check(kernels, {.residency = 1}), FaultKind::race,
               {"block 0, call 0: tt.store", "block 1, call 0: tt.store"});
}

// Between two calls the stream orders all blocks.
TEST(check_faults, stores_of_calls_one_after_the_other_do_not_race) {
  const auto kernels =
      tiny_group(1, 2, [](Script& s) { s.only(0, 0, [&] { s.store(s.word(0, 0), s.number(1)); }); });
  EXPECT_TRUE(check(kernels, {.calls = 3, .residency = 1, .block_order = BlockOrder::shuffled}));
}

TEST(check_faults, an_atomic_and_a_plain_access_race) {
  const auto kernels = tiny_group(2, 1, [](Script& s) {
    const Value word = s.word(0, 0);
    s.only(0, [&] { s.store_atomic(word, s.number(1), Order::release); });
    s.only(1, [&] { s.load(word); });
  });
  expect_fault(check(kernels), FaultKind::race, {"tt.atomic_store", "tt.load"});
}

TEST(check_faults, atomics_of_all_ranks_do_not_race) {
  const auto kernels = tiny_group(3, 2, [](Script& s) {
    s.store_atomic(s.word(0, 0), s.number(1), Order::relaxed);
    s.load_atomic(s.word(0, 0), Order::relaxed);
  });
  EXPECT_TRUE(check(kernels));
}

TEST(check_faults, loads_do_not_race) {
  EXPECT_TRUE(check(tiny_group(3, 2, [](Script& s) { s.load(s.word(0, 0)); })));
}

/// Kernels of a group whose staging is written in call 0 and used in call 2, which has the same half.
std::vector<EmittedKernels> with_an_old_value() {
  return {tiny_group(1, 1, [](Script& s) { s.store(s.staged(0, 1), s.number(7)); }),
          tiny_group(1, 1, [](Script&) {}),
          tiny_group(1, 1, [](Script& s) { s.use(s.load(s.staged(0, 1))); })};
}

TEST(check_faults, a_use_of_what_an_earlier_call_left_is_stale) {
  expect_fault(check(with_an_old_value(), {.calls = 3}), FaultKind::stale_read,
               {"rank 0, block 0, call 2: tt.store",
                "the stored value in lane 0 is what an earlier call left", "tt.load",
                "loaded it from staging half 0 of rank 0 + 4 bytes"});
}

TEST(check_faults, an_old_value_that_nobody_uses_is_none) {
  std::vector<EmittedKernels> kernels = with_an_old_value();
  kernels[2] = tiny_group(1, 1, [](Script& s) { s.load(s.staged(0, 1)); });
  EXPECT_TRUE(check(kernels, {.calls = 3}));
}

/// Rank 0 waits for rank 1, which waits for rank 0 before it says anything.
EmittedKernels in_a_circle() {
  return tiny_group(2, 1, [](Script& s) {
    const Value left = s.word(0, 0), right = s.word(1, 2);
    s.only(0, [&] {
      s.await(left, 1, Order::acquire);
      s.store_atomic(right, s.number(1), Order::release);
    });
    s.only(1, [&] {
      s.await(right, 1, Order::acquire);
      s.store_atomic(left, s.number(1), Order::release);
    });
  });
}

TEST(check_faults, programs_that_wait_in_a_circle_are_a_deadlock) {
  expect_fault(check(in_a_circle()), FaultKind::deadlock,
               {"rank 0, block 0, call 0: scf.while", "goes round\n  at pad of rank 0 + 0 bytes", "seen 0",
                "rank 1, block 0, call 0: scf.while", "goes round\n  at pad of rank 1 + 8 bytes"});
  expect_fault(check(in_a_circle(), every_order()), FaultKind::deadlock, {"at pad of rank 0 + 0 bytes"});
}

TEST(check_faults, a_wait_says_what_it_saw_and_what_it_expected) {
  const auto kernels = tiny_group(1, 1, [](Script& s) {
    s.store_atomic(s.word(0, 1), s.number(5), Order::release);
    s.w.b.atomic_poll({}, s.word(0, 1), s.number(6));
  });
  expect_fault(check(kernels), FaultKind::deadlock,
               {"tt.atomic_poll",
                "waits\n  at pad of rank 0 + 4 bytes (row 0, slot 1 of rank 0): seen 5, expected 6"});
}

TEST(check_faults, a_thread_waits_for_a_number_or_more) {
  const auto waits_for = [](std::int64_t number) {
    return tiny_group(1, 1, [&](Script& s) {
      s.store_atomic(s.word(0, 1), s.number(5), Order::release);
      const Value for_ever = s.w.i64(0);
      s.w.b.one(ThreadWait{}, {s.word(0, 1), s.number(number), for_ever, s.word(0, 0)});
    });
  };
  EXPECT_TRUE(check(waits_for(5)));
  EXPECT_TRUE(check(waits_for(-3)));
  expect_fault(check(waits_for(6)), FaultKind::deadlock, {"seen 5, expected 6 or more"});
}

TEST(check_faults, a_loop_without_end_is_a_livelock) {
  const auto kernels = tiny_group(1, 1, [](Script& s) {
    const Value yes = s.w.b.constant(value_of(Scalar::i1), 1);
    s.w.b.while_loop(
        {s.number(0)}, [&](std::span<const Value>) { return yes; },
        [&](std::span<const Value> carried) { return Builder::Values{s.w.add(carried[0], s.w.i32(1))}; });
  });
  expect_fault(check(kernels, {.most_ops_of_turn = 10'000}), FaultKind::livelock,
               {"rank 0, block 0, call 0: scf.while",
                "goes round without end, and accesses no memory of peers"});
}

/// Two ranks that count a word up for ever, in turn.
EmittedKernels counting_for_ever() {
  return tiny_group(2, 1, [](Script& s) {
    const Value word = s.word(0, 0), yes = s.w.b.constant(value_of(Scalar::i1), 1);
    s.w.b.while_loop(
        {s.number(0)}, [&](std::span<const Value>) { return yes; },
        [&](std::span<const Value> carried) {
          s.w.b.atomic_rmw({RmwOp::add, Order::relaxed, Scope::sys}, word, s.w.i32(1));
          return Builder::Values{carried[0]};
        });
  });
}

TEST(check_faults, turns_without_end_are_a_livelock) {
  for (ScheduleKind kind : {ScheduleKind::random, ScheduleKind::exhaustive})
    expect_fault(check(counting_for_ever(), {.calls = 1, .kinds = {kind}, .most_turns = 500}),
                 FaultKind::livelock, {"no end after 500 turns"});
}

TEST(check_faults, a_store_beyond_an_allocation_is_out_of_bounds) {
  const auto kernels =
      tiny_group(2, 1, [](Script& s) { s.only(1, [&] { s.store(s.word(0, 8), s.number(1)); }); });
  expect_fault(check(kernels), FaultKind::out_of_bounds,
               {"rank 1, block 0, call 0: tt.store", "accesses 4 bytes at pad of rank 0 + 32 bytes of 32"});
}

TEST(check_faults, a_load_before_an_allocation_is_out_of_bounds) {
  const auto kernels = tiny_group(1, 1, [](Script& s) { s.load(s.word(0, -1)); });
  expect_fault(check(kernels), FaultKind::out_of_bounds,
               {"accesses 4 bytes at pad of rank 0 - 4 bytes of 32"});
}

TEST(check_faults, a_pointer_to_nothing_is_out_of_bounds) {
  const auto kernels =
      tiny_group(1, 1, [](Script& s) { s.load(s.w.b.one(IntToPtr{Scalar::i32, {}}, {s.w.i64(64)})); });
  expect_fault(check(kernels), FaultKind::out_of_bounds, {"address 0x40, where nothing is"});
}

TEST(check_faults, a_store_to_an_input_is_out_of_bounds) {
  const auto kernels =
      tiny_group(1, 1, [](Script& s) { s.store(s.w.argument(ArgumentKind::input), s.number(1)); });
  expect_fault(check(kernels), FaultKind::out_of_bounds,
               {"stores to input of rank 0 in call 0 + 0 bytes, which is only read"});
}

TEST(check_faults, an_atomic_on_an_input_is_out_of_bounds) {
  const auto kernels =
      tiny_group(1, 1, [](Script& s) { s.load_atomic(s.w.argument(ArgumentKind::input), Order::relaxed); });
  expect_fault(check(kernels), FaultKind::out_of_bounds,
               {"is atomic on input of rank 0", "which is only read"});
}

// Calls of other kernels need larger stagings of the same group: they are not this call's.
TEST(check_faults, memory_that_only_a_larger_kernel_has_is_out_of_bounds) {
  const std::vector<EmittedKernels> kernels{tiny_group(1, 1, [](Script& s) { s.load(s.word(0, 8)); }),
                                            tiny_group(1, 2, [](Script&) {})};
  expect_fault(check(kernels), FaultKind::out_of_bounds,
               {"accesses 4 bytes at pad of rank 0 + 32 bytes", "; the call has 32 of them"});
}

Value at_byte(Script& s, int byte, std::optional<int> hint) {
  const Value address = s.w.b.one(PtrToInt{}, {s.word(0, 0)});
  return s.w.b.one(IntToPtr{Scalar::i32, hint}, {s.w.add(address, s.w.i64(byte))});
}

TEST(check_faults, an_access_across_elements_is_misaligned) {
  const auto kernels = tiny_group(1, 1, [](Script& s) { s.load(at_byte(s, 2, {})); });
  expect_fault(check(kernels), FaultKind::misaligned,
               {"tt.load", "accesses 4 bytes at pad of rank 0 + 2 bytes"});
}

TEST(check_faults, a_broken_promise_of_alignment_is_misaligned) {
  const auto kernels = tiny_group(1, 1, [](Script& s) { s.load(at_byte(s, 4, 16)); });
  expect_fault(check(kernels), FaultKind::misaligned,
               {"tt.int_to_ptr",
                "promises a multiple of 16 bytes, but the address is pad of rank 0 + 4 bytes"});
  EXPECT_TRUE(check(tiny_group(1, 1, [](Script& s) { s.load(at_byte(s, 16, 16)); })));
}

TEST(check_faults, a_use_of_memory_that_nobody_wrote_is_poison) {
  const auto kernels = tiny_group(1, 1, [](Script& s) { s.use(s.load(s.staged(0, 2))); });
  expect_fault(check(kernels), FaultKind::poison,
               {"the stored value has no value in lane 0",
                "loaded it from staging half 0 of rank 0 + 8 bytes", "which nobody has written"});
}

TEST(check_faults, a_use_of_a_lane_that_was_masked_off_is_poison) {
  const auto kernels = tiny_group(1, 1, [](Script& s) {
    const Value no = s.w.b.constant(value_of(Scalar::i1), 0);
    s.use(s.w.b.load(s.word(0, 0), no));
  });
  expect_fault(check(kernels), FaultKind::poison, {"the stored value has no value in lane 0", "masked off"});
}

TEST(check_faults, what_is_computed_from_poison_is_poison) {
  const auto uses_quotient_by = [](std::int64_t divisor) {
    return tiny_group(1, 1, [&](Script& s) {
      const Value one = s.number(1);
      const Value quotient = s.w.b.arith(ArithOp::divsi, one, s.number(divisor));
      const Value twice = s.w.add(quotient, quotient);
      s.use(s.w.b.arith(ArithOp::subi, twice, twice));
    });
  };
  EXPECT_TRUE(check(uses_quotient_by(3)));
  expect_fault(check(uses_quotient_by(0)), FaultKind::poison, {"the stored value", "undefined"});
}

TEST(check_faults, poison_that_is_not_chosen_is_no_fault) {
  const auto uses_choice = [](std::int64_t chosen) {
    return tiny_group(1, 1, [&](Script& s) {
      const Value zero = s.number(0);
      const Value undefined = s.w.b.arith(ArithOp::divsi, zero, zero);
      const Value is_zero = s.w.b.constant(value_of(Scalar::i1), chosen);
      s.use(s.w.b.select(is_zero, zero, undefined));
    });
  };
  EXPECT_TRUE(check(uses_choice(1)));
  expect_fault(check(uses_choice(0)), FaultKind::poison, {"the stored value"});
}

TEST(check_faults, a_branch_on_poison_is_poison) {
  const auto kernels = tiny_group(1, 1, [](Script& s) {
    const Value value = s.load(s.staged(0, 0));
    s.fail_if(value, 100, value, 100);
  });
  expect_fault(check(kernels), FaultKind::poison, {"scf.if", "the condition has no value"});
}

TEST(check_faults, another_result_than_the_definitions_is_wrong_data) {
  const auto kernels = written(idle_manifest(2), [](Writer& w) {
    Script s{w};
    s.use(w.rank());
  });
  expect_fault(check(kernels), FaultKind::wrong_data,
               {"rank 1, call 0: element 0 of the output [1]", "is 0x00000001, expected 0x00000000"});
}

TEST(check_faults, an_element_of_the_result_that_nobody_writes_is_wrong_data) {
  const auto kernels = written(idle_manifest(2, 2), [](Writer& w) {
    Script s{w};
    s.only(0, 0, [&] { s.use(s.number(0)); });
    s.only(1, [&] { s.use(s.number(0)); });
    s.only(0, 1, [&] { s.use(s.number(0)); });
  });
  expect_fault(check(kernels), FaultKind::wrong_data,
               {"rank 1, call 0: element 1 of the output [2]",
                "nobody wrote it in this call; expected 0x00000000"});
}

TEST(check_faults, wrong_data_says_whose_element_it_is) {
  CollectiveSpec spec = spec_for(CollectiveKind::ppermute, DType::i32, {2}, 2);
  spec.pairs = {{0, 1}, {1, 0}};
  const Launch launch{.elements = 2, .tile_elements = 1, .grid = 2};
  const auto kernels = written(manifest_of(spec, Target::nvidia, Encoding::atomics, launch), [](Writer& w) {
    const Value input = w.b.offset(w.argument(ArgumentKind::input), w.program());
    Script{w}.use(w.b.load(input, {}, {}, {Memory::own, Cache::none}));
  });
  expect_fault(check(kernels), FaultKind::wrong_data, {"it is element 0 of the input of rank"});
}

/// Waits for a signal that never comes, and gives up.
EmittedKernels impatient(std::int64_t sequence_offset) {
  return tiny_group(2, 1, [&](Script& s) {
    const Value never = s.w.add(s.w.argument(ArgumentKind::sequence), s.number(sequence_offset));
    const Value limit = s.w.argument(ArgumentKind::wait_limit);
    s.w.b.one(ThreadWait{}, {s.word(0, 5), never, limit, error_pair(s.w, s.number(1))});
  });
}

TEST(check_faults, a_wait_that_is_given_up_although_all_ranks_launch_is_a_timeout) {
  expect_fault(check(impatient(0), {.first_sequence = 1, .wait_limit = 10}), FaultKind::timeout,
               {"call 0: the error words of block 0 and peer 1 are {1, 1}", "all ranks launch the call"});
}

TEST(check_faults, error_words_of_another_number_are_a_timeout) {
  expect_fault(check(impatient(3), {.wait_limit = 10, .absent = Absence{1, 2}}), FaultKind::timeout,
               {"call 0: the error words of block 0 and peer 1 are {1, 4}", "expected {1, 1}"});
}

TEST(check_faults, a_wait_for_an_absent_rank_is_counted) {
  const CheckReport report =
      check(impatient(0), {.calls = 1, .schedules = 10, .wait_limit = 10, .absent = Absence{1, 0}});
  EXPECT_TRUE(report) << to_string(report);
  EXPECT_EQ(report.timeouts, 10);
}

TEST(check_faults, a_wait_without_a_limit_for_an_absent_rank_is_a_deadlock) {
  expect_fault(check(impatient(0), {.absent = Absence{1, 0}}), FaultKind::deadlock,
               {"rank 0, block 0, call 0", "rank 1 does not launch call 0"});
}

}  // namespace
}  // namespace tutti::kernels
