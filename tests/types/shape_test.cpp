// SPDX-License-Identifier: Apache-2.0
#include "tutti/types/shape.hpp"

#include <gtest/gtest.h>

#include "tutti/types/dtype.hpp"

namespace tutti {
namespace {

TEST(shape, counts_its_elements) {
  EXPECT_EQ(Shape({3, 4}).elements(), 12);
  EXPECT_EQ(Shape({3, 0, 4}).elements(), 0);
  EXPECT_EQ(Shape().elements(), 1);
}

TEST(shape, is_changed_by_value) {
  Shape shape{3, 4};
  EXPECT_EQ(shape.with(Dim{1}, 7), (Shape{3, 7}));
  EXPECT_EQ(shape.inserted(Dim{0}, 7), (Shape{7, 3, 4}));
  EXPECT_EQ(shape.inserted(Dim{2}, 7), (Shape{3, 4, 7}));
  EXPECT_EQ(shape.erased(Dim{0}), (Shape{4}));
  EXPECT_EQ(shape, (Shape{3, 4}));
}

TEST(shape, prints_its_sizes) {
  EXPECT_EQ(to_string(Shape{3, 4}), "3,4");
  EXPECT_EQ(to_string(Shape{}), "");
}

TEST(dtype, is_found_by_its_name) {
  for (DType dtype : all_dtypes()) EXPECT_EQ(dtype_named(name(dtype)), dtype) << name(dtype);
  EXPECT_EQ(dtype_named("float32"), std::nullopt);
  EXPECT_EQ(dtype_named(""), std::nullopt);
}

TEST(dtype, is_complex_float_integer_or_bool) {
  for (DType dtype : all_dtypes())
    EXPECT_EQ(is_complex(dtype) + is_float(dtype) + is_integer(dtype) + (dtype == DType::boolean), 1)
        << name(dtype);
}

TEST(dtype, has_the_bytes_of_its_cpp_type) {
  EXPECT_EQ(bytes_per_element(dtype_of<bool>()), 1U);
  EXPECT_EQ(bytes_per_element(dtype_of<std::int32_t>()), sizeof(std::int32_t));
  EXPECT_EQ(bytes_per_element(dtype_of<std::int64_t>()), sizeof(std::int64_t));
  EXPECT_EQ(bytes_per_element(dtype_of<float>()), sizeof(float));
  EXPECT_EQ(bytes_per_element(dtype_of<double>()), sizeof(double));
}

}  // namespace
}  // namespace tutti
