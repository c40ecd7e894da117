// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/stop_gradient.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];

TEST(stop_gradient, passes_every_state) {
  EXPECT_EQ(program_text({Type(DType::f32, {3}, {{a, unreduced}})},
                         [](const Arrays& x) { return stop_gradient(x[0]); }),
            "program(%0: f32[3]{U:a}) {\n  %1: f32[3]{U:a} = stop_gradient %0\n  return %1\n}\n");
}

TEST(stop_gradient, drops_the_tangent) {
  Builder builder;
  Array x = builder.input(Type(DType::f32, {3}));
  EXPECT_FALSE(StopGradient{}.jvp({x}, {x}).tangents[0]);
}

TEST(stop_gradient, refuses_its_transpose) {
  EXPECT_EQ(Op(StopGradient{})->refusal(Rule::transpose), "stop_gradient has no tangent");
}

TEST(stop_gradient, moves_nothing) {
  EXPECT_TRUE(std::holds_alternative<kernel::View>(kernel_of(StopGradient{}, {Type(DType::f32, {3})})));
}

TEST(stop_gradient, types_its_rules) {
  EXPECT_EQ(mistyped_rules(StopGradient::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
