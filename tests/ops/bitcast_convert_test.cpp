// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/bitcast_convert.hpp"

#include <gtest/gtest.h>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

const Type row(DType::f32, {2});

TEST(bitcast_convert, keeps_the_bits) {
  EXPECT_EQ(computed(BitcastConvert{DType::i32}, {Tensor(Shape{2}, std::vector<float>{1, -0.0F})})[0],
            Tensor(Shape{2},
                   std::vector<std::int32_t>{0x3F800000, std::numeric_limits<std::int32_t>::min()}));
}

TEST(bitcast_convert, splits_wide_elements_and_joins_narrow_ones_low_half_first) {
  Tensor wide(Shape{1}, std::vector<std::int64_t>{(std::int64_t{7} << 32) + 5}),
      narrow(Shape{1, 2}, std::vector<std::int32_t>{5, 7});
  EXPECT_EQ(computed(BitcastConvert{DType::i32}, {wide})[0], narrow);
  EXPECT_EQ(computed(BitcastConvert{DType::i64}, {narrow})[0], wide);
}

TEST(bitcast_convert, rejects_a_last_dim_of_another_size_c1) {
  EXPECT_EQ(refusal_of(BitcastConvert{DType::f64}, {Type(DType::f32, {3})}),
            "T005: f32[3] does not end in a dim of 2 elements, which make one f64 (bitcast_convert_c1); "
            "reshape it first");
}

TEST(bitcast_convert, rejects_bool) {
  EXPECT_EQ(refusal_of(BitcastConvert{DType::boolean}, {row}),
            "T007: from f32 to bool: a bool is one bit, however it is stored; convert it: convert(x, "
            "DType::boolean)");
}

TEST(bitcast_convert, rejects_the_dtype_that_is_there) {
  EXPECT_EQ(refusal_of(BitcastConvert{DType::f32}, {row}),
            "T007: f32[2] has this dtype already; leave the conversion out");
  EXPECT_EQ(program_text({row}, [](const Arrays& x) { return bitcast_convert(x[0], DType::f32); }),
            "program(%0: f32[2]) {\n  return %0\n}\n");
}

TEST(bitcast_convert, to_integers_is_a_constant_to_derivatives) {
  auto bits = [](const Arrays& x) { return Arrays{bitcast_convert(x[0], DType::i32)}; };
  EXPECT_EQ(jvp(trace({row}, bits).program, {true}).nonzero, Bits{false});
}

TEST(bitcast_convert, to_floats_refuses_its_derivative) {
  Program program =
      trace({row}, [](const Arrays& x) { return Arrays{bitcast_convert(x[0], DType::f64)}; }).program;
  EXPECT_EQ(refusal_of([&] { jvp(program, {true}); }),
            "T010: bitcast_convert: jvp is refused: the bits of a "
            "number do not follow it smoothly; take them of stop_gradient(x)");
}

TEST(bitcast_convert, types_its_rules) {
  EXPECT_EQ(mistyped_rules(BitcastConvert::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
