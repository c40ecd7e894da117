// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/checkpoint_name.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];

TEST(checkpoint_name, passes_every_state) {
  EXPECT_EQ(
      program_text({Type(DType::f32, {3}, {{a, unreduced}})},
                   [](const Arrays& x) { return checkpoint_name(x[0], "hidden"); }),
      "program(%0: f32[3]{U:a}) {\n  %1: f32[3]{U:a} = checkpoint_name{name='hidden'} %0\n  return %1\n}\n");
}

TEST(checkpoint_name, names_the_value_and_not_its_tangent) {
  EXPECT_EQ(program_text({Type(DType::f32, {3})},
                         [](const Arrays& x) {
                           auto named = [](const Array& y) { return checkpoint_name(y, "row"); };
                           auto [value, moved] = jvp(named, std::tuple{x[0]}, std::tuple{x[0]});
                           return value + moved;
                         }),
            "program(%0: f32[3]) {\n"
            "  %1: f32[3] = checkpoint_name{name='row'} %0\n"
            "  %2: f32[3] = add %1, %0\n"
            "  return %2\n"
            "}\n");
}

TEST(checkpoint_name, names_every_leaf_of_a_tree) {
  Builder builder;
  const Array x = builder.input(Type(DType::i32, {2}));
  auto [first, second] = checkpoint_name(std::pair{x, x}, "both");
  EXPECT_EQ(first.type(), Type(DType::i32, {2}));
  EXPECT_EQ(second.type(), first.type());
}

TEST(checkpoint_name, moves_nothing) {
  EXPECT_TRUE(std::holds_alternative<kernel::View>(kernel_of(CheckpointName{"x"}, {Type(DType::f32, {3})})));
}

TEST(checkpoint_name, types_its_rules) {
  EXPECT_EQ(mistyped_rules(CheckpointName::examples()), std::vector<std::string>{});
}

TEST(checkpoint_name, refuses_an_empty_name) {
  expect_refused(
      traced([](Array x) {
        return checkpoint_name(x, "");  // refused
      }),
      "T015 {file}:{line}: checkpoint_name: the name is empty; give the one that remat's .keep lists");
}

}  // namespace
}  // namespace tutti
