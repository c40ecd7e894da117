// SPDX-License-Identifier: Apache-2.0
// Defects of what kernels move: masks, tiles, offsets, halves, packets. The checker finds each.
#include <gtest/gtest.h>

#include "tests/kernels/expect_fault.hpp"
#include "tests/kernels/specs.hpp"
#include "tutti/kernels/emit/barrier.hpp"
#include "tutti/kernels/emit/emit.hpp"
#include "tutti/kernels/emit/phases.hpp"

namespace tutti::kernels {
namespace {

class data_mutation : public testing::TestWithParam<Cell> {
 protected:
  EmittedKernels kernels = small_kernels(GetParam());

  const CollectiveSpec& spec() const { return GetParam().spec; }
  void plant(const std::function<int(Function&)>& defect) {
    int count = 0;
    for (Function& kernel : kernels.kernels) count += defect(kernel);
    ASSERT_GT(count, 0);
  }
};
/// A kernel of each collective in each variant: its data do not depend on the encoding.
std::vector<Cell> of_each_variant() {
  std::vector<Cell> cells;
  for (const CollectiveSpec& spec : specs_of(DType::f32, {7}, Dim{}, 3))
    cells.push_back({spec, Encoding::poll});
  return cells;
}
std::string test_name(const testing::TestParamInfo<Cell>& info) { return identifier(info.param); }
INSTANTIATE_TEST_SUITE_P(kernels, data_mutation, testing::ValuesIn(of_each_variant()), test_name);

class data_mutation_of_pulls : public data_mutation {};
std::vector<Cell> that_pull() {
  std::vector<Cell> cells = of_each_variant();
  std::erase_if(cells, [](const Cell& cell) {
    return cell.spec.variant == Variant::push || cell.spec.variant == Variant::packets;
  });
  return cells;
}
INSTANTIATE_TEST_SUITE_P(kernels, data_mutation_of_pulls, testing::ValuesIn(that_pull()), test_name);

/// Calls change for each mask of a tile: elements < limit.
int change_masks(Function& kernel, std::int64_t tile, const std::function<void(Op&, Before&)>& how) {
  return rewrite(kernel, [&](Op& op, Before& before) {
    const auto* compare = std::get_if<CompareInts>(&op.kind);
    if (!compare || compare->predicate != IntPredicate::slt) return false;
    if (type_of(kernel, op.operands[0]).dims != Dims{tile}) return false;
    how(op, before);
    return true;
  });
}

TEST_P(data_mutation, a_mask_with_one_element_more_is_out_of_bounds) {
  plant([&](Function& kernel) {
    return change_masks(kernel, 2, [](Op& op, Before&) { op.kind = CompareInts{IntPredicate::sle}; });
  });
  // An all_to_all that pushes may read the next slice of the input, and stores beyond an output.
  expect_fault(check(kernels), FaultKind::out_of_bounds,
               {"tt.", ", call 0: ", "accesses 4 bytes at ", " bytes of "});
}

TEST_P(data_mutation, a_mask_with_one_element_less_is_wrong_data) {
  plant([&](Function& kernel) {
    return change_masks(kernel, 2, [&](Op& op, Before& before) {
      const ValueType type = type_of(kernel, op.operands[1]);
      op.operands[1] = before.one(Arith{ArithOp::subi}, {op.operands[1], before.constant(type, 1)});
    });
  });
  expect_fault(check(kernels), FaultKind::wrong_data,
               {"call 0: element ", "nobody wrote it in this call; expected 0x"});
}

/// After its first wait a kernel uses the other half.
EmittedKernels pulling_the_other_half(EmittedKernels kernels) {
  for (Function& kernel : kernels.kernels) {
    const Value half = argument(kernel, "half");
    bool has_waited = false;
    rewrite(kernel, [&](Op& op, Before& before) {
      has_waited |= acquires(op);
      for (Value& operand : op.operands)
        if (has_waited && operand == half)
          operand = before.one(Arith{ArithOp::xori}, {half, before.constant(value_of(Scalar::i32), 1)});
      return has_waited;
    });
  }
  return kernels;
}

// A call reads the halves that the call before it published.
TEST_P(data_mutation_of_pulls, a_read_of_the_half_of_an_earlier_call_is_stale) {
  const std::vector<EmittedKernels> right_then_wrong{kernels, pulling_the_other_half(kernels)};
  expect_fault(check(right_then_wrong), FaultKind::stale_read,
               {"call 1: ", "is what an earlier call left: ", "tt.load %",
                "loaded it from staging half 0 of rank "});
}

/// Pulls one tile where it stores another.
EmittedKernels swizzled_in_its_loads_only(int blocks) {
  CollectiveSpec spec = gather_of(DType::f32, {8}, 2);
  spec.variant = Variant::swizzled;
  return written(small_kernels({spec, Encoding::poll}, {2, blocks}).manifest, [](Writer& w) {
    publish(w);
    after_barrier(w, 0, [&] {
      w.visit([&](Value source) {
        const Value staging = w.half_of(ArgumentKind::staging_table, source, w.element);
        return [&w, staging, source](Value t) {
          const Value other = w.b.arith(ArithOp::subi, w.index(w.manifest.launch.tiles() - 1), t);
          const Tile from = w.tile(other), to = w.tile(t);
          const Value values = load_tile(w, in_slice(w, staging, w.i32(0), from), from, Memory::peer);
          const Value output = w.argument(ArgumentKind::output);
          store_tile(w, w.places(output, w.view.result, source, to.elements), values, to, Memory::own);
        };
      });
    });
  });
}

// Another block published that tile, and this one has not waited for it.
TEST(data_mutations, a_swizzle_of_the_loads_only_is_a_race) {
  const CheckReport report = check(swizzled_in_its_loads_only(2));
  expect_fault(report, FaultKind::race,
               {"at staging half 0 of rank ", "block 0, call 0: tt.", "block 1, call 0: tt."});
}

TEST(data_mutations, a_swizzle_of_the_loads_only_is_wrong_data_in_one_block) {
  expect_fault(check(swizzled_in_its_loads_only(1)), FaultKind::wrong_data,
               {"element 0 of the output [16]", "it is element 6 of the input of rank 0"});
}

// --- offsets beyond 2^31 on sparse memory: the first and last tiles, and some between ----------------------

EmittedKernels beyond_2_to_the_31(const CollectiveSpec& spec) {
  return small_kernels({spec, Encoding::poll}, {8192, 2});
}
constexpr std::int64_t many_elements = (std::int64_t{1} << 32) + 5000;  // a half of it is a part of two_shot
const CheckOptions some_tiles{.calls = 1, .schedules = 1, .most_trips = 3};

TEST(sparse_memory, holds_offsets_beyond_2_to_the_31) {
  for (const CollectiveSpec& spec : specs_of(DType::u8, {many_elements}, Dim{}, 2)) {
    ASSERT_EQ(view_of(spec).offsets, OffsetType::i64);
    const CheckReport report = check(beyond_2_to_the_31(spec), some_tiles);
    EXPECT_TRUE(report) << to_string(spec) << "\n" << to_string(report);
  }
}

TEST(sparse_memory, offsets_of_32_bits_are_out_of_bounds) {
  for (const CollectiveSpec& spec : specs_of(DType::u8, {many_elements}, Dim{}, 2)) {
    EmittedKernels kernels = beyond_2_to_the_31(spec);
    int count = 0;
    for (Function& kernel : kernels.kernels)
      count += rewrite(kernel, [&](Op& op, Before& before) {
        if (!std::holds_alternative<AddPtr>(op.kind)) return false;
        if (type_of(kernel, op.operands[1]) != value_of(Scalar::i64, {8192})) return false;
        const Value narrow = before.one(Convert{ConvertOp::trunci, Scalar::i32}, {op.operands[1]});
        op.operands[1] = before.one(Convert{ConvertOp::extsi, Scalar::i64}, {narrow});
        return true;
      });
    ASSERT_GT(count, 0);
    SCOPED_TRACE(to_string(spec));
    expect_fault(check(kernels, some_tiles), FaultKind::out_of_bounds,
                 {"block ", ", call 0: tt.", "accesses 1 bytes at ", " of rank ", " - "});
  }
}

// --- payload as its own flag -------------------------------------------------------------------------------

TEST(data_mutations, a_plain_payload_that_is_its_own_flag_is_a_race) {
  const auto kernels = tiny_group(2, 1, [](Script& s) {
    s.only(0, [&] { s.store(s.word(1, 0), s.number(5)); });
    s.only(1, [&] { s.await(s.word(1, 0), 5, Order::acquire); });
  });
  expect_fault(check(kernels, every_order()), FaultKind::race,
               {"at pad of rank 1 + 0 bytes", "tt.store", "tt.atomic_load", "nothing orders the two"});
}

TEST(data_mutations, a_relaxed_payload_that_is_the_flag_of_others_is_a_race) {
  const auto kernels = tiny_group(2, 1, [](Script& s) {
    s.only(0, [&] {
      s.store(s.word(1, 1), s.number(6));
      s.store_atomic(s.word(1, 0), s.number(5), Order::relaxed);
    });
    s.only(1, [&] {
      s.await(s.word(1, 0), 5, Order::acquire);
      s.load(s.word(1, 1));
    });
  });
  expect_fault(check(kernels, every_order()), FaultKind::race,
               {"at pad of rank 1 + 4 bytes", "tt.atomic_load", "tt.atomic_store",
                "but the store does not release"});
}

// --- packets -----------------------------------------------------------------------------------------------

class packet_mutation : public data_mutation {};
std::vector<Cell> of_packets() {
  std::vector<Cell> cells = of_each_variant();
  std::erase_if(cells, [](const Cell& cell) { return cell.spec.variant != Variant::packets; });
  return cells;
}
INSTANTIATE_TEST_SUITE_P(kernels, packet_mutation, testing::ValuesIn(of_packets()), test_name);

// Whatever lies in the inbox is taken.
TEST_P(packet_mutation, packets_taken_without_their_number_are_wrong_data) {
  plant([](Function& kernel) {
    return rewrite(kernel, [&](Op& op, Before&) {
      const auto* compare = std::get_if<CompareInts>(&op.kind);
      if (!compare || type_of(kernel, op.operands[0]) != value_of(Scalar::i64, {2})) return false;
      op.operands[0] = op.operands[1];
      return true;
    });
  });
  expect_fault(check(kernels), FaultKind::wrong_data, {"call 0: element ", "is 0x"});
}

TEST_P(packet_mutation, packets_sent_without_their_number_are_a_deadlock) {
  plant([](Function& kernel) {
    return rewrite(kernel, [&](Op& op, Before& before) {
      if (!std::holds_alternative<AtomicStore>(op.kind)) return false;
      const Value low = before.constant(value_of(Scalar::i64, {2}), 0xffff'ffff);
      op.operands[1] = before.one(Arith{ArithOp::andi}, {op.operands[1], low});
      return true;
    });
  });
  expect_fault(check(kernels), FaultKind::deadlock, {"scf.while", "goes round\n  at inbox half 0 of rank "});
}

// The packet of call i + 1 overwrites that of call i, which a slow rank still expects.
TEST_P(packet_mutation, one_inbox_for_all_calls_is_a_deadlock) {
  plant([](Function& kernel) {
    const Value half = argument(kernel, "half");
    return rewrite(kernel, [&](Op& op, Before& before) {
      for (Value& operand : op.operands)
        if (operand == half) return operand = before.constant(value_of(Scalar::i32), 0), true;
      return false;
    });
  });
  expect_fault(check(kernels, {.schedules = 1000}), FaultKind::deadlock,
               {"scf.while", "goes round\n  at inbox half 0 of rank "});
}

}  // namespace
}  // namespace tutti::kernels
