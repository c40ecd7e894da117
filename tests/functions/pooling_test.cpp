// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/pooling.hpp"

#include <gtest/gtest.h>

#include "tests/functions/on_one_device.hpp"
#include "tests/support/tracing.hpp"

namespace tutti {
namespace {

// One image of 3 x 4 points with 1 feature.
const Tensor image(Shape{1, 3, 4, 1}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});

Tensor pooled(const std::function<Array(const Array&)>& function) {
  return on_one_device({image}, [&](const Arrays& a) { return function(a[0]); });
}
Tensor points(const Shape& shape, const std::vector<float>& values) { return Tensor(shape, values); }

TEST(max_pool, takes_the_largest_of_each_window_of_an_image) {
  EXPECT_EQ(pooled([](const Array& x) { return max_pool(x, {2, 2}); }),
            points({1, 2, 3, 1}, {6, 7, 8, 10, 11, 12}));
  EXPECT_EQ(pooled([](const Array& x) { return max_pool(x, {2, 2}, {.strides = {2, 2}}); }),
            points({1, 1, 2, 1}, {6, 8}));
  EXPECT_EQ(pooled([](const Array& x) {
              return max_pool(x, {2, 2}, {.strides = {2, 2}, .padding = WindowPadding::same});
            }),
            points({1, 2, 2, 1}, {6, 8, 10, 12}));
}

TEST(min_pool, takes_the_smallest_and_no_padding) {
  EXPECT_EQ(pooled([](const Array& x) {
              return min_pool(x, {2, 2}, {.strides = {2, 2}, .padding = {{1, 0}, {0, 0}}});
            }),
            points({1, 2, 2, 1}, {1, 3, 5, 7}));
}

TEST(avg_pool, counts_padding_in_the_mean_unless_told_otherwise) {
  PoolOptions options{.strides = {2, 2}, .padding = WindowPadding::same};
  EXPECT_EQ(pooled([&](const Array& x) { return avg_pool(x, {2, 2}, options); }),
            points({1, 2, 2, 1}, {3.5F, 5.5F, 4.75F, 5.75F}));
  options.count_include_pad = false;
  EXPECT_EQ(pooled([&](const Array& x) { return avg_pool(x, {2, 2}, options); }),
            points({1, 2, 2, 1}, {3.5F, 5.5F, 9.5F, 11.5F}));
}

TEST(max_pool, takes_an_image_without_a_batch_dim_and_lines) {
  EXPECT_EQ(on_one_device({points({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})},
                          [](const Arrays& a) { return max_pool(a[0], {3}); }),
            points({2, 2}, {5, 6, 7, 8}));
}

TEST(pools, refuse_windows_without_features_means_of_integers_and_short_lists) {
  const auto refusal = [](const Type& x, const std::function<Array(const Array&)>& function) {
    return refusal_of([&] { trace({x}, [&](const Arrays& a) { return Arrays{function(a[0])}; }); });
  };
  EXPECT_EQ(
      refusal(Type(DType::f32, {3, 4}), [](const Array& x) { return max_pool(x, {2, 2}); }),
      "T006: max_pool: window [2, 2] for f32[3,4]; it stands before the last dim, which has the features "
      "(reduce_window_c4)");
  EXPECT_EQ(refusal(Type(DType::i32, {3, 4}), [](const Array& x) { return avg_pool(x, {2}); }),
            "T007: avg_pool: i32[3,4] has no means of its dtype; convert it first: convert(x, DType::f32)");
  EXPECT_EQ(refusal(Type(DType::f32, {3, 4}),
                    [](const Array& x) { return max_pool(x, {2}, {.strides = {2, 2}}); }),
            "T006: max_pool: strides [2, 2] for 1 dim (reduce_window_c6); give one for each");
  EXPECT_EQ(refusal(Type(DType::f32, {3, 4}),
                    [](const Array& x) { return max_pool(x, {2}, {.padding = {{1, 1}, {0, 0}}}); }),
            "T006: max_pool: 2 pairs of padding for 1 dim that windows move along (reduce_window_c12)");
}

}  // namespace
}  // namespace tutti
