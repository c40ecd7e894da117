// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/select.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/transform/transpose.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];
const Type f32(DType::f32, {3}), predicate(DType::boolean, {3});
const Type sum = f32.with(a, unreduced);

Array selected(const Arrays& x) { return select(x[0], x[1], x[2]); }

std::string refused(const Types& operands) {
  return refusal_of([&] { program_text(operands, selected); });
}

TEST(select, takes_elements_of_both_branches) {
  EXPECT_EQ(program_text({predicate, f32, f32}, selected), "program(%0: bool[3], %1: f32[3], %2: f32[3]) {\n"
                                                           "  %3: f32[3] = select %0, %1, %2\n"
                                                           "  return %3\n}\n");
}

TEST(select, broadcasts_predicate_and_branches) {
  EXPECT_EQ(program_text({Type(DType::boolean, {2, 1}), f32, Type(DType::f32, {})}, selected),
            "program(%0: bool[2,1], %1: f32[3], %2: f32[]) {\n"
            "  %3: f32[3] = broadcast_in_dim{to=[3], dims=[]} %2\n"
            "  %4: bool[2,3] = broadcast_in_dim{to=[2,3], dims=[0, 1]} %0\n"
            "  %5: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[1]} %1\n"
            "  %6: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[1]} %3\n"
            "  %7: f32[2,3] = select %4, %5, %6\n"
            "  return %7\n}\n");
}

TEST(select, gives_a_number_the_dtype_of_the_other_branch) {
  EXPECT_EQ(program_text({Type(DType::boolean, {}), Type(DType::f64, {})},
                         [](const Arrays& x) { return select(x[0], x[1], -1); }),
            "program(%0: bool[], %1: f64[]) {\n"
            "  %2: f64[] = constant{value=-1}\n"
            "  %3: f64[] = select %0, %1, %2\n"
            "  return %3\n}\n");
}

TEST(select, varies_where_the_predicate_does) {
  EXPECT_EQ(program_text({predicate.with(a, varying), f32, f32.with(a, reduced)}, selected),
            "program(%0: bool[3]{V:a}, %1: f32[3], %2: f32[3]{R:a}) {\n"
            "  %3: f32[3]{V:a} = cast{axes='a', from=I, to=V} %1\n"
            "  %4: f32[3]{V:a} = cast{axes='a', from=R, to=V} %2\n"
            "  %5: f32[3]{V:a} = select %0, %3, %4\n"
            "  return %5\n}\n");
}

TEST(select, casts_an_equal_predicate_beside_varying_branches) {
  EXPECT_EQ(program_text({predicate, f32.with(a, varying), f32.with(a, varying)}, selected),
            "program(%0: bool[3], %1: f32[3]{V:a}, %2: f32[3]{V:a}) {\n"
            "  %3: bool[3]{V:a} = cast{axes='a', from=I, to=V} %0\n"
            "  %4: f32[3]{V:a} = select %3, %1, %2\n"
            "  return %4\n}\n");
}

TEST(select, chooses_among_sums_by_an_equal_or_reduced_predicate) {
  EXPECT_EQ(Select{}.infer({predicate, sum, sum}), Types{sum});
  EXPECT_EQ(Select{}.infer({predicate.with(a, reduced), sum, sum}), Types{sum});
}

TEST(select, rejects_a_varying_predicate_over_sums) {
  EXPECT_EQ(
      refused({predicate.with(a, varying), sum, sum}),
      "T004: select: on_true is an unreduced sum over 'a' (f32[3]{U:a}), the predicate is different on each "
      "device along 'a' (bool[3]{V:a}): each device would choose among its own terms. Reduce first: "
      "psum(on_true, \"a\")");
}

TEST(select, rejects_a_sum_beside_an_equal_branch) {
  EXPECT_EQ(refused({predicate, f32, sum}),
            "T004: select: on_false is an unreduced sum over 'a' (f32[3]{U:a}), on_true is equal on all "
            "devices along "
            "'a' (f32[3]): they are not terms of one sum. Reduce first: psum(on_false, \"a\")");
}

TEST(select, rejects_a_predicate_that_is_a_sum) {
  EXPECT_EQ(refused({predicate.with(a, unreduced), f32, f32}),
            "T004: select: the predicate is an unreduced sum over 'a' (bool[3]{U:a}); reduce it first: "
            "psum(predicate, \"a\")");
}

TEST(select, rejects_a_predicate_of_numbers) {
  EXPECT_EQ(refused({f32, f32, f32}),
            "T007: select: the predicate is f32[3], not bool; compare it: not_equal(x, 0)");
}

TEST(select, rejects_branches_of_different_dtypes) {
  EXPECT_EQ(
      refused({predicate, f32, f32.with(DType::i32)}),
      "T007: select: f32[3] and i32[3] have different dtypes; convert one of them: convert(x, DType::f32)");
}

TEST(select, as_an_op_is_strict_about_shapes_and_states) {
  EXPECT_EQ(refusal_of(Select{}, {Type(DType::boolean, {}), f32, f32}),
            "T005: the predicate is bool[], the branches are f32[3]; use broadcast_in_dim first");
  EXPECT_EQ(refusal_of(Select{}, {predicate, f32.with(a, varying), f32}),
            "T004: the predicate is bool[3], the other operands need bool[3]{V:a}; cast it first");
}

TEST(select, transposes_to_both_branches) {
  Program program = trace({predicate, sum, sum}, [](const Arrays& x) { return Arrays{selected(x)}; }).program;
  Program back = transpose(program, {false, true, true});
  for (Equation& equation : back.equations) equation.where = {};
  EXPECT_EQ(to_string(back), "program(%0: bool[3], %1: f32[3]{R:a}) {\n"
                             "  %2: f32[3]{R:a} = zero_tangent\n"
                             "  %3: f32[3]{R:a} = select %0, %1, %2\n"
                             "  %4: f32[3]{R:a} = select %0, %2, %1\n"
                             "  return %3, %4\n}\n");
}

// The zero that select pairs with the cotangent is a value for the second derivative.
TEST(select, is_differentiated_twice) {
  Program once =
      vjp(trace({predicate, f32, f32}, [](const Arrays& x) { return Arrays{selected(x)}; }).program,
          {false, true, true});
  EXPECT_EQ(refusal_of([&] { check(vjp(once, {false, true, true, true})); }), "accepted");
}

TEST(select, types_its_rules) { EXPECT_EQ(mistyped_rules(Select::examples()), std::vector<std::string>{}); }

TEST(where, takes_numbers_and_broadcasts) {
  EXPECT_EQ(program_text({Type(DType::boolean, {8, 1}), Type(DType::f32, {8, 10})},
                         [](const Arrays& x) { return where(x[0], x[1], 0.0); }),
            "program(%0: bool[8,1], %1: f32[8,10]) {\n"
            "  %2: f32[] = constant{value=0}\n"
            "  %3: f32[8,10] = broadcast_in_dim{to=[8,10], dims=[]} %2\n"
            "  %4: bool[8,10] = broadcast_in_dim{to=[8,10], dims=[0, 1]} %0\n"
            "  %5: f32[8,10] = select %4, %1, %3\n"
            "  return %5\n}\n");
}

}  // namespace
}  // namespace tutti
