// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dims.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <string>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

const Type cube(DType::f32, {2, 3, 4});

std::string of_cube(const WhichDims& dims) { return to_string(dims.resolve(cube)); }

TEST(which_dims, are_one_several_or_all) {
  EXPECT_EQ(of_cube(1), "[1]");
  EXPECT_EQ(of_cube(-1), "[2]");
  EXPECT_EQ(of_cube({2, 0}), "[0, 2]");
  EXPECT_EQ(of_cube(std::vector{0, 1}), "[0, 1]");
  EXPECT_EQ(of_cube(all_dims), "[0, 1, 2]");
  EXPECT_EQ(of_cube({}), "[]");
}

TEST(which_dims, are_whole_numbers_of_any_type) {
  EXPECT_EQ(of_cube(std::size_t{1}), "[1]");
  EXPECT_EQ(of_cube({std::int64_t{-1}, 0}), "[0, 2]");
  static_assert(!std::convertible_to<bool, WhichDims>);
  static_assert(!std::convertible_to<double, WhichDims>);
}

TEST(which_dims, beyond_an_int_are_out_of_range) {
  for (const WhichDims& dims : {WhichDims(std::int64_t{1} << 32), WhichDims(~std::uint64_t{0})}) {
    try {
      dims.resolve(cube);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::dim);
    }
  }
}

}  // namespace
}  // namespace tutti
