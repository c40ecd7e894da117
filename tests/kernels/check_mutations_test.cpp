// SPDX-License-Identifier: Apache-2.0
// Defects of the protocol, planted in every kernel that has a barrier, in every encoding: the checker finds
// each. Block barriers only matter between the threads of a block; a program of the checker is one agent, so
// verify() finds those.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "tests/kernels/expect_fault.hpp"
#include "tutti/base/error.hpp"
#include "tutti/kernels/ir/verify.hpp"
#include "tutti/kernels/spec/eligible.hpp"

namespace tutti::kernels {
namespace {

std::vector<Cell> with_barriers() {
  std::vector<Cell> cells = cells_of(DType::f32, {7}, Dim{}, 3);
  std::erase_if(cells, [](const Cell& cell) { return cell.spec.variant == Variant::packets; });
  return cells;
}

bool stores_into_outputs(const CollectiveSpec& spec) {
  return spec.variant == Variant::push && !is_reduction(spec.kind);
}
bool stages(const Cell& cell) { return !stores_into_outputs(cell.spec); }
bool counts(const Cell& cell) { return cell.encoding != Encoding::poll; }
bool has_two_barriers(const Cell& cell) { return small_kernels(cell).manifest.sequence.signals == 2; }

/// The cells with a barrier that a defect can be planted in.
std::vector<Cell> with_barriers(bool (*fits)(const Cell&)) {
  std::vector<Cell> cells = with_barriers();
  std::erase_if(cells, [&](const Cell& cell) { return !fits(cell); });
  return cells;
}

/// A defect in a kernel with a barrier.
class mutation : public testing::TestWithParam<Cell> {
 protected:
  EmittedKernels kernels = small_kernels(GetParam());

  const CollectiveSpec& spec() const { return GetParam().spec; }
  Encoding encoding() const { return GetParam().encoding; }
  bool stores_into_outputs() const { return kernels::stores_into_outputs(spec()); }
  /// Plants a defect in each kernel; fails unless it was planted somewhere.
  void plant(const std::function<int(Function&)>& defect) {
    int count = 0;
    for (Function& kernel : kernels.kernels) count += defect(kernel);
    ASSERT_GT(count, 0);
  }
  CheckReport checked(std::int64_t schedules = 1000) const {
    return check(kernels, {.schedules = schedules});
  }

  std::string_view memory() const {
    return stores_into_outputs() ? "at output of rank " : "at staging half ";
  }
  std::string_view wait_op() const {
    switch (encoding()) {
      case Encoding::threads: return "tt.elementwise_inline_asm %";
      case Encoding::atomics: return "tt.atomic_rmw %";
      case Encoding::poll: break;
    }
    return "tt.atomic_poll %";
  }
  std::string_view signal_op() const {
    switch (encoding()) {
      case Encoding::threads: return "tt.elementwise_inline_asm %";
      case Encoding::atomics: return "tt.atomic_rmw %";
      case Encoding::poll: break;
    }
    return "tt.atomic_store %";
  }
};

std::string test_name(const testing::TestParamInfo<Cell>& info) { return identifier(info.param); }
INSTANTIATE_TEST_SUITE_P(kernels, mutation, testing::ValuesIn(with_barriers()), test_name);

class mutation_of_staging : public mutation {};
class mutation_of_two_barriers : public mutation {};
class mutation_of_counts : public mutation {};
INSTANTIATE_TEST_SUITE_P(kernels, mutation_of_staging, testing::ValuesIn(with_barriers(stages)), test_name);
INSTANTIATE_TEST_SUITE_P(kernels, mutation_of_two_barriers,
                         testing::ValuesIn(with_barriers(has_two_barriers)), test_name);
INSTANTIATE_TEST_SUITE_P(kernels, mutation_of_counts, testing::ValuesIn(with_barriers(counts)), test_name);

std::string refusal_of(const std::vector<Function>& kernels) {
  try {
    for (const Function& kernel : kernels) verify(kernel);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::internal);
    return error.message();
  }
  return "accepted";
}

bool is_block_barrier(const Op& op) { return std::holds_alternative<BlockBarrier>(op.kind); }

// verify(): a warp may signal before another warp has stored.
TEST_P(mutation, without_block_barriers_before_signals_is_refused) {
  plant([](Function& kernel) {
    int count = 0;
    const auto signals = [](const Op& op) { return has(op, releases); };
    while (move_behind(kernel, [&](const Op& op) { return count == 0 && is_block_barrier(op); }, signals))
      ++count;
    return count;
  });
  const std::string refusal = refusal_of(kernels.kernels);
  if (stores_into_outputs()) return;  // the first barrier only says that outputs are free
  EXPECT_NE(refusal.find(" signals after tt.store %"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("without a block barrier between them"), std::string::npos) << refusal;
}

// verify(): a warp may load before another warp has waited.
TEST_P(mutation, without_block_barriers_is_refused) {
  plant([](Function& kernel) { return drop(kernel, is_block_barrier); });
  const std::string refusal = refusal_of(kernels.kernels);
  EXPECT_NE(refusal.find("without a block barrier between them"), std::string::npos) << refusal;
}

TEST_P(mutation, a_wait_that_does_not_acquire_is_a_race) {
  plant([](Function& kernel) { return set_order_of_waits(kernel, Order::relaxed); });
  expect_fault(checked(), FaultKind::race,
               {memory(), wait_op(), signal_op(), "stored, but the read does not acquire"});
}

TEST_P(mutation, a_signal_that_does_not_release_is_a_race) {
  plant([](Function& kernel) { return set_order_of_signals(kernel, Order::relaxed); });
  expect_fault(checked(), FaultKind::race,
               {memory(), wait_op(), signal_op(), "stored, but the store does not release"});
}

TEST_P(mutation, a_signal_of_the_gpus_scope_is_a_race) {
  plant([](Function& kernel) { return set_scope_of_signals(kernel, Scope::gpu); });
  expect_fault(checked(), FaultKind::race, {memory(), "the scope of the store does not reach so far"});
}

TEST_P(mutation, a_wait_of_the_gpus_scope_is_a_race) {
  plant([](Function& kernel) { return set_scope_of_waits(kernel, Scope::gpu); });
  expect_fault(checked(), FaultKind::race, {memory(), "the scope of the read does not reach so far"});
}

/// Uses a number instead of an argument.
int fix_argument(Function& kernel, std::string_view name, std::int64_t number) {
  const Value of = argument(kernel, name);
  return rewrite(kernel, [&](Op& op, Before& before) {
    bool uses = false;
    for (Value& operand : op.operands)
      if (operand == of) {
        operand = before.constant(value_of(Scalar::i32), number);
        uses = true;
      }
    return uses;
  });
}

// A fast rank publishes call i + 1 where a slow one still reads call i.
TEST_P(mutation_of_staging, a_half_that_does_not_alternate_is_a_race) {
  plant([](Function& kernel) { return fix_argument(kernel, "half", 0); });
  expect_fault(checked(), FaultKind::race, {"at staging half 0 of rank ", "tt.load %", "tt.store %"});
}

/// Adds a number to the sequence, wherever it is used.
int shift_sequence(Function& kernel, const std::function<Value(Before&, Value)>& shifted) {
  const Value sequence = argument(kernel, "sequence");
  return rewrite(kernel, [&](Op& op, Before& before) {
    bool uses = false;
    for (Value& operand : op.operands)
      if (operand == sequence) {
        operand = shifted(before, sequence);
        uses = true;
      }
    return uses;
  });
}

// The step of the numbers was that of another kernel, in D2. A step of 2 keeps their parity: a poll for
// equality uses one word only, which a fast rank overwrites. Other waits take any number that is not behind,
// and only lose the lowest bit.
TEST_P(mutation, numbers_that_advance_by_two_deadlock_in_polls) {
  plant([](Function& kernel) {
    return shift_sequence(kernel, [](Before& before, Value sequence) {
      return before.one(Arith{ArithOp::muli}, {sequence, before.constant(value_of(Scalar::i32), 2)});
    });
  });
  const bool has_two_signals = kernels.manifest.sequence.signals == 2;
  if (encoding() != Encoding::poll || has_two_signals) expect_no_fault(checked(100));
  else expect_fault(checked(), FaultKind::deadlock, {"tt.atomic_poll %", "waits\n  at pad of rank ", "row "});
}

// Two barriers take two numbers. With a step of 1 the first of a call is the second of the call before.
TEST_P(mutation_of_two_barriers, numbers_that_advance_by_one_for_two_barriers_are_found) {
  plant([](Function& kernel) {
    return shift_sequence(kernel, [](Before& before, Value sequence) {
      return before.one(Arith{ArithOp::shrui}, {sequence, before.constant(value_of(Scalar::i32), 1)});
    });
  });
  const CheckReport report = checked();
  ASSERT_TRUE(report.fault) << to_string(report);
  EXPECT_TRUE(report.fault->kind == FaultKind::race || report.fault->kind == FaultKind::deadlock)
      << to_string(report);
}

/// The comparison of a poll by additions: seen - sequence < 0, which becomes != 0.
int compare_for_equality(Function& kernel) {
  std::vector<Value> differences;
  const Value sequence = argument(kernel, "sequence");
  return rewrite(kernel, [&](Op& op, Before&) {
    const Arith* arith = std::get_if<Arith>(&op.kind);
    if (arith && arith->op == ArithOp::subi) differences.push_back(op.results[0]);
    auto* compare = std::get_if<CompareInts>(&op.kind);
    if (!compare || compare->predicate != IntPredicate::slt) return false;
    if (std::ranges::find(differences, op.operands[0]) == differences.end()) return false;
    compare->predicate = IntPredicate::ne;
    return sequence.id >= 0;
  });
}

/// True if somebody saw the number after the one that it expected, or polls without saying what it expects.
bool has_a_peer_ahead(const std::string& text) {
  const std::regex wait("seen (\\d+), expected (\\d+)");
  for (std::sregex_iterator i(text.begin(), text.end(), wait), end; i != end; ++i)
    if (std::stoi((*i)[1]) == std::stoi((*i)[2]) + 1) return true;
  return text.find("scf.while") != std::string::npos;
}

TEST_P(mutation_of_counts, a_wait_for_equality_in_one_word_is_a_deadlock) {
  plant([](Function& kernel) {
    return change<ThreadWait>(kernel,
                              [](ThreadWait& wait) { return wait.reached = IntPredicate::eq, true; }) +
           compare_for_equality(kernel);
  });
  const CheckReport report = checked();
  expect_fault(report, FaultKind::deadlock, {"at pad of rank ", "seen "});
  EXPECT_TRUE(report.fault && has_a_peer_ahead(report.fault->text)) << to_string(report);
}

TEST_P(mutation, a_signal_in_the_slot_of_another_rank_is_a_deadlock) {
  plant([](Function& kernel) {
    return rewrite(kernel, [](Op& op, Before& before) {
      if (!releases(op)) return false;
      op.operands[0] = before.moved(op.operands[0], before.constant(value_of(Scalar::i32), 1));
      return true;
    });
  });
  expect_fault(checked(), FaultKind::deadlock, {"at pad of rank 0", "slot ", "of rank 0): seen 0"});
}

// All blocks wait for block 0 of the peers: what block 1 reads may not be there.
TEST_P(mutation, a_wait_in_the_row_of_another_block_is_a_race) {
  const std::int64_t words_of_row = kernels.manifest.pads.row_bytes / slot_bytes;
  plant([&](Function& kernel) {
    return rewrite(kernel, [&](Op& op, Before& before) {
      if (!acquires(op)) return false;
      const Value words = before.constant(value_of(Scalar::i32), -words_of_row);
      const Value back = before.one(Arith{ArithOp::muli}, {before.one(GetProgramId{}), words});
      op.operands[0] = before.moved(op.operands[0], back);
      return true;
    });
  });
  expect_fault(checked(), FaultKind::race, {memory(), "block 1, call "});
}

TEST_P(mutation_of_staging, data_published_after_the_signal_are_a_race) {
  plant([](Function& kernel) {
    const auto publishes = [](const Op& op) {
      return std::holds_alternative<For>(op.kind) && has(op, stores_for_peers);
    };
    return move_behind(kernel, publishes, [](const Op& op) { return has(op, releases); }) ? 1 : 0;
  });
  const CheckReport report = checked();
  ASSERT_TRUE(report.fault) << to_string(report);
  EXPECT_NE(report.fault->text.find("staging half "), std::string::npos) << to_string(report);
  EXPECT_TRUE(report.fault->kind == FaultKind::race || report.fault->kind == FaultKind::poison)
      << to_string(report);
}

// D3: two blocks, one of them resident, and ranks that begin with different ones.
TEST_P(mutation, a_grid_beyond_what_is_resident_is_a_deadlock) {
  const CheckOptions options{.schedules = 100, .residency = 1, .block_order = BlockOrder::shuffled};
  const CheckReport report = check(kernels, options);
  if (spec().variant == Variant::two_launches) expect_no_fault(report);
  else
    expect_fault(report, FaultKind::deadlock,
                 {"at pad of rank ", "have not begun: 1 are resident", "rank 0, ", "rank 1, "});
}

}  // namespace
}  // namespace tutti::kernels
