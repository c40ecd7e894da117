// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/fft/fft.hpp"

#include <gtest/gtest.h>

#include "tests/functions/made.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace tutti {
namespace {

const Type volume(DType::f32, {2, 3, 4, 5}), row(DType::f32, {4});

TEST(fft_of_dims, more_than_three_are_two_ops) {
  EXPECT_EQ(equations({volume}, "fft", [](const Arrays& x) { return fftn(x[0]); }), 2);
  EXPECT_EQ(equations({volume}, "fft", [](const Arrays& x) { return rfftn(x[0], {.dims = {1, 3, 0}}); }), 1);
}

TEST(fft_of_dims, last_ones_are_neither_moved_nor_resized) {
  EXPECT_EQ(program_text({volume}, [](const Arrays& x) { return rfft2(x[0]); }),
            "program(%0: f32[2,3,4,5]) {\n"
            "  %1: complex64[2,3,4,3] = fft{kind=rfft, lengths=[4, 5]} %0\n"
            "  return %1\n}\n");
}

TEST(fft_of_dims, integers_and_halves_become_complex64) {
  for (DType dtype : {DType::i32, DType::i64, DType::bf16, DType::boolean, DType::f32, DType::complex64})
    EXPECT_NE(program_text({Type(dtype, {3})}, [](const Arrays& x) { return fft(x[0]); })
                  .find(": complex64[3] = fft{kind=fft, lengths=[3]}"),
              std::string::npos);
}

TEST(fft_of_dims, refuses_what_it_cannot_transform) {
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return fft(x[0], {.n = 0}); }),
            "T005: fft: a transform of 0 elements along a dim, of f32[4]; use one or more");
  EXPECT_EQ(refused({Type(DType::complex64, {1})}, [](const Arrays& x) { return irfft(x[0]); }),
            "T005: irfft: a transform of 0 elements along a dim, of complex64[1]; use one or more");
  EXPECT_EQ(refused({row}, [](const Arrays& x) { return fft(x[0], {.dim = 1}); }).substr(0, 10),
            "T006: fft:");
  EXPECT_EQ(refused({volume}, [](const Arrays& x) { return fftn(x[0], {.dims = {1, -3}}); }).substr(0, 11),
            "T006: fftn:");
  EXPECT_EQ(refused({volume}, [](const Arrays& x) { return fftn(x[0], {.sizes = {4}, .dims = {1, 2}}); }),
            "T005: fftn: 1 size for 2 dims; give one size per dim");
  EXPECT_EQ(refused({volume}, [](const Arrays& x) { return fft2(x[0], {.dims = {0, 1, 2}}); }),
            "T006: fft2: 3 dims are named; fftn takes any number of them");
  EXPECT_EQ(refused({Type(DType::complex64, {4})}, [](const Arrays& x) { return rfft(x[0]); }).substr(0, 11),
            "T007: rfft:");
}

TEST(fftfreq, has_the_numbers_of_numpy) {
  EXPECT_EQ(fftfreq(5, 0.1, DType::f64).values<double>(), (std::vector<double>{0, 2, 4, -4, -2}));
  EXPECT_EQ(fftfreq(4).values<float>(), (std::vector<float>{0, 0.25F, -0.5F, -0.25F}));
  EXPECT_EQ(rfftfreq(4).values<float>(), (std::vector<float>{0, 0.25F, 0.5F}));
  EXPECT_EQ(rfftfreq(5, 0.2).values<float>(), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(fftfreq(1).values<float>(), (std::vector<float>{0}));
  EXPECT_EQ(refusal_of([] { fftfreq(0); }), "T005: fftfreq: 0 elements have no frequencies; use one or more");
  EXPECT_EQ(refusal_of([] { fftfreq(std::int64_t{1} << 60); }),
            "T005: tensor: shape [1152921504606846976] has more than 2^58 elements; make its sizes smaller");
  EXPECT_EQ(refusal_of([] { fftfreq(std::int64_t{1} << 57); }).substr(0, 4), "R003");
  EXPECT_EQ(refusal_of([] { rfftfreq(4, 1, DType::i32); }),
            "T007: rfftfreq: frequencies are f32 or f64, not i32; convert them");
}

TEST(fftshift, moves_frequency_0_to_the_middle_and_back) {
  const Tensor five = counted_i32({5}), four = counted_i32({2, 4});
  auto there = [](const Arrays& x) { return fftshift(x[0]); };
  auto back = [](const Arrays& x) { return ifftshift(fftshift(x[0])); };
  EXPECT_EQ(made({five}, there), numbers({5}, {4, 5, 1, 2, 3}));
  EXPECT_EQ(made({four}, there), numbers({2, 4}, {7, 8, 5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(made({five}, back), five);
  EXPECT_EQ(made({four}, [](const Arrays& x) { return ifftshift(x[0], {1}); }),
            numbers({2, 4}, {3, 4, 1, 2, 7, 8, 5, 6}));
}

TEST(fft_without_ducc, is_refused_when_it_is_compiled) {
  if (has_fft()) GTEST_SKIP() << "this build has ducc";
  EXPECT_EQ(refusal_of([] {
              made({Tensor({4}, {1.F, 2.F, 3.F, 4.F})}, [](const Arrays& x) { return real(fft(x[0])); });
            }),
            "R004: fft: this library was built without ducc, which computes it; build it with "
            "-DTUTTI_DUCC=folder of ducc's sources (tools/setup fetches them)");
}

}  // namespace
}  // namespace tutti
