// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/constant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/refusal.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

template <class F>
std::string text_of(F function) {
  return program_text({}, [&](const Arrays&) { return function(); });
}

TEST(constant, stands_in_the_program_with_its_value_and_the_type_of_cpp) {
  EXPECT_EQ(text_of([] { return constant(0.1F); }),
            "program() {\n  %0: f32[] = constant{value=0.1}\n  return %0\n}\n");
  EXPECT_EQ(text_of([] { return constant(true); }),
            "program() {\n  %0: bool[] = constant{value=true}\n  return %0\n}\n");
}

TEST(constant, prints_its_first_eight_elements) {
  EXPECT_EQ(to_string(Op(Constant{Tensor({2, 2}, std::vector<std::int32_t>{1, -2, 3, 4})})),
            "constant{value=[1, -2, 3, 4]}");
  EXPECT_EQ(to_string(Op(Constant{Tensor({9}, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9})})),
            "constant{value=[1, 2, 3, 4, 5, 6, 7, 8, ..]}");
  EXPECT_EQ(to_string(Op(Constant{Tensor({0}, std::vector<float>{})})), "constant{value=[]}");
}

TEST(constant, compares_by_bits) {
  EXPECT_NE(Constant{Tensor::scalar(0.0)}, Constant{Tensor::scalar(-0.0)});
  EXPECT_EQ(Constant{Tensor::scalar(std::nan(""))}, Constant{Tensor::scalar(std::nan(""))});
  EXPECT_NE(Constant{Tensor::scalar(1)}, Constant{Tensor::scalar(1.0F)});
}

TEST(constant, is_the_same_in_every_lane) {
  Builder builder;
  BatchedArrays batched = Constant{Tensor::scalar(2.0)}.batch(fresh_axis("lanes", 3), {}, {});
  EXPECT_FALSE(batched[0].batched);
  EXPECT_EQ(batched[0].array.type(), Type(DType::f64, {}));
}

TEST(constant, has_no_transpose) {
  EXPECT_EQ(Op(Constant{Tensor::scalar(2.0)})->refusal(Rule::transpose),
            "a constant depends on nothing that one could differentiate by");
}

TEST(constant, types_its_rules) {
  EXPECT_EQ(mistyped_rules(Constant::examples()), std::vector<std::string>{});
}

TEST(constant, is_refused_outside_a_trace) {
  EXPECT_EQ(refusal_of([] { constant(1.0F); }), "T011: constant: " + nothing_traced);
}

TEST(full, broadcasts_a_scalar_of_the_dtype) {
  EXPECT_EQ(text_of([] { return full({2, 3}, 7, DType::f32); }),
            "program() {\n"
            "  %0: f32[] = constant{value=7}\n"
            "  %1: f32[2,3] = broadcast_in_dim{to=[2,3], dims=[]} %0\n"
            "  return %1\n}\n");
}

TEST(full, of_a_scalar_shape_is_the_constant_alone) {
  EXPECT_EQ(text_of([] { return full({}, 0.5, DType::f64); }),
            "program() {\n  %0: f64[] = constant{value=0.5}\n  return %0\n}\n");
}

TEST(full, rounds_once) {
  EXPECT_EQ(text_of([] { return full({}, 0.1, DType::f32); }),
            "program() {\n  %0: f32[] = constant{value=0.1}\n  return %0\n}\n");
}

TEST(full, rejects_a_floating_point_number_in_integers) {
  EXPECT_EQ(refusal_of([] { text_of([] { return full({2}, 0.5, DType::i32); }); }),
            "T008: full: the number 0.5 does not fit i32; write a whole number without a point, or convert "
            "to a float "
            "dtype");
}

TEST(full, rejects_an_integer_out_of_range) {
  EXPECT_EQ(
      refusal_of([] { text_of([] { return full({2}, std::int64_t{1} << 31, DType::i32); }); }),
      "T008: full: the number 2147483648 does not fit i32; write one that is nearer to 0, or convert to i64");
}

TEST(full, keeps_the_smallest_integer) {
  EXPECT_EQ(as_scalar(-(std::int64_t{1} << 31), DType::i32),
            Tensor::scalar(std::numeric_limits<std::int32_t>::min()));
}

TEST(full, rejects_a_number_in_bool) {
  EXPECT_EQ(refusal_of([] { text_of([] { return full({2}, 1, DType::boolean); }); }),
            "T008: full: the number 1 does not fit bool; write true or false");
}

TEST(full, rejects_a_bool_in_numbers) {
  EXPECT_EQ(refusal_of([] { text_of([] { return full({2}, true, DType::f32); }); }),
            "T008: full: the number true does not fit f32; write 0 or 1");
}

TEST(ones, of_bool_are_true) {
  EXPECT_EQ(text_of([] { return ones({}, DType::boolean); }),
            "program() {\n  %0: bool[] = constant{value=true}\n  return %0\n}\n");
}

TEST(zeros, exist_in_every_dtype) {
  for (DType dtype : all_dtypes()) {
    Builder builder;
    EXPECT_EQ(zeros({2, 0}, dtype).type(), Type(dtype, {2, 0}));
  }
}

TEST(zeros_like, take_dtype_and_shape_but_no_states) {
  Axis a = example_mesh().axes()[0];
  Builder builder;
  Array x = builder.input(Type(DType::i64, {3}, {{a, unreduced}}));
  EXPECT_EQ(zeros_like(x).type(), Type(DType::i64, {3}));
  EXPECT_EQ(ones_like(x).type(), Type(DType::i64, {3}));
}

TEST(zeros_like, rejects_a_number) {
  EXPECT_EQ(refusal_of([] { text_of([] { return zeros_like(1.0F); }); }),
            "T008: zeros_like: no operand is an array; compute with numbers in C++");
}

TEST(constant, prints_no_sign_of_nan) {
  const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
  auto text = [](const Tensor& value) { return Constant{value}.parameters()[0].second; };
  EXPECT_EQ(text(Tensor::scalar(nan)), "nan");
  EXPECT_EQ(text(Tensor::scalar_of(DType::f16, nan)), "nan");
  EXPECT_EQ(text(Tensor::scalar(std::complex<double>(1, nan))), "(1, nan)");
}

}  // namespace
}  // namespace tutti
