// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/sort.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

const Type matrix(DType::f32, {2, 3});
Tensor row(const std::vector<float>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}
Tensor places(const std::vector<std::int32_t>& values) {
  return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values);
}

TEST(sort, brings_elements_into_ascending_order_along_its_dim) {
  Tensor x(Shape{2, 3}, std::vector<std::int32_t>{3, 1, 2, 0, 5, 4});
  EXPECT_EQ(computed(Sort{Dim{1}}, {x})[0], Tensor(Shape{2, 3}, std::vector<std::int32_t>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(computed(Sort{Dim{0}}, {x})[0], Tensor(Shape{2, 3}, std::vector<std::int32_t>{0, 1, 2, 3, 5, 4}));
}

TEST(sort, carries_others_along_and_keeps_the_order_of_equal_keys) {
  Tensors sorted = computed(Sort{Dim{0}}, {row({2, 1, 2, 1}), places({10, 20, 30, 40})});
  EXPECT_EQ(sorted[0], row({1, 1, 2, 2}));
  EXPECT_EQ(sorted[1], places({20, 40, 10, 30}));
}

TEST(sort, puts_nans_last_and_takes_zeros_for_equal) {
  float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  Tensors sorted =
      computed(Sort{Dim{0}}, {row({nan, 0, -0.0F, infinity, -nan, -infinity}), places({0, 1, 2, 3, 4, 5})});
  EXPECT_EQ(sorted[1], places({5, 1, 2, 3, 0, 4}));
  EXPECT_TRUE(std::signbit(sorted[0].at(2)));
}

TEST(sort, has_the_tangents_of_where_elements_come_from) {
  auto tangent = [](const Arrays& x) { return *Sort{Dim{0}}.jvp({x[0]}, {x[1]}).tangents[0]; };
  EXPECT_EQ(computed_by(tangent, {row({3, 1, 2}), row({10, 20, 30})}), row({20, 30, 10}));
}

TEST(argsort, is_the_order_of_the_elements) {
  EXPECT_EQ(computed_by([](const Arrays& x) { return argsort(x[0]); }, {row({3, 1, 2})}), places({1, 2, 0}));
}

TEST(sort, rejects_nothing_c1) {
  EXPECT_EQ(refusal_of(Sort{Dim{0}}, {}), "T005: nothing to sort; give a key at least (sort_c1)");
  EXPECT_EQ(refusal_of([] { program_text({}, [](const Arrays&) { return sort(Arrays{})[0]; }); }),
            "T005: sort: nothing to sort; give a key at least (sort_c1)");
}

TEST(sort, rejects_carried_operands_of_another_shape_c2) {
  EXPECT_EQ(refusal_of(Sort{Dim{0}}, {matrix, Type(DType::i32, {2})}),
            "T005: i32[2] is carried along with f32[2,3], which has another shape (sort_c2)");
}

TEST(sort, rejects_a_dim_out_of_range_c4) {
  EXPECT_EQ(refusal_of(Sort{Dim{2}}, {matrix}),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (sort_c4)");
}

TEST(sort, of_more_than_2_to_the_31_elements_moves_tangents_by_i64) {
  auto tangents_of = [](std::int64_t elements) {
    Program program =
        trace({Type(DType::f32, {elements})}, [](const Arrays& x) { return Arrays{sort(x[0], 0)}; }).program;
    return text_of(jvp(program, {true}).program);
  };
  constexpr std::int64_t most = std::int64_t{1} << 31;
  EXPECT_EQ(tangents_of(most).find("i64"), std::string::npos);
  EXPECT_NE(tangents_of(most + 1).find("i64[2147483649] = iota"), std::string::npos) << tangents_of(most + 1);
}

TEST(sort, types_its_rules) { EXPECT_EQ(mistyped_rules(Sort::examples()), std::vector<std::string>{}); }

TEST(sort, by_several_keys_leaves_equal_ones_to_the_next) {
  Tensors sorted = computed(Sort{Dim{0}, 2}, {row({2, 1, 2, 1}), row({4, 3, 2, 5}), places({0, 1, 2, 3})});
  EXPECT_EQ(sorted[0], row({1, 1, 2, 2}));
  EXPECT_EQ(sorted[1], row({3, 5, 2, 4}));
  EXPECT_EQ(sorted[2], places({1, 3, 2, 0}));
}

TEST(sort, prints_the_number_of_keys) {
  EXPECT_EQ(to_string(Op(Sort{Dim{1}, 2})), "sort{dim=1, num_keys=2}");
  EXPECT_EQ(to_string(Op(Sort{Dim{1}})), "sort{dim=1}");
}

TEST(sort, rejects_more_keys_than_operands_c5) {
  EXPECT_EQ(refusal_of(Sort{Dim{0}, 2}, {matrix}), "T005: 2 of 1 array are keys; give at least one key, and "
                                                   "at most as many as there are arrays (sort_c5)");
}

}  // namespace
}  // namespace tutti
