// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/fft.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace tutti {
namespace {

using Complex = std::complex<double>;

Tensor complexes(const Shape& shape, const std::vector<Complex>& values) { return {shape, values}; }

class fft_op : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  }
};

TEST_F(fft_op, has_the_numbers_of_the_definition) {
  const Tensor x = complexes({4}, {1, 2, 3, 4});
  EXPECT_EQ(computed(Fft{FftKind::fft, {4}}, {x})[0],
            complexes({4}, {Complex(10, 0), Complex(-2, 2), Complex(-2, 0), Complex(-2, -2)}));
  EXPECT_EQ(computed(Fft{FftKind::ifft, {4}}, {x})[0],
            complexes({4}, {Complex(2.5, 0), Complex(-0.5, -0.5), Complex(-0.5, 0), Complex(-0.5, 0.5)}));
}

TEST_F(fft_op, of_reals_keeps_half_and_gives_it_back) {
  const Tensor x(Shape{2, 2}, std::vector<double>{1, 2, 3, 5});
  const Tensor spectrum = complexes({2, 2}, {11, -3, -5, 1});
  EXPECT_EQ(computed(Fft{FftKind::rfft, {2, 2}}, {x})[0], spectrum);
  EXPECT_EQ(computed(Fft{FftKind::irfft, {2, 2}}, {spectrum})[0], x);
}

TEST_F(fft_op, of_halves_ignores_the_imaginary_parts_of_the_ends) {
  const Tensor with = complexes({3}, {Complex(4, 9), Complex(1, 2), Complex(3, -7)});
  const Tensor without = complexes({3}, {4, Complex(1, 2), 3});
  EXPECT_EQ(computed(Fft{FftKind::irfft, {4}}, {with})[0], computed(Fft{FftKind::irfft, {4}}, {without})[0]);
}

TEST_F(fft_op, of_no_arrays_is_none) {
  EXPECT_EQ(computed(Fft{FftKind::rfft, {4}}, {Tensor(Shape{0, 4}, DType::f32)})[0],
            Tensor(Shape{0, 3}, DType::complex64));
}

TEST_F(fft_op, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Fft::examples()), std::vector<std::string>{});
}

const Type row(DType::complex64, {2, 6}), reals(DType::f32, {2, 6});

TEST(fft_types, rejects_no_and_four_lengths_c1) {
  EXPECT_EQ(refusal_of(Fft{FftKind::fft, {}}, {row}),
            "T006: 0 dims are transformed; one to three can be (fft_c1)");
  EXPECT_EQ(refusal_of(Fft{FftKind::fft, {1, 1, 2, 6}}, {row}),
            "T006: 4 dims are transformed; one to three can be (fft_c1)");
}

TEST(fft_types, rejects_more_lengths_than_dims_c2) {
  EXPECT_EQ(refusal_of(Fft{FftKind::fft, {1, 2, 6}}, {row}),
            "T006: complex64[2,6] has 2 dims, and 3 are transformed (fft_c2); reshape it");
}

TEST(fft_types, rejects_other_elements_c3) {
  EXPECT_EQ(refusal_of(Fft{FftKind::fft, {6}}, {reals}),
            "T007: f32[2,6] is not of complex numbers (fft_c3); use rfft, or convert it: convert(x, "
            "DType::complex64)");
  EXPECT_EQ(refusal_of(Fft{FftKind::irfft, {6}}, {reals}),
            "T007: f32[2,6] is not of complex numbers (fft_c3); convert it: convert(x, DType::complex64)");
  EXPECT_EQ(refusal_of(Fft{FftKind::rfft, {6}}, {row}),
            "T007: complex64[2,6] is neither f32 nor f64 (fft_c3); use fft, or the parts: real(x), imag(x)");
  EXPECT_EQ(refusal_of(Fft{FftKind::rfft, {6}}, {Type(DType::bf16, {2, 6})}),
            "T007: bf16[2,6] is neither f32 nor f64 (fft_c3); convert it: convert(x, DType::f32)");
}

TEST(fft_types, rejects_sizes_that_are_not_the_lengths_c4_c5) {
  EXPECT_EQ(refusal_of(Fft{FftKind::fft, {2, 5}}, {row}),
            "T005: the last dims of complex64[2,6] are not [2, 5] (fft_c4); slice or pad them");
  EXPECT_EQ(refusal_of(Fft{FftKind::irfft, {6}}, {row}),
            "T005: the last dims of complex64[2,6] are not [4] (fft_c5); slice or pad them");
  EXPECT_EQ(refusal_of(Fft{FftKind::fft, {0}}, {Type(DType::complex64, {0})}),
            "T005: a transform of 0 elements (fft_c4); use one or more");
}

TEST(fft_types, half_of_the_last_dim_is_cut) {
  EXPECT_EQ(program_text({reals},
                         [](const Arrays& x) { return apply_one(Fft{FftKind::rfft, {2, 6}}, {x[0]}); }),
            "program(%0: f32[2,6]) {\n"
            "  %1: complex64[2,4] = fft{kind=rfft, lengths=[2, 6]} %0\n"
            "  return %1\n}\n");
}

}  // namespace
}  // namespace tutti
