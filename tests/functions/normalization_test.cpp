// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/normalization.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/functions/on_one_device.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

const Tensor rows(Shape{2, 2}, std::vector<double>{1, 3, 10, 10});

TEST(layer_norm, has_mean_0_and_variance_1_before_it_is_scaled) {
  const Tensor found =
      on_one_device({rows}, [](const Arrays& a) { return layer_norm(a[0], {.epsilon = 0.25}); });
  const double size = 1 / std::sqrt(1.25);
  EXPECT_NEAR(found.at(0), -size, 1e-15);
  EXPECT_NEAR(found.at(1), size, 1e-15);
  EXPECT_EQ(found.at(2), 0);
  const Tensor scaled = on_one_device({rows, doubles({2, 4}), doubles({100, 200})}, [](const Arrays& a) {
    return layer_norm(a[0], a[1], a[2], {.epsilon = 0.25});
  });
  EXPECT_NEAR(scaled.at(0), 100 - 2 * size, 1e-13);
  EXPECT_NEAR(scaled.at(3), 200, 1e-13);
}

TEST(rms_norm, divides_by_the_root_of_the_mean_square) {
  const Tensor found = on_one_device({rows, doubles({2, 4})},
                                     [](const Arrays& a) { return rms_norm(a[0], a[1], {.epsilon = 4}); });
  EXPECT_NEAR(found.at(0), 2 * 1 / 3.0, 1e-15);
  EXPECT_NEAR(found.at(1), 4 * 3 / 3.0, 1e-15);
  const Tensor over_all =
      on_one_device({rows}, [](const Arrays& a) { return rms_norm(a[0], {.dims = {0, 1}, .epsilon = 0}); });
  EXPECT_NEAR(over_all.at(3), 10 / std::sqrt(52.5), 1e-15);
}

TEST(rms_norm, of_bf16_is_computed_in_f32) {
  Program program =
      trace({Type(DType::bf16, {2, 8})}, [](const Arrays& x) { return Arrays{rms_norm(x[0])}; }).program;
  EXPECT_EQ(program.type(program.outputs[0]), Type(DType::bf16, {2, 8}));
  EXPECT_EQ(program.type(program.equations[0].results[0]), Type(DType::f32, {2, 8}));
}

TEST(normalization, refuses_complex_numbers_and_dims_out_of_range) {
  const auto refusal = [](DType dtype, const NormalizationOptions& options) {
    return refusal_of([&] {
      trace({Type(dtype, {2, 3})}, [&](const Arrays& x) { return Arrays{rms_norm(x[0], options)}; });
    });
  };
  EXPECT_EQ(
      refusal(DType::complex64, {}),
      "T007: rms_norm: complex64[2,3] is complex; normalise its parts: rms_norm(real(x)), rms_norm(imag(x))");
  EXPECT_EQ(refusal(DType::f32, {.dims = 2}),
            "T006: rms_norm: dim 2 is out of range for f32[2,3], which has dims -2 to 1");
  EXPECT_EQ(refusal_of([] {
              trace({Type(DType::complex64, {2})}, [](const Arrays& x) { return Arrays{layer_norm(x[0])}; });
            }).substr(0, 17),
            "T007: layer_norm:");
}

}  // namespace
}  // namespace tutti
