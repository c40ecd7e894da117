// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/tensor.hpp"

#include <gtest/gtest.h>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

TEST(tensor, starts_with_zeros_on_a_cache_line) {
  for (DType dtype : all_dtypes()) {
    const Tensor tensor(Shape{3, 5}, dtype);
    EXPECT_EQ(tensor.elements(), 15);
    EXPECT_EQ(tensor.bytes(), 15 * bytes_per_element(dtype));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data()) % 64, 0U);
    for (std::size_t i = 0; i < tensor.bytes(); ++i) EXPECT_EQ(tensor.data()[i], std::byte{0});
  }
}

TEST(tensor, shares_its_elements_with_copies_and_other_shapes) {
  const Tensor tensor(Shape{2, 3}, std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  const Tensor copy = tensor, flat = tensor.reshaped(Shape{6});
  EXPECT_EQ(copy.data(), tensor.data());
  EXPECT_EQ(flat.data(), tensor.data());
  EXPECT_EQ(flat.shape(), Shape{6});
}

TEST(tensor, is_copied_when_one_of_two_owners_writes) {
  Tensor first(Shape{2}, std::vector<float>{1, 2}), second = first;
  second.mutable_data<float>()[0] = 3;
  EXPECT_EQ(first.at(0), 1);
  EXPECT_EQ(second.at(0), 3);
}

TEST(tensor, gives_elements_as_doubles) {
  EXPECT_EQ(Tensor::scalar(std::uint8_t{200}).at(0), 200);
  EXPECT_EQ(Tensor::scalar(std::int8_t{-100}).at(0), -100);
  EXPECT_EQ(Tensor::scalar(f16(0.1F)).at(0), 0x1.998p-4);
  EXPECT_EQ(Tensor::scalar(bf16(0.1F)).at(0), 0x1.9ap-4);
  EXPECT_THROW(Tensor::scalar(std::complex<float>(1, 2)).at(0), Error);
}

TEST(tensor, is_equal_by_dtype_shape_and_bits) {
  const Tensor zero = Tensor::scalar(0.0), nan = Tensor::scalar(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(nan == nan.reshaped(Shape{}));
  EXPECT_FALSE(zero == Tensor::scalar(-0.0));
  EXPECT_FALSE(zero == zero.reshaped(Shape{1}));
  EXPECT_FALSE(Tensor::scalar(0.0F) == Tensor::scalar(std::int32_t{0}));
}

TEST(tensor, rounds_a_number_once_to_its_dtype) {
  EXPECT_TRUE(Tensor::scalar_of(DType::f32, 0.1) == Tensor::scalar(0.1F));
  EXPECT_TRUE(Tensor::scalar_of(DType::boolean, std::int64_t{7}) == Tensor::scalar(true));
  EXPECT_TRUE(Tensor::scalar_of(DType::i64, std::int64_t{1} << 60) == Tensor::scalar(std::int64_t{1} << 60));
}

TEST(tensor, refuses_values_that_do_not_fill_its_shape) {
  try {
    const Tensor tensor(Shape{2, 3}, std::vector<float>{1, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::shape);
    EXPECT_EQ(error.message(), "tensor: 2 values for shape [2,3], which has 6 elements; hand in 6");
  }
  EXPECT_THROW(Tensor(Shape{4}, DType::f32).reshaped(Shape{5}), Error);
}

TEST(tensor, refuses_more_memory_than_there_is) {
  try {
    const Tensor tensor(Shape{1 << 20, 1 << 20, 1 << 10}, DType::f64);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::memory);
  }
}

}  // namespace
}  // namespace tutti
