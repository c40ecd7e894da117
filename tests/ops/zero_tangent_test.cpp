// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/zero_tangent.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];

Batched batched_over_a(State state) {
  Type type(DType::f64, {3}, {{a, state}, {b, reduced}});
  return ZeroTangent{type}.batch(a, {}, {})[0];
}

TEST(zero_tangent, has_any_states) {
  EXPECT_EQ(program_text({},
                         [](const Arrays&) {
                           return zero_tangent(Type(DType::f32, {3}, {{a, unreduced}, {b, reduced}}));
                         }),
            "program() {\n  %0: f32[3]{U:a, R:b} = zero_tangent\n  return %0\n}\n");
}

TEST(zero_tangent, is_the_same_in_every_lane) {
  Builder builder;
  for (State state : {invariant, varying, unreduced, reduced}) {
    Batched zero = batched_over_a(state);
    EXPECT_FALSE(zero.batched);
    EXPECT_EQ(zero.array.type(), Type(DType::f64, {3}, {{b, reduced}}));
  }
}

TEST(zero_tangent, transposes_to_nothing) {
  Builder builder;
  ZeroTangent op{Type(DType::f32, {3})};
  EXPECT_TRUE(op.transpose({}, {builder.input(op.type)}).empty());
}

TEST(zero_tangent, stores_one_zero_for_all_elements) {
  Kernel kernel = kernel_of(ZeroTangent{Type(DType::f32, {2, 5}, {{a, varying}})}, {});
  const kernel::Literal& literal = std::get<kernel::Literal>(kernel);
  EXPECT_EQ(literal.data, Tensor::scalar(0.0F));
  EXPECT_EQ(to_string(literal.view), "2: nowhere > d0, 5: nowhere > d1");
}

TEST(zero_tangent, types_its_rules) {
  EXPECT_EQ(mistyped_rules(ZeroTangent::examples()), std::vector<std::string>{});
}

TEST(zero_tangent, of_integers_is_a_bug) {
  EXPECT_EQ(refusal_of(ZeroTangent{Type(DType::i32, {3})}, {}), "I001: i32[3] has no tangent");
}

}  // namespace
}  // namespace tutti
