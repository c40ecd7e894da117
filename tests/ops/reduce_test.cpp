// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/reduce.hpp"

#include <gtest/gtest.h>

#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {3, 5}), box(DType::f32, {2, 3, 5});
const Axis& axis_a() { return example_mesh().axes()[0]; }

TEST(reduce, drops_the_folded_dims) {
  Reduce op{ReduceKind::sum, {Dim{2}, Dim{0}}};
  EXPECT_EQ(op.infer({box})[0], Type(DType::f32, {3}));
  EXPECT_EQ(std::get<kernel::ReduceDims>(kernel_of(op, {box})).dims, (Dims{Dim{0}, Dim{2}}));
}

TEST(reduce, of_a_sum_keeps_every_state) {
  Type x = matrix.with(axis_a(), unreduced);
  EXPECT_EQ((Reduce{ReduceKind::sum, {Dim{0}}}.infer({x})[0]),
            Type(DType::f32, {5}).with(axis_a(), unreduced));
}

TEST(reduce, of_max_refuses_an_unreduced_sum) {
  EXPECT_EQ(refusal_of(Reduce{ReduceKind::max, {Dim{0}}}, {matrix.with(axis_a(), unreduced)}).substr(0, 49),
            "T004: the operand is an unreduced sum over 'a' (f");
}

TEST(reduce, refuses_a_dim_out_of_range_c4) {
  EXPECT_EQ(refusal_of(Reduce{ReduceKind::max, {Dim{2}}}, {matrix}),
            "T006: dim 2 is out of range for f32[3,5], which has 2 dims, counted from 0 (reduce_c4)");
}

TEST(reduce, refuses_a_dim_named_twice_c5) {
  EXPECT_EQ(refusal_of(
                [] { trace({matrix}, [](const Arrays& x) { return Arrays{reduce_min(x[0], {1, -1})}; }); }),
            "T006: reduce_min: dim 1 of f32[3,5] is named twice; name each dim once (reduce_c5)");
}

TEST(reduce, refuses_a_sum_of_bool_and_takes_its_max) {
  Type x(DType::boolean, {3});
  EXPECT_EQ(refusal_of(Reduce{ReduceKind::sum, {Dim{0}}}, {x}),
            "T007: bool[3] is bool, which has no sum; to count, convert it first: convert(x, DType::i32); "
            "for \"any\", "
            "reduce_max");
  EXPECT_EQ((Reduce{ReduceKind::max, {Dim{0}}}.infer({x})[0]), Type(DType::boolean, {}));
}

TEST(reduce_sum, of_bool_counts_as_psum_does) {
  EXPECT_EQ(program_text({Type(DType::boolean, {3, 5})}, [](const Arrays& x) { return reduce_sum(x[0], 1); }),
            "program(%0: bool[3,5]) {\n"
            "  %1: i32[3,5] = convert{to=i32} %0\n"
            "  %2: i32[3] = reduce_sum{dims=[1]} %1\n"
            "  return %2\n}\n");
  Array some = Tensor({5}, std::vector<bool>{true, false, true, true, false});
  EXPECT_EQ(computed_by([](const Arrays& x) { return reduce_sum(x[0]); }, {some.tensor()}),
            Tensor::scalar(std::int32_t{3}));
}

TEST(reduce, joins_the_bits_of_bools_and_integers) {
  EXPECT_EQ(program_text({Type(DType::boolean, {3, 5})},
                         [](const Arrays& x) { return reduce_or(reduce_and(x[0], 0)); }),
            "program(%0: bool[3,5]) {\n"
            "  %1: bool[5] = reduce_and{dims=[0]} %0\n"
            "  %2: bool[] = reduce_or{dims=[0]} %1\n"
            "  return %2\n}\n");
  EXPECT_EQ(refusal_of(Reduce{ReduceKind::logical_and, {Dim{0}}}, {Type(DType::i32, {5})}), "accepted");
}

TEST(reduce, refuses_to_join_the_bits_of_floats) {
  EXPECT_EQ(refusal_of(Reduce{ReduceKind::logical_or, {Dim{0}}}, {matrix}),
            "T007: f32[3,5] is float, which has no bits to combine; compare it first: not_equal(x, 0)");
}

TEST(reduce, takes_one_dim_several_or_all) {
  EXPECT_EQ(program_text({box},
                         [](const Arrays& x) { return reduce_min(reduce_max(reduce_sum(x[0], -1), {1})); }),
            "program(%0: f32[2,3,5]) {\n"
            "  %1: f32[2,3] = reduce_sum{dims=[2]} %0\n"
            "  %2: f32[2] = reduce_max{dims=[1]} %1\n"
            "  %3: f32[] = reduce_min{dims=[0]} %2\n"
            "  return %3\n}\n");
}

TEST(reduce, stores_dims_in_ascending_order) {
  EXPECT_EQ(program_text({box}, [](const Arrays& x) { return reduce_sum(x[0], {-1, 0}); }),
            "program(%0: f32[2,3,5]) {\n"
            "  %1: f32[3] = reduce_sum{dims=[0, 2]} %0\n"
            "  return %1\n}\n");
}

TEST(reduce, over_no_dims_records_nothing) {
  EXPECT_EQ(program_text({box}, [](const Arrays& x) { return reduce_sum(x[0], {}); }),
            "program(%0: f32[2,3,5]) {\n  return %0\n}\n");
}

TEST(reduce, of_max_shares_the_derivative_of_ties) {
  EXPECT_EQ(program_text({matrix, matrix},
                         [](const Arrays& x) {
                           return *Reduce{ReduceKind::max, {Dim{1}}}.jvp({x[0]}, {x[1]}).tangents[0];
                         }),
            "program(%0: f32[3,5], %1: f32[3,5]) {\n"
            "  %2: f32[3] = reduce_max{dims=[1]} %0\n"
            "  %3: f32[3,5] = broadcast_in_dim{to=[3,5], dims=[0]} %2\n"
            "  %4: bool[3,5] = eq %0, %3\n"
            "  %5: f32[3,5] = convert{to=f32} %4\n"
            "  %6: f32[3,5] = mul %5, %1\n"
            "  %7: f32[3] = reduce_sum{dims=[1]} %6\n"
            "  %8: f32[3] = reduce_sum{dims=[1]} %5\n"
            "  %9: f32[3] = div %7, %8\n"
            "  return %9\n}\n");
}

TEST(reduce, of_max_over_nothing_is_constant) {
  Builder builder;
  Type empty(DType::f32, {3, 0});
  Arrays x{builder.input(empty), builder.input(empty)};
  EXPECT_FALSE((Reduce{ReduceKind::max, {Dim{1}}}.jvp({x[0]}, {x[1]}).tangents[0].has_value()));
}

TEST(reduce, of_max_refuses_its_transpose) {
  Builder builder;
  Op op = Reduce{ReduceKind::max, {Dim{1}}};
  Tangents cotangent{builder.input(Type(DType::f32, {3}))};
  EXPECT_EQ(refusal_of([&] { op->transpose({{std::nullopt, matrix}}, cotangent); }),
            "T010: transpose is refused: a maximum or minimum is not linear");
}

TEST(reduce, of_a_sum_transposes_to_a_broadcast) {
  Type x = matrix.with(axis_a(), reduced);
  Reduce op{ReduceKind::sum, {Dim{0}}};
  EXPECT_EQ(program_text({Type(DType::f32, {5}).with(axis_a(), unreduced)},
                         [&](const Arrays& ct) { return *op.transpose({{std::nullopt, x}}, {ct[0]})[0]; }),
            "program(%0: f32[5]{U:a}) {\n"
            "  %1: f32[3,5]{U:a} = broadcast_in_dim{to=[3,5], dims=[1]} %0\n"
            "  return %1\n}\n");
}

TEST(reduce, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Reduce::examples()), std::vector<std::string>{});
}

TEST(reduce, multiplies_and_has_the_derivative_of_every_number_of_zeros) {
  const Tensor x(Shape{3, 3}, std::vector<double>{2, 3, 4, 0, 3, 4, 0, 0, 4}),
      ones(Shape{3, 3}, std::vector<double>(9, 1));
  EXPECT_EQ(computed(Reduce{ReduceKind::prod, {Dim{1}}}, {x})[0],
            Tensor(Shape{3}, std::vector<double>{24, 0, 0}));
  auto tangent = [](const Arrays& a) {
    return *Reduce{ReduceKind::prod, {Dim{1}}}.jvp({a[0]}, {a[1]}).tangents[0];
  };
  EXPECT_EQ(computed_by(tangent, {x, ones}), Tensor(Shape{3}, std::vector<double>{12 + 8 + 6, 12, 0}));
}

TEST(reduce, refuses_a_product_of_bool) {
  EXPECT_EQ(
      refusal_of(Reduce{ReduceKind::prod, {Dim{0}}}, {Type(DType::boolean, {3})}),
      "T007: bool[3] is bool, which has no product; convert it first: convert(x, DType::i32); for \"all\", "
      "reduce_min");
}

}  // namespace
}  // namespace tutti
