// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/random_bits.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/types/axis.hpp"

namespace tutti {
namespace {

// The numbers that JAX draws from jax.random.PRNGKey(42); tests/oracle/random_test.cpp asks it about more.
const Tensor key(Shape{2}, std::vector<std::uint32_t>{0, 42});
const Type key_type(DType::u32, {2}), start_type(DType::u64, {});

Tensor number(std::uint64_t value) { return Tensor::scalar(value); }
Tensor drawn_by(const RandomBits& op, const Tensors& operands) { return computed(op, operands)[0]; }

TEST(random_bits, are_those_of_jax_in_every_width) {
  EXPECT_EQ(drawn_by({DType::u8, {2, 2}, {2, 2}}, {key}),
            Tensor(Shape{2, 2}, std::vector<std::uint8_t>{162, 217, 249, 215}));
  EXPECT_EQ(drawn_by({DType::u16, {2, 2}, {2, 2}}, {key}),
            Tensor(Shape{2, 2}, std::vector<std::uint16_t>{5026, 12505, 63993, 49623}));
  EXPECT_EQ(drawn_by({DType::u32, {2, 2}, {2, 2}}, {key}),
            Tensor(Shape{2, 2}, std::vector<std::uint32_t>{2098992034, 2919706841, 2646866425, 2409546199}));
  EXPECT_EQ(drawn_by({DType::u64, {2, 2}, {2, 2}}, {key}),
            Tensor(Shape{2, 2}, std::vector<std::uint64_t>{7871734211187709741U, 276886910877598708U,
                                                           10591095138341673235U, 13462782411356743825U}));
}

TEST(random_bits, floats_are_uniform_in_the_unit_interval) {
  auto values = [](DType dtype) {
    const Tensor drawn = drawn_by({dtype, {3}, {3}}, {key});
    return std::vector<double>{drawn.at(0), drawn.at(1), drawn.at(2)};
  };
  EXPECT_EQ(values(DType::f16), (std::vector<double>{0.076171875, 0.1904296875, 0.9755859375}));
  EXPECT_EQ(values(DType::bf16), (std::vector<double>{0.6328125, 0.84375, 0.96875}));
  EXPECT_EQ(values(DType::f32),
            (std::vector<double>{0.48870956897735596, 0.6797971725463867, 0.6162714958190918}));
  EXPECT_EQ(values(DType::f64),
            (std::vector<double>{0.4267275666499091, 0.015010069515314584, 0.5741444178995352}));
}

TEST(random_bits, rounds_a_number_of_a_range_once) {
  float low = -3.3F, high = 5.7F;
  EXPECT_EQ(drawn_by({DType::f32, {3}, {3}, {.low = low, .width = high - low}}, {key}),
            Tensor(Shape{3},
                   std::vector<float>{1.0983861684799194F, 2.8181746006011963F, 2.246443510055542F}));
  EXPECT_EQ(drawn_by({DType::f64, {3}, {3}, {.low = -3.3, .width = 5.7 + 3.3}}, {key}),
            Tensor(Shape{3},
                   std::vector<double>{0.5405480998491818, -3.1649093743621686, 1.8672997610958169}));
}

TEST(random_bits, counts_on_past_2_to_the_32) {
  EXPECT_EQ(drawn_by({DType::u32, {5}, {std::int64_t{1} << 33}}, {key, number((std::uint64_t{1} << 32) - 2)}),
            Tensor(Shape{5},
                   std::vector<std::uint32_t>{1837984362, 1763529543, 3592421270, 1493161314, 3580270425}));
}

TEST(random_bits, rows_of_a_block_stand_where_they_stand_in_the_whole) {
  const Tensor whole = drawn_by({DType::u32, {3, 4, 5}, {3, 4, 5}}, {key});
  const Tensor block = drawn_by({DType::u32, {2, 2, 3}, {3, 4, 5}}, {key, number(1 * 20 + 2 * 5 + 1)});
  for (std::int64_t i = 0; i < 2; ++i)
    for (std::int64_t j = 0; j < 2; ++j)
      for (std::int64_t k = 0; k < 3; ++k)
        EXPECT_EQ(block.at((i * 2 + j) * 3 + k), whole.at(((i + 1) * 4 + j + 2) * 5 + k + 1));
}

TEST(random_bits, are_the_same_in_pieces_of_any_length) {
  constexpr std::int64_t n = 300;
  const Tensor whole = drawn_by({DType::f32, {n}, {n}}, {key});
  for (std::int64_t length : {1, 7, 31, 32, 33, 64, 100, 299})
    for (std::int64_t from = 0; from < n; from += length) {
      std::int64_t some = std::min(length, n - from);
      const Tensor piece =
          drawn_by({DType::f32, {some}, {n}}, {key, number(static_cast<std::uint64_t>(from))});
      for (std::int64_t i = 0; i < some; ++i) EXPECT_EQ(piece.at(i), whole.at(from + i));
    }
}

TEST(random_bits, several_keys_draw_one_block_each) {
  const Tensor keys(Shape{2, 2}, std::vector<std::uint32_t>{7, 8, 0, 42});
  const Tensor starts(Shape{2}, std::vector<std::uint64_t>{0, 2});
  const Tensor both = drawn_by({DType::u32, {2}, {4}}, {keys, starts});
  EXPECT_EQ(both.shape(), (Shape{2, 2}));
  EXPECT_EQ(both.at(2), 2646866425);
  EXPECT_EQ(both.at(3), 2409546199);
  EXPECT_EQ(drawn_by({DType::u32, {2}, {4}}, {keys, number(2)}).at(2), 2646866425);
}

TEST(random_bits, of_no_elements_are_none) {
  EXPECT_EQ(drawn_by({DType::u32, {0, 3}, {4, 3}}, {key}).shape(), (Shape{0, 3}));
  EXPECT_EQ(drawn_by({DType::f64, {3, 0}, {3, 0}}, {key}).shape(), (Shape{3, 0}));
  EXPECT_EQ(drawn_by({DType::u32, {}, {}}, {key}), Tensor::scalar(std::uint32_t{2098992034}));
}

TEST(random_bits, lanes_with_starts_of_their_own_get_a_key_each) {
  Axis lanes = fresh_axis("lanes", 3);
  Type keys(DType::u32, {4, 2}), starts(DType::u64, {3});
  EXPECT_EQ(program_text({keys, starts},
                         [&](const Arrays& x) {
                           return RandomBits{DType::u32, {5}, {5}}
                               .batch(lanes, {{x[0], false}, {x[1], true}}, {keys, start_type})[0]
                               .array;
                         }),
            "program(%0: u32[4,2], %1: u64[3]) {\n"
            "  %2: u32[3,4,2] = broadcast_in_dim{to=[3,4,2], dims=[1, 2]} %0\n"
            "  %3: u64[3,4] = broadcast_in_dim{to=[3,4], dims=[0]} %1\n"
            "  %4: u32[3,4,5] = random_bits{block=[5], whole=[5]} %2, %3\n"
            "  return %4\n}\n");
}

TEST(random_bits, prints_its_range) {
  EXPECT_EQ(to_string(Op(RandomBits{DType::f32, {2}, {4}, {.low = -1, .width = 2}})),
            "random_bits{block=[2], whole=[4], low=-1, width=2}");
}

TEST(random_bits, rejects_other_keys_c1_c3) {
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {3}, {3}}, {Type(DType::i32, {2})}),
            "T007: the key is i32[2], not u32 (random_bits_c1); make it by key(seed), split or fold_in");
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {3}, {3}}, {Type(DType::u32, {3})}),
            "T005: the key is u32[3]; a key has two words, along the last dim (random_bits_c3)");
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {3}, {3}}, {Type(DType::u32, {})}),
            "T005: the key is u32[]; a key has two words, along the last dim (random_bits_c3)");
}

TEST(random_bits, rejects_other_starts_c1_c4) {
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {3}, {3}}, {key_type, Type(DType::i64, {})}),
            "T007: the start is i64[], not u64 (random_bits_c1)");
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {3}, {3}}, {key_type, Type(DType::u64, {3})}),
            "T005: the start is u64[3] beside the key u32[2]; give one number, or one for each key "
            "(random_bits_c4)");
}

TEST(random_bits, rejects_dtypes_that_are_not_drawn_c2_c6) {
  EXPECT_EQ(
      refusal_of(RandomBits{DType::i32, {3}, {3}}, {key_type}),
      "T007: a draw of i32, which is neither unsigned nor a float (random_bits_c2); convert what is drawn");
  EXPECT_EQ(refusal_of(RandomBits{DType::f16, {3}, {3}, {.low = 1, .width = 1}}, {key_type}),
            "T007: a range of f16; draw from [0, 1) and scale it (random_bits_c6)");
}

TEST(random_bits, rejects_a_block_that_is_not_inside_c5) {
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {4}, {3}}, {key_type}),
            "T005: a block [4] of a draw [3]: it has as many dims, none of them larger (random_bits_c5)");
  EXPECT_EQ(refusal_of(RandomBits{DType::u32, {3}, {3, 3}}, {key_type}),
            "T005: a block [3] of a draw [3,3]: it has as many dims, none of them larger (random_bits_c5)");
}

TEST(random_bits, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(RandomBits::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
