// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/compare.hpp"

#include <gtest/gtest.h>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Axis a = example_mesh().axes()[0];

using FrontEnd = Array (*)(const Operand&, const Operand&);

std::string text_of(Type x, Type y, FrontEnd function) {
  return program_text({x, y}, [&](const Arrays& in) { return function(in[0], in[1]); });
}

TEST(compare, prints_its_direction_and_gives_bool) {
  struct Named {
    const char* name;
    FrontEnd function;
  };
  for (const auto& [name, function] :
       {Named{"lt", operator<}, Named{"le", operator<=}, Named{"gt", operator>}, Named{"ge", operator>=},
        Named{"eq", equal}, Named{"ne", not_equal}})
    EXPECT_EQ(text_of(Type(DType::f32, {3}, {{a, varying}}), Type(DType::f32, {3}, {{a, varying}}), function),
              std::string("program(%0: f32[3]{V:a}, %1: f32[3]{V:a}) {\n  %2: bool[3]{V:a} = ") + name +
                  " %0, %1\n  return %2\n}\n");
}

TEST(compare, broadcasts_a_number) {
  EXPECT_EQ(program_text({Type(DType::i32, {2})}, [](const Arrays& x) { return x[0] >= 5; }),
            "program(%0: i32[2]) {\n"
            "  %1: i32[] = constant{value=5}\n"
            "  %2: i32[2] = broadcast_in_dim{to=[2], dims=[]} %1\n"
            "  %3: bool[2] = ge %0, %2\n"
            "  return %3\n}\n");
}

TEST(compare, joins_states) {
  EXPECT_EQ(text_of(Type(DType::f32, {}), Type(DType::f32, {}, {{a, reduced}}), equal),
            "program(%0: f32[], %1: f32[]{R:a}) {\n"
            "  %2: f32[]{R:a} = cast{axes='a', from=I, to=R} %0\n"
            "  %3: bool[]{R:a} = eq %2, %1\n"
            "  return %3\n}\n");
}

TEST(compare, takes_every_dtype) {
  for (DType dtype : all_dtypes())
    EXPECT_EQ(Compare{CompareDirection::eq}.infer({Type(dtype, {3}), Type(dtype, {3})}),
              Types{Type(DType::boolean, {3})});
}

TEST(compare, rejects_an_unreduced_sum) {
  Type sum(DType::f32, {3}, {{a, unreduced}});
  EXPECT_EQ(refusal_of([&] { text_of(sum, sum, operator<); }),
            "T004: lt: the left operand is an unreduced sum over 'a' (f32[3]{U:a}), which only linear "
            "functions take. "
            "Reduce first: psum(left, \"a\")");
}

TEST(compare, rejects_different_dtypes) {
  EXPECT_EQ(refusal_of(Compare{CompareDirection::lt}, {Type(DType::f32, {3}), Type(DType::i32, {3})}),
            "T007: f32[3] and i32[3] have different dtypes; convert one of them: convert(x, DType::f32)");
}

TEST(compare, rejects_different_shapes) {
  EXPECT_EQ(refusal_of(Compare{CompareDirection::lt}, {Type(DType::f32, {3}), Type(DType::f32, {})}),
            "T005: f32[3] and f32[] have different shapes; use broadcast_in_dim first");
}

TEST(compare, has_no_tangent) {
  Builder builder;
  Array x = builder.input(Type(DType::f32, {3}));
  EXPECT_FALSE(Compare{CompareDirection::lt}.jvp({x, x}, {x, x}).tangents[0]);
}

TEST(compare, refuses_its_transpose) {
  EXPECT_EQ(Op(Compare{CompareDirection::eq})->refusal(Rule::transpose),
            "the result of a comparison is bool, which has no cotangent");
}

TEST(compare, types_its_rules) { EXPECT_EQ(mistyped_rules(Compare::examples()), std::vector<std::string>{}); }

}  // namespace
}  // namespace tutti
