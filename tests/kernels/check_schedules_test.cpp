// SPDX-License-Identifier: Apache-2.0
// Which schedules the checker runs: all of them where that is asked for, the same again for a fault, and
// those of a machine with few slots, delays, absent ranks and numbers that wrap.
#include <gtest/gtest.h>

#include "tests/kernels/expect_fault.hpp"
#include "tests/kernels/specs.hpp"
#include "tutti/base/error.hpp"

namespace tutti::kernels {
namespace {

std::string refusal(const std::function<void()>& program) {
  try {
    program();
  } catch (const Error& error) {
    return error.message();
  }
  return "accepted";
}

std::int64_t orders_of(const EmittedKernels& kernels) {
  const CheckReport report = check(kernels, every_order());
  EXPECT_TRUE(report && report.all_schedules) << to_string(report);
  return report.schedules;
}

void touch(Script& s, int index) { s.store_atomic(s.word(0, index), s.number(1), Order::relaxed); }

TEST(check_exhaustive, independent_accesses_have_one_order) {
  EXPECT_EQ(orders_of(tiny_group(3, 1, [](Script&) {})), 1);
  EXPECT_EQ(orders_of(tiny_group(2, 1,
                                 [](Script& s) {
                                   s.only(0, [&] { touch(s, 0); });
                                   s.only(1, [&] { touch(s, 1); });
                                 })),
            1);
}

TEST(check_exhaustive, conflicting_accesses_have_all_orders) {
  EXPECT_EQ(orders_of(tiny_group(2, 1, [](Script& s) { touch(s, 0); })), 2);
  EXPECT_EQ(orders_of(tiny_group(3, 1, [](Script& s) { touch(s, 0); })), 6);
  EXPECT_EQ(orders_of(tiny_group(2, 2, [](Script& s) { touch(s, 0); })), 24);
  EXPECT_EQ(orders_of(tiny_group(2, 1,
                                 [](Script& s) {
                                   touch(s, 0);
                                   touch(s, 0);
                                 })),
            6);
}

TEST(check_exhaustive, loads_need_no_order_among_themselves) {
  EXPECT_EQ(orders_of(tiny_group(3, 1,
                                 [](Script& s) {
                                   s.only(0, [&] { touch(s, 0); });
                                   s.only(1, [&] { s.load_atomic(s.word(0, 0), Order::relaxed); });
                                   s.only(2, [&] { s.load_atomic(s.word(0, 0), Order::relaxed); });
                                 })),
            4);
}

TEST(check_exhaustive, stops_after_the_schedules_that_it_may_run) {
  const CheckReport report = check(tiny_group(2, 2, [](Script& s) { touch(s, 0); }), every_order(7));
  EXPECT_EQ(report.schedules, 7);
  EXPECT_FALSE(report.all_schedules);
}

/// Every kernel on two ranks with one block and one tile.
class exhaustive : public testing::TestWithParam<Cell> {};
std::string test_name(const testing::TestParamInfo<Cell>& info) { return identifier(info.param); }
INSTANTIATE_TEST_SUITE_P(kernels, exhaustive, testing::ValuesIn(cells_of(DType::f32, {1}, Dim{}, 2)),
                         test_name);

/// Fails if any schedule of `calls` calls has a fault.
void expect_all_orders(const EmittedKernels& kernels, int calls) {
  const CheckOptions options{.calls = calls, .schedules = 20'000, .kinds = {ScheduleKind::exhaustive}};
  const CheckReport report = check(kernels, options);
  EXPECT_TRUE(report && report.all_schedules) << to_string(report);
}

TEST_P(exhaustive, orders_of_calls_in_a_row_have_no_fault) {
  const EmittedKernels kernels = small_kernels(GetParam(), {1, 1});
  expect_all_orders(kernels, kernels.manifest.sequence.signals == 2 ? 2 : 3);
}

TEST_P(exhaustive, orders_of_two_blocks_have_no_fault) {
  Cell cell = GetParam();
  cell.spec.shape = {8};  // two_shot: each part has a tile for each block
  const EmittedKernels kernels = small_kernels(cell, {cell.spec.variant == Variant::two_shot ? 2 : 4, 2});
  ASSERT_EQ(kernels.manifest.launch.grid, 2);
  expect_all_orders(kernels, 1);
}

// --- replays -----------------------------------------------------------------------------------------------

std::vector<EmittedKernels> faulty_kernels() {
  std::vector<EmittedKernels> all;
  for (const Cell& cell : cells_of(DType::f32, {7}, Dim{}, 2)) {
    EmittedKernels kernels = small_kernels(cell);
    int count = 0;
    for (Function& kernel : kernels.kernels) count += set_order_of_signals(kernel, Order::relaxed);
    if (count > 0) all.push_back(std::move(kernels));
  }
  return all;
}

TEST(check_replay, finds_the_same_fault_alone) {
  for (const EmittedKernels& kernels : faulty_kernels())
    for (ScheduleKind kind :
         {ScheduleKind::random, ScheduleKind::pct, ScheduleKind::round_robin, ScheduleKind::exhaustive}) {
      const CheckOptions options{.calls = 2, .schedules = 500, .kinds = {kind}, .seed = 17, .most_delay = 5};
      const CheckReport first = check(kernels, options);
      ASSERT_TRUE(first.fault) << kernels.manifest.name << " " << name(kind);
      const CheckReport again = check(kernels, replay_of(options, *first.fault));
      ASSERT_TRUE(again.fault) << kernels.manifest.name << " " << name(kind);
      EXPECT_EQ(again.fault->text, first.fault->text) << name(kind);
      EXPECT_EQ(again.schedules, 1);
    }
}

/// Out of bounds if rank 1 stores and loads while rank 0 is between its own two stores.
EmittedKernels rare() {
  return tiny_group(2, 1, [](Script& s) {
    const Value x = s.word(0, 0), y = s.word(0, 1);
    s.only(0, [&] {
      for (int i = 0; i < 20; ++i) s.store_atomic(s.word(0, 2), s.number(i), Order::relaxed);
      s.store_atomic(x, s.number(1), Order::release);
      s.store_atomic(x, s.number(0), Order::release);
    });
    s.only(1, [&] {
      const Value seen = s.w.b.atomic_rmw({RmwOp::exch, Order::acq_rel, Scope::sys}, x, s.number(2));
      s.store_atomic(y, s.number(1), Order::release);
      s.fail_if(seen, 1, s.w.b.atomic_rmw({RmwOp::bit_or, Order::acq_rel, Scope::sys}, x, s.number(0)), 2);
    });
  });
}

// Where priorities change depends on the length of the schedule before.
TEST(check_replay, draws_the_priorities_of_that_schedule) {
  int later = 0;
  for (std::uint64_t seed = 1; seed < 2000; seed += 100) {
    const CheckOptions options{.calls = 1, .schedules = 100, .kinds = {ScheduleKind::pct}, .seed = seed};
    const CheckReport first = check(rare(), options);
    if (!first.fault || first.schedules == 1) continue;
    ++later;
    const CheckReport again = check(rare(), replay_of(options, *first.fault));
    ASSERT_TRUE(again.fault) << "seed " << seed;
    EXPECT_EQ(again.fault->text, first.fault->text);
  }
  EXPECT_GT(later, 5);
}

TEST(check_replay, refuses_choices_of_another_check) {
  CheckOptions options = every_order();
  options.choices = {2, 0, 1, 1};
  const auto kernels = tiny_group(2, 1, [](Script&) {});
  EXPECT_EQ(refusal([&] { check(kernels, options); }),
            "check: choice 2 is actor 1, which does not exist or waits; the choices are of another check");
}

TEST(check_replay, one_seed_gives_one_report) {
  const auto kernels = small_kernels(cells_of(DType::f32, {7}, Dim{}, 3).front());
  const CheckOptions options{.schedules = 20, .seed = 5, .most_delay = 9};
  EXPECT_EQ(to_string(check(kernels, options)), to_string(check(kernels, options)));
  CheckOptions other = options;
  other.seed = 1000;
  EXPECT_NE(to_string(check(kernels, options)), to_string(check(kernels, other)));
}

// --- kinds -------------------------------------------------------------------------------------------------

TEST(check_kinds, each_finds_what_needs_two_changes_of_the_program) {
  for (ScheduleKind kind : {ScheduleKind::random, ScheduleKind::pct, ScheduleKind::exhaustive})
    EXPECT_FALSE(check(rare(), {.calls = 1, .schedules = 2000, .kinds = {kind}})) << name(kind);
}

TEST(check_kinds, take_turns) {
  const CheckOptions options{.calls = 1,
                             .schedules = 3,
                             .kinds = {ScheduleKind::round_robin, ScheduleKind::pct}};
  const CheckReport report = check(rare(), options);
  EXPECT_EQ(report.schedules, 3) << to_string(report);
}

// Programs of round_robin take turns one by one: rank 0 has stored once when rank 1 exchanges.
TEST(check_kinds, round_robin_lets_each_program_take_a_turn) {
  const auto kernels = tiny_group(2, 1, [](Script& s) {
    const Value word = s.word(0, 0);
    s.only(0, [&] {
      for (int i = 1; i < 4; ++i) s.store_atomic(word, s.number(i), Order::relaxed);
    });
    s.only(1, [&] {
      for (int i = 0; i < 2; ++i)
        s.w.b.atomic_rmw({RmwOp::add, Order::relaxed, Scope::sys}, s.word(1, 0), s.number(1));
      const Value seen = s.w.b.atomic_rmw({RmwOp::exch, Order::relaxed, Scope::sys}, word, s.number(9));
      s.fail_if(seen, 3, seen, 3);
    });
  });
  const CheckOptions options{.calls = 1, .schedules = 20, .kinds = {ScheduleKind::round_robin}};
  EXPECT_EQ(check(kernels, options).schedules, 1);
}

TEST(check_kinds, no_schedule_begins_after_the_ops_that_it_may_take) {
  const auto kernels = small_kernels(cells_of(DType::f32, {7}, Dim{}, 2).front());
  const CheckReport report = check(kernels, {.schedules = 1000, .most_ops = 10'000});
  EXPECT_TRUE(report);
  EXPECT_FALSE(report.all_schedules);
  EXPECT_GT(report.ops, 10'000);
  EXPECT_LT(report.schedules, 20);
}

// --- machines ----------------------------------------------------------------------------------------------

class machines : public testing::TestWithParam<Cell> {
 protected:
  EmittedKernels kernels = small_kernels(GetParam());
};
INSTANTIATE_TEST_SUITE_P(kernels, machines, testing::ValuesIn(cells_of(DType::f32, {7}, Dim{}, 3)),
                         test_name);

class machines_of_two_launches : public machines {};
std::vector<Cell> of_two_launches() {
  std::vector<Cell> cells = cells_of(DType::f32, {7}, Dim{}, 3);
  std::erase_if(cells, [](const Cell& cell) { return cell.spec.variant != Variant::two_launches; });
  return cells;
}
INSTANTIATE_TEST_SUITE_P(kernels, machines_of_two_launches, testing::ValuesIn(of_two_launches()), test_name);

// In D3's order one slot is a deadlock, which a mutation shows; in the same order on all ranks, or without a
// wait in a circle, it is none.
TEST_P(machines, with_one_slot_run_blocks_in_the_same_order) {
  expect_no_fault(check(kernels, {.schedules = 20, .residency = 1}));
}

// No block waits for one that has not begun.
TEST_P(machines_of_two_launches, with_one_slot_run_blocks_in_any_order) {
  expect_no_fault(check(kernels, {.schedules = 50, .residency = 1, .block_order = BlockOrder::shuffled}));
}

TEST_P(machines, that_delay_launches_change_no_result) {
  expect_no_fault(check(kernels, {.calls = 4, .schedules = 30, .most_delay = 200}));
}

TEST_P(machines, count_on_where_numbers_wrap) {
  for (std::uint32_t first : {0x7fff'fffbU, 0x7fff'ffffU, 0xffff'fffaU, 0xffff'ffffU})
    expect_no_fault(check(kernels, {.calls = 6, .schedules = 10, .first_sequence = first}));
}

// Rank 1 leaves before call 1. Ranks that wait for it give up, say whom they missed, and leave call 2 at
// once.
TEST_P(machines, without_a_rank_give_up_and_say_so) {
  const CheckReport report = check(kernels, {.schedules = 10, .wait_limit = 20, .absent = Absence{1, 1}});
  expect_no_fault(report);
  EXPECT_GT(report.timeouts, 0);
  EXPECT_LE(report.timeouts, 10 * 2 * 2);  // schedules, ranks, blocks: each misses rank 1, once
}

TEST_P(machines, without_a_rank_and_without_a_limit_deadlock) {
  expect_fault(check(kernels, {.schedules = 2, .absent = Absence{2, 1}}), FaultKind::deadlock,
               {"rank 2 does not launch call 1", ", call 1: "});
}

// --- options -----------------------------------------------------------------------------------------------

TEST(check_options, out_of_range_are_refused) {
  const auto kernels = tiny_group(2, 1, [](Script&) {});
  const auto said = [&](const CheckOptions& options) { return refusal([&] { check(kernels, options); }); };
  EXPECT_EQ(said({.calls = 0}), "check: 0 calls; 1 to 4095 are possible");
  EXPECT_EQ(said({.schedules = 2, .kinds = {}}),
            "check: 2 schedules of 0 kinds; name a kind, and 0 schedules or more");
  EXPECT_EQ(said({.wait_limit = -1}), "check: a wait limit of -1; 0 to 1000000 are possible");
  EXPECT_EQ(refusal([] { check(std::span<const EmittedKernels>()); }),
            "check: no kernels; give one manifest with its kernels at least");
}

TEST(check_options, kernels_of_another_world_or_manifest_are_refused) {
  const auto two = tiny_group(2, 1, [](Script&) {}), three = tiny_group(3, 1, [](Script&) {});
  const std::vector<EmittedKernels> both{two, three};
  EXPECT_EQ(refusal([&] { check(both); }),
            "check: ppermute_i32_w3_standard has 3 ranks, ppermute_i32_w2_standard has 2; kernels of one "
            "group have one world");
  EmittedKernels none = two;
  none.kernels.clear();
  EXPECT_EQ(refusal([&] { check(none); }), "ppermute_i32_w2_standard: 0 kernels, the manifest has 1 entries");
  EmittedKernels fewer = two;
  fewer.kernels[0].arguments.pop_back();
  EXPECT_EQ(refusal([&] { check(fewer); }), "ppermute_i32_w2_standard: 8 arguments, the manifest has 9");
}

}  // namespace
}  // namespace tutti::kernels
