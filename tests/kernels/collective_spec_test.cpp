// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/spec/collective_spec.hpp"

#include <gtest/gtest.h>

#include "tests/kernels/specs.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/kernels/spec/canonical.hpp"
#include "tutti/kernels/spec/eligible.hpp"
#include "tutti/kernels/spec/traffic.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti::kernels {
namespace {

const Mesh mesh({{"x", 2}, {"y", 3}});
const Axis x = mesh.axes()[0], y = mesh.axes()[1];
Type varying_f32(Shape shape) { return Type(DType::f32, std::move(shape)).with({x, y}, State::varying); }

std::string text_of_spec(const Op& op, Type operand) { return to_string(spec_of(op, operand, mesh).value()); }

std::vector<Example> examples_of_the_five() {
  std::vector<Example> all;
  for (const auto& examples : {AllGather::examples(), AllReduce::examples(), ReduceScatter::examples(),
                               AllToAll::examples(), Permute::examples()})
    all.insert(all.end(), examples.begin(), examples.end());
  return all;
}

TEST(collective_spec, has_the_groups_of_the_whole_mesh) {
  EXPECT_EQ(text_of_spec(AllGather{{y}, Dim{1}, Stacking::tiled}, varying_f32({2, 4})),
            "all_gather f32[2,4], dim 1, world 3, groups [[0, 1, 2], [3, 4, 5]], standard");
  EXPECT_EQ(text_of_spec(AllReduce{ReduceKind::max, {x}}, varying_f32({2})),
            "all_reduce max f32[2], world 2, groups [[0, 3], [1, 4], [2, 5]], one_shot");
  EXPECT_EQ(text_of_spec(AllGather{{y, x}, Dim{0}}, varying_f32({})),
            "all_gather f32[1], dim 0, world 6, groups [[0, 3, 1, 4, 2, 5]], standard");
  EXPECT_EQ(text_of_spec(AllGather{{y}, Dim{0}, Stacking::tiled, State::varying, {{2, 0, 1}}},
                         varying_f32({2})),
            "all_gather f32[2], dim 0, world 3, groups [[2, 0, 1], [5, 3, 4]], standard");
}

TEST(collective_spec, has_the_least_bytes_that_the_traffic_of_its_op_says) {
  int compared = 0;
  for (const Example& example : examples_of_the_five()) {
    const Type operand = example.operands[0].type;
    const std::optional<CollectiveSpec> spec = spec_of(example.op, operand, example_mesh());
    if (!spec || !eligible(*spec) || spec->kind == CollectiveKind::ppermute) continue;
    if (operand.elements() % spec->world != 0) continue;  // shares differ
    const Traffic traffic = example.op->traffic({operand});
    EXPECT_EQ(traffic.received * spec->world, least_link_bytes(*spec)) << to_string(*spec);
    EXPECT_EQ(traffic.sent, traffic.received) << to_string(*spec);
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(collective_spec, has_the_block_that_is_received_or_sent) {
  EXPECT_EQ(text_of_spec(ReduceScatter{{x}, Dim{0}, Stacking::tiled},
                         varying_f32({4, 5}).with(x, State::unreduced)),
            "reduce_scatter sum f32[2,5], dim 0, world 2, groups [[0, 3], [1, 4], [2, 5]], standard");
  EXPECT_EQ(text_of_spec(AllToAll{{y}, Dim{1}, Dim{0}, Stacking::tiled}, varying_f32({2, 6})),
            "all_to_all f32[2,2], dim 1 to 0, world 3, groups [[0, 1, 2], [3, 4, 5]], standard");
  EXPECT_EQ(text_of_spec(Permute{{x}, {{0, 1}}}, varying_f32({7})),
            "ppermute f32[7], world 2, groups [[0, 3], [1, 4], [2, 5]], pairs [(0, 1)], standard");
}

// Behaviour 1. XLA's all-gather-start has a tuple (operand, result); a guard that looked at the tuple let
// every type pass.
TEST(behaviour_1, start_and_done_give_the_spec_of_the_operand_that_moves) {
  for (const Example& example : examples_of_the_five()) {
    const Type operand = example.operands[0].type;
    const auto alone = spec_of(example.op, operand, example_mesh());
    ASSERT_TRUE(alone) << to_string(example.op);
    EXPECT_EQ(alone->dtype, operand.dtype());
    const Op start = Start{example.op};
    EXPECT_EQ(spec_of(start, operand, example_mesh()), alone);
    const Type pending = start->infer({operand})[0];
    EXPECT_EQ(spec_of(Done{example.op}, pending, example_mesh()), alone);
    EXPECT_EQ(eligible(*alone).refusal, eligible(*spec_of(start, operand, example_mesh())).refusal);
  }
}

TEST(behaviour_1, every_dtype_of_the_operand_is_seen_behind_a_start) {
  for (DType dtype : all_dtypes()) {
    const Type operand = varying_f32({4}).with(dtype);
    const Op gather = AllGather{{x}, Dim{0}, Stacking::tiled};
    const Type pending = Op(Start{gather})->infer({operand})[0];
    EXPECT_EQ(spec_of(Done{gather}, pending, mesh)->dtype, dtype);
  }
}

TEST(collective_spec, is_none_for_other_ops) {
  EXPECT_FALSE(spec_of(Reshape{Shape{4}}, varying_f32({2, 2}), mesh));
}

TEST(collective_spec, refuses_an_axis_of_another_mesh_and_a_done_of_another_value) {
  const Mesh other(std::vector<std::pair<std::string, int>>{{"z", 2}});
  const Op gather = AllGather{{x}, Dim{0}};
  EXPECT_EQ(refusal([&] { spec_of(gather, varying_f32({2}), other); }),
            "T001 all_gather: axis 'x' is none of the mesh z=2; hand in the mesh of the program, and batch "
            "over vmap "
            "axes first");
  EXPECT_EQ(refusal([&] { spec_of(Done{gather}, varying_f32({2}), mesh); }).substr(0, 28),
            "T016 f32[2]{V:x, V:y} is not");
}

// Views of all examples count the elements of operand and result.
TEST(canonical_view, has_the_elements_of_operand_and_result) {
  for (const Example& example : examples_of_the_five()) {
    const Type operand = example.operands[0].type;
    const CollectiveSpec spec = *spec_of(example.op, operand, example_mesh());
    if (!eligible(spec)) continue;  // sums of complex, groups of several sizes
    const CanonicalView view = view_of(spec);
    EXPECT_EQ(view.operand.elements(), operand.elements() * view.moved.parts) << to_string(spec);
    EXPECT_EQ(view.result.elements(), example.op->infer({operand})[0].elements() * view.moved.parts)
        << to_string(spec);
  }
}

TEST(canonical_view, moves_bits_and_complex128_as_two_parts) {
  auto moved = [](DType dtype) { return view_of(gather_of(dtype, {3}, 2)).moved; };
  EXPECT_EQ(moved(DType::boolean), (MovedElement{8, 1}));
  EXPECT_EQ(moved(DType::bf16), (MovedElement{16, 1}));
  EXPECT_EQ(moved(DType::u32), (MovedElement{32, 1}));
  EXPECT_EQ(moved(DType::complex64), (MovedElement{64, 1}));
  EXPECT_EQ(moved(DType::complex128), (MovedElement{64, 2}));
  EXPECT_EQ(view_of(gather_of(DType::complex128, {2, 3}, 2, Dim{1})).result, (BlockedArray{2, 2, 6}));
}

// Spare lanes of the last tile lie behind the last element; in i32 they would wrap and pass the mask.
TEST(canonical_view, counts_in_i64_where_an_offset_and_two_tiles_reach_two_to_the_31) {
  const std::int64_t n = (std::int64_t{1} << 30) - most_tile_elements;
  EXPECT_EQ(view_of(gather_of(DType::u8, {n}, 2)).offsets, OffsetType::i64);
  EXPECT_EQ(view_of(gather_of(DType::u8, {n - 1}, 2)).offsets, OffsetType::i32);
  EXPECT_EQ(view_of(gather_of(DType::complex128, {n}, 1)).offsets, OffsetType::i64);
  EXPECT_EQ(view_of(spec_for(CollectiveKind::reduce_scatter, DType::f32, {n}, 3)).offsets, OffsetType::i64);
}

// The source's element for each of the result, by what the op says about shapes.
void expect_exchange(const AllToAll& op, const Shape& operand, int rank) {
  const Type type(DType::f32, operand, AxisStates{});
  const Type local = type.with({x, y}, State::varying);
  const CollectiveSpec spec = *spec_of(op, local, mesh);
  const CanonicalView view = view_of(spec);
  const Shape result = Op(op)->infer({local})[0].shape();
  std::vector<std::pair<int, std::int64_t>> read(static_cast<std::size_t>(result.elements()));
  for (int source = 0; source < spec.world; ++source)
    for (std::int64_t i = 0; i < view.elements; ++i)
      read[static_cast<std::size_t>(view.result.offset(i, source))] = {source, view.operand.offset(i, rank)};
  const auto s = static_cast<std::size_t>(op.split.index), c = static_cast<std::size_t>(op.concat.index);
  for (std::int64_t i = 0; i < result.elements(); ++i) {
    Coordinates at = coordinates(result, i);
    std::int64_t source = at[c];
    if (op.stacking == Stacking::new_dim) {
      at.erase(at.begin() + op.concat.index);
      at.insert(at.begin() + op.split.index, rank);
    } else {
      const std::int64_t length = result[op.concat] / spec.world, part = operand[op.split] / spec.world;
      source = at[c] / (op.split == op.concat ? part : length);
      at[c] %= op.split == op.concat ? part : length;
      at[s] += rank * part;
    }
    EXPECT_EQ(read[static_cast<std::size_t>(i)], std::pair(static_cast<int>(source), index_of(operand, at)))
        << to_string(Op(op)) << " of " << to_string(operand) << ", element " << i;
  }
}

TEST(canonical_view, of_an_exchange_takes_from_split_and_puts_at_concat) {
  for (int split = 0; split < 3; ++split)
    for (int concat = 0; concat < 3; ++concat)
      for (int rank = 0; rank < 3; ++rank) {
        Shape one = Shape{2, 4, 5}.with(Dim{split}, 3), several = Shape{2, 4, 5}.with(Dim{split}, 6);
        expect_exchange(AllToAll{{y}, Dim{split}, Dim{concat}}, one, rank);
        expect_exchange(AllToAll{{y}, Dim{split}, Dim{concat}, Stacking::tiled}, several, rank);
      }
}

}  // namespace
}  // namespace tutti::kernels
