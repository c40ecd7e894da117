// SPDX-License-Identifier: Apache-2.0
// Tensors of the caller's memory, and of ranges.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/tensor/mdspan.hpp"

namespace tutti {
namespace {

const Tensor expected({2, 2}, std::vector<float>{1, 2, 3, 4});

TEST(tensor, is_made_of_any_contiguous_range) {
  const std::vector<float> vector{1, 2, 3, 4};
  std::array<float, 4> array{1, 2, 3, 4};
  float plain[] = {1, 2, 3, 4};
  EXPECT_EQ(Tensor({2, 2}, vector), expected);
  EXPECT_EQ(Tensor({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}), expected);
  EXPECT_EQ(Tensor({2, 2}, array), expected);
  EXPECT_EQ(Tensor({2, 2}, plain), expected);
  EXPECT_EQ(Tensor({2, 2}, std::span<const float>(vector)), expected);
  EXPECT_EQ(Tensor({2, 2}, std::span<float>(array)), expected);
  EXPECT_EQ(Tensor({2, 2}, std::span<float, 4>(array)), expected);
  EXPECT_EQ(Tensor({2, 2}, std::vector<float>{1, 2, 3, 4}), expected);
  EXPECT_EQ(Tensor({0}, std::span<const float>()).elements(), 0);
}

TEST(tensor, refuses_a_range_of_another_length) {
  const std::array<float, 3> three{1, 2, 3};
  for (const auto& make : {+[](const std::array<float, 3>& a) { return Tensor({2, 2}, a); },
                           +[](const std::array<float, 3>& a) { return Tensor::borrow({2, 2}, a); }})
    try {
      make(three);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.message(), "tensor: 3 values for shape [2,2], which has 4 elements; hand in 4");
      EXPECT_EQ(error.label(), "T005");
    }
}

TEST(borrow, shares_the_memory_and_says_whether_it_may_be_written) {
  std::vector<float> mine{1, 2, 3, 4};
  const std::vector<float>& to_read = mine;
  const Tensor tensor = Tensor::borrow({2, 2}, mine), constant = Tensor::borrow({2, 2}, to_read);
  EXPECT_EQ(tensor.as<float>().data(), mine.data());
  EXPECT_TRUE(tensor.is_lent());
  EXPECT_TRUE(constant.is_lent());
  EXPECT_EQ(tensor, expected);
  EXPECT_EQ(tensor.reshaped({4}).data(), tensor.data());
  EXPECT_FALSE(expected.is_lent());
}

TEST(borrow, is_copied_when_it_is_written) {
  std::vector<float> mine{1, 2, 3, 4};
  Tensor tensor = Tensor::borrow({2, 2}, mine);
  tensor.mutable_data<float>()[0] = 9;
  EXPECT_EQ(mine[0], 1);
  EXPECT_EQ(tensor.as<float>()[0], 9);
  EXPECT_FALSE(tensor.is_lent());
  const float* const own = tensor.as<float>().data();
  tensor.mutable_data<float>()[1] = 8;  // its own by now
  EXPECT_EQ(tensor.as<float>().data(), own);
}

TEST(borrow, releases_the_owner_with_the_last_copy) {
  auto owner = std::make_shared<std::vector<float>>(4, 1.0f);
  const std::weak_ptr<std::vector<float>> seen = owner;
  {
    const Tensor tensor = Tensor::borrow({4}, *owner, owner);
    Tensor copy = tensor;
    owner.reset();
    copy.mutable_data<float>()[0] = 2;
    EXPECT_FALSE(seen.expired());
  }
  EXPECT_TRUE(seen.expired());
}

TEST(borrow, takes_no_elements_from_a_null_pointer) {
  const std::span<float> none;
  Tensor tensor = Tensor::borrow({0, 3}, none);
  EXPECT_EQ(tensor.shape(), (Shape{0, 3}));
  EXPECT_NE(tensor.mutable_bytes(), nullptr);
}

/// std::mdspan of C++23, as far as it is needed.
template <class T>
struct View {
  T* data;
  std::array<std::size_t, 2> sizes, strides;
  T* data_handle() const { return data; }
  static constexpr std::size_t rank() { return 2; }
  std::size_t extent(std::size_t i) const { return sizes[i]; }
  std::size_t stride(std::size_t i) const { return strides[i]; }
};

/// std::mdspan of no dims: std::layout_right has no stride() then, so a call of it does not compile.
struct Scalar {
  float* data;
  float* data_handle() const { return data; }
  static constexpr std::size_t rank() { return 0; }
  static std::size_t extent(std::size_t) { return 1; }
  template <class Size>
  static std::size_t stride(Size) {
    static_assert(sizeof(Size) == 0, "a scalar has no stride");
    return 1;
  }
};

TEST(borrow, takes_a_view_of_no_dims) {
  float mine = 3;
  const Tensor tensor = borrow(Scalar{&mine});
  EXPECT_EQ(tensor.shape(), Shape{});
  EXPECT_EQ(tensor.at(0), 3);
}

TEST(borrow, takes_views_like_mdspan) {
  std::vector<float> mine{1, 2, 3, 4};
  const Tensor tensor = borrow(View<float>{mine.data(), {2, 2}, {2, 1}});
  EXPECT_EQ(tensor, expected);
  EXPECT_EQ(tensor.as<float>().data(), mine.data());
  EXPECT_TRUE(tensor.is_lent());
  EXPECT_TRUE(borrow(View<const float>{mine.data(), {2, 2}, {2, 1}}).is_lent());
  EXPECT_EQ(borrow(View<float>{mine.data(), {1, 4}, {77, 1}}).shape(), (Shape{1, 4}));
  EXPECT_EQ(borrow(View<float>{nullptr, {0, 4}, {9, 9}}).shape(), (Shape{0, 4}));
}

TEST(borrow, refuses_views_that_are_not_row_major) {
  std::vector<float> mine(16);
  const auto refusal = [&](std::array<std::size_t, 2> strides) -> std::string {
    try {
      borrow(View<float>{mine.data(), {2, 2}, strides});
      return "accepted";
    } catch (const Error& error) {
      return std::string(error.label()) + ": " + error.message();
    }
  };
  EXPECT_EQ(refusal({1, 2}),  // columns first
            "T005: borrow: dim 1 of [2,2] has stride 2 where row-major order without gaps has 1; copy the "
            "elements into a row-major array first");
  EXPECT_EQ(refusal({4, 1}),  // rows with room behind them
            "T005: borrow: dim 0 of [2,2] has stride 4 where row-major order without gaps has 2; copy the "
            "elements into a row-major array first");
  EXPECT_EQ(refusal({2, 1}), "accepted");
}

}  // namespace
}  // namespace tutti
