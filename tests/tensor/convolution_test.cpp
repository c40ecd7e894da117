// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/inside.hpp"
#include "tutti/tensor/windows/convolution_product.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/windows/float_convolution.hpp"
#include "tutti/tensor/windows/plain_convolution.hpp"

namespace tutti {
namespace {

using Window = ConvolutionShape::Window;
using Bytes = std::vector<std::byte>;
using Strides = ConvolutionDims (*)(const ConvolutionDims&);

// Features first: group, feature and outer, as jax.lax has them for one group.
ConvolutionDims features_first(const ConvolutionDims& sizes) {
  ConvolutionDims strides;
  strides.spatial.resize(sizes.spatial.size());
  std::int64_t next = 1;
  for (std::size_t i = sizes.spatial.size(); i-- > 0; next *= sizes.spatial[i]) strides.spatial[i] = next;
  strides.feature = next;
  strides.group = next * sizes.feature;
  strides.outer = strides.group * sizes.group;
  return strides;
}

ConvolutionShape laid(ConvolutionShape shape, Strides strides) {
  shape.input = strides(shape.input_sizes());
  shape.kernel =
      strides == features_last ? matrices_by_group(shape.kernel_sizes()) : strides(shape.kernel_sizes());
  shape.result = strides(shape.result_sizes());
  return shape;
}

/// Sizes of one spatial dim whose result is what low and high give.
Window window(std::int64_t in, std::int64_t kernel, Window w, std::int64_t high = 0) {
  w.in = in;
  w.kernel = kernel;
  const std::int64_t padded = w.low + (in - 1) * w.in_dilation + 1 + high;
  w.out = (padded - ((kernel - 1) * w.kernel_dilation + 1)) / w.stride + 1;
  return w;
}

std::vector<ConvolutionShape> shapes() {
  const Window none{};
  const std::vector<ConvolutionShape> sizes{
      {1, 1, 1, 1, {window(1, 1, none)}, {}, {}, {}},
      {1, 3, 2, 5, {window(9, 3, none)}, {}, {}, {}},
      {1, 2, 3, 4, {window(7, 3, {.low = 1}, 1), window(8, 2, {.stride = 2})}, {}, {}, {}},
      {1, 2, 17, 19, {window(9, 3, {.low = 1}, 1), window(9, 3, {.low = 1}, 1)}, {}, {}, {}},
      {3, 2, 2, 4, {window(5, 2, none), window(6, 3, {.low = 2}, -1)}, {}, {}, {}},
      {8, 2, 1, 1, {window(6, 3, {.low = 1}, 1), window(6, 3, {.low = 1}, 1)}, {}, {}, {}},
      {1,
       1,
       4,
       6,
       {window(40, 3, {.stride = 3, .low = -2}, 2), window(9, 3, {.in_dilation = 2})},
       {},
       {},
       {}},
      {1, 2, 3, 4, {window(9, 3, {.low = 3, .kernel_dilation = 2, .reversed = true}, 3)}, {}, {}, {}},
      {2,
       2,
       3,
       2,
       {window(4, 2, {.stride = 2, .low = 5, .in_dilation = 3, .reversed = true}, 4)},
       {},
       {},
       {}},
      {1, 5, 8, 6, {window(12, 10, {.low = 1}, 1), window(12, 10, none)}, {}, {}, {}},  // a gradient's form
      {2, 4, 3, 5, {window(9, 7, {.low = 1, .kernel_dilation = 1}, 1)}, {}, {}, {}},
      {1, 4, 6, 3, {window(13, 6, {.stride = 1, .low = 1, .kernel_dilation = 2}, 0)}, {}, {}, {}},
      {1, 2, 2, 3, {window(4, 2, none), window(5, 3, {.low = 1}), window(4, 2, {.stride = 2})}, {}, {}, {}},
      {1, 1, 2, 3, {window(3, 1, {.low = 4}, 4)}, {}, {}, {}},  // some windows see nothing
      {1,
       2,
       3,
       4,
       {window(6, 3, {.stride = 2}), window(5, 2, {.stride = 2})},
       {},
       {},
       {}},  // ends before the input
      // Gradients by the input of a convolution with strides.
      {1,
       2,
       5,
       3,
       {window(4, 3, {.low = 1, .in_dilation = 2, .reversed = true}, 2), window(6, 2, {.low = 1})},
       {},
       {},
       {}},
      {2, 3, 2, 2, {window(4, 3, {.low = 2, .in_dilation = 3, .kernel_dilation = 2}, 1)}, {}, {}, {}},
      {1, 2, 4, 3, {window(4, 2, {.low = -2, .in_dilation = 2, .reversed = true}, 1)}, {}, {}, {}},
      {1, 2, 4, 3, {window(4, 2, {.low = 3, .in_dilation = 2}, 3)}, {}, {}, {}},
      {1, 3, 7, 3, {window(49, 34, {.stride = 3, .low = 5})}, {}, {}, {}},  // the last elements are not seen
  };
  std::vector<ConvolutionShape> all;
  for (const ConvolutionShape& shape : sizes)
    for (const Strides strides : {features_last, outer_last, features_first})
      all.push_back(laid(shape, strides));
  return all;
}

Bytes random_elements(DType dtype, std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> floats(static_cast<std::size_t>(n));
  for (float& x : floats) x = static_cast<float>(static_cast<int>(random() % 9) - 4);
  Bytes elements(static_cast<std::size_t>(n) * bytes_per_element(dtype));
  const auto* const from = reinterpret_cast<const std::byte*>(floats.data());
  convert_kernel(DType::f32, dtype)(elements.data(), &from, n);
  return elements;
}

struct Operands {
  Operands(DType dtype, const ConvolutionShape& s)
      : input(random_elements(dtype, s.input_sizes().elements(), 1)),
        kernel(random_elements(dtype, s.kernel_sizes().elements(), 2)) {}
  Bytes input, kernel;
};

/// The result, line block by line block, the last one first.
Bytes result_of(const ConvolutionProduct& product, DType dtype, const ConvolutionShape& s,
                const Operands& operands) {
  const auto [along, count, block] = product.lines();
  Bytes result(static_cast<std::size_t>(s.result_sizes().elements()) * bytes_per_element(dtype),
               std::byte{1});
  Bytes scratch(product.scratch_bytes() + 64, std::byte{0xff});
  for (std::int64_t begin = (count - 1) / block * block; begin >= 0; begin -= block)
    product.run(result.data(), operands.input.data(), operands.kernel.data(), scratch.data(), begin,
                std::min(begin + block, count));
  return result;
}

/// The result as f32, of whole numbers: sums are exact.
Bytes expected(const ConvolutionShape& s) {
  const Operands operands(DType::f32, s);
  Bytes result(static_cast<std::size_t>(s.result_sizes().elements()) * sizeof(float));
  convolve_plainly(DType::f32, s, result.data(), operands.input.data(), operands.kernel.data());
  return result;
}

std::string words(const ConvolutionShape& s) {
  std::string text = std::to_string(s.groups) + " groups";
  for (const Window& w : s.windows) text += " " + std::to_string(w.in) + "/" + std::to_string(w.kernel);
  return text;
}

TEST(convolution_product, is_the_sum_over_the_windows_in_every_dtype) {
  for (const ConvolutionShape& s : shapes()) {
    const Bytes exact = expected(s);
    const auto* const from = exact.data();
    for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64,
                              DType::i8, DType::complex64, DType::complex128}) {
      Bytes rounded(static_cast<std::size_t>(s.result_sizes().elements()) * bytes_per_element(dtype));
      convert_kernel(DType::f32, dtype)(rounded.data(), &from, s.result_sizes().elements());
      if (dtype == DType::i8) {  // sums wrap
        Bytes wide(static_cast<std::size_t>(s.result_sizes().elements()) * sizeof(std::int32_t));
        convert_kernel(DType::f32, DType::i32)(wide.data(), &from, s.result_sizes().elements());
        const std::byte* const integers = wide.data();
        convert_kernel(DType::i32, DType::i8)(rounded.data(), &integers, s.result_sizes().elements());
      }
      EXPECT_EQ(result_of(ConvolutionProduct(dtype, s), dtype, s, Operands(dtype, s)), rounded)
          << name(dtype) << ", " << words(s);
    }
  }
}

// oneDNN counts in int.
TEST(float_convolution, leaves_sizes_beyond_int_to_others) {
  constexpr std::int64_t far = std::int64_t{1} << 32;
  const ConvolutionShape near = laid({1, 1, 1, 1, {window(3, 2, {.low = 1})}, {}, {}, {}}, features_last),
                         wide = laid({1, 1, 1, 1, {window(1, 1, {.stride = far, .low = far})}, {}, {}, {}},
                                     features_last);
  EXPECT_TRUE(FloatConvolution::takes(DType::f32, near));
  EXPECT_FALSE(FloatConvolution::takes(DType::f32, wide));
}

// 64 images of 0.6 million multiplications are several blocks, and one image of 40 million is blocks of rows.
TEST(convolution_product, has_blocks_of_images_or_rows) {
  const Window same = window(16, 3, {.low = 1}, 1);
  const ConvolutionShape images = laid({1, 64, 16, 16, {same, same}, {}, {}, {}}, features_last);
  const ConvolutionProduct of_images(DType::f32, images);
  EXPECT_EQ(of_images.lines().along, ConvolutionProduct::Lines::Along::images);
  EXPECT_LT(of_images.lines().block, of_images.lines().count);
  EXPECT_EQ(result_of(of_images, DType::f32, images, Operands(DType::f32, images)), expected(images));
  const Window gradient = window(16, 16, {.low = 1}, 1);
  const ConvolutionShape of_kernel = laid({1, 20, 8, 80, {gradient, gradient}, {}, {}, {}}, outer_last);
  const ConvolutionProduct of_features(DType::f32, of_kernel);
  EXPECT_EQ(of_features.lines().along, ConvolutionProduct::Lines::Along::features);
  EXPECT_LT(of_features.lines().block, of_features.lines().count);
  EXPECT_EQ(result_of(of_features, DType::f32, of_kernel, Operands(DType::f32, of_kernel)),
            expected(of_kernel));
  for (const Window& first : {window(65, 3, {.low = 1}, 1), window(65, 3, {.stride = 2, .low = 3}, 1),
                              window(40, 3, {.low = 1, .in_dilation = 2, .kernel_dilation = 2}, 2)}) {
    const ConvolutionShape image =
        laid({1, 1, 32, 32, {first, window(65, 3, {.low = 1}, 1)}, {}, {}, {}}, features_last);
    for (const DType dtype : {DType::f32, DType::f64}) {
      const ConvolutionProduct of_rows(dtype, image);
      EXPECT_EQ(of_rows.lines().along, ConvolutionProduct::Lines::Along::rows);
      EXPECT_LT(of_rows.lines().block, of_rows.lines().count);
      Bytes result = result_of(of_rows, dtype, image, Operands(dtype, image));
      if (dtype == DType::f64) {
        Bytes narrow(result.size() / 2);
        const std::byte* const wide = result.data();
        convert_kernel(dtype, DType::f32)(narrow.data(), &wide, image.result_sizes().elements());
        result = narrow;
      }
      EXPECT_EQ(result, expected(image)) << name(dtype);
    }
  }
}

}  // namespace
}  // namespace tutti
