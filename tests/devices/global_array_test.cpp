// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/global_array.hpp"

#include <gtest/gtest.h>

#include "tests/support/shardings.hpp"
#include "tutti/base/error.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

Tensor counted(Shape shape) {
  Tensor tensor(std::move(shape), DType::f32);
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    tensor.mutable_data<float>()[i] = static_cast<float>(i);
  return tensor;
}

TEST(global_array, is_whole_again_after_it_was_distributed) {
  Mesh mesh({{"a", 2}, {"b", 3}});
  Axis a = mesh.axes()[0], b = mesh.axes()[1];
  Tensor whole = counted({12, 6});
  for (const std::vector<Axes>& dims : std::vector<std::vector<Axes>>{
           {{}, {}}, {{a}, {}}, {{}, {b}}, {{a}, {b}}, {{b, a}, {}}, {{a, b}, {}}, {{b}, {a}}}) {
    GlobalArray array = GlobalArray::distributed(whole, {mesh, dims, {}, {}});
    EXPECT_TRUE(array.whole() == whole) << to_string(*array.sharding());
  }
}

TEST(global_array, gives_each_device_its_block) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  GlobalArray array =
      GlobalArray::distributed(counted({4}), {mesh, {{mesh.axes()[1], mesh.axes()[0]}}, {}, {}});
  EXPECT_EQ(array.shard(0).at(0), 0);
  EXPECT_EQ(array.shard(1).at(0), 2);  // a=0, b=1: b is the slower one
  EXPECT_EQ(array.shard(2).at(0), 1);
  EXPECT_EQ(array.shard(3).at(0), 3);
  EXPECT_THROW(array.shard(4), Error);
  GlobalArray halves = GlobalArray::distributed(counted({6}), {mesh, {{mesh.axes()[0]}}, {}, {}});
  EXPECT_EQ(halves.shard(0).at(2), 2);
  EXPECT_EQ(halves.shard(3).at(0), 3);
}

TEST(global_array, sums_unreduced_terms) {
  Mesh mesh({{"a", 2}, {"b", 2}});
  Tensor whole = counted({6});
  GlobalArray array = GlobalArray::distributed(whole, {mesh, {{mesh.axes()[0]}}, {mesh.axes()[1]}, {}});
  EXPECT_TRUE(array.whole() == whole);
  EXPECT_EQ(array.shard(1).at(2), 0);  // the term of the second device along b
}

TEST(global_array, spaces_large_shards_off_powers_of_two) {
  Mesh mesh({{"a", 2}});
  GlobalArray array = GlobalArray::distributed(counted({2, 8192}), {mesh, {{mesh.axes()[0]}, {}}, {}, {}});
  EXPECT_GT(array.buffer().shard_stride, 8192U * 4);
  EXPECT_TRUE(array.whole() == counted({2, 8192}));
}

void expect_own_blocks(const GlobalArray& array, const Tensor& whole) {
  for (int device = 0; device < array.sharding()->mesh.devices(); ++device) {
    const Box box = block(device, *array.sharding(), whole.shape());
    const Tensor shard = array.shard(device);
    ASSERT_EQ(shard.elements(), box.elements());
    std::int64_t at = 0;
    for (std::int64_t row = box.begin[0]; row < box.end[0]; ++row)
      for (std::int64_t column = box.begin[1]; column < box.end[1]; ++column)
        ASSERT_EQ(shard.at(at++), whole.at(row * whole.shape()[1] + column))
            << to_string(*array.sharding()) << " device " << device;
  }
}

TEST(global_array, goes_from_any_sharding_to_any_other_in_even_and_uneven_blocks) {
  const Mesh mesh({{"a", 2}, {"b", 3}});
  for (const Shape& shape : {Shape{12, 6}, Shape{7, 5}, Shape{1, 4}, Shape{0, 3}}) {
    const Tensor whole = counted(shape);
    for (const Sharding& from : all_shardings(mesh, 2))
      for (const Sharding& to : all_shardings(mesh, 2)) {
        const GlobalArray array = GlobalArray::distributed(GlobalArray::distributed(whole, from), to);
        expect_own_blocks(array, whole);
        ASSERT_TRUE(array.whole() == whole) << to_string(from) << " to " << to_string(to);
      }
  }
}

TEST(global_array, has_empty_blocks_behind_the_end_of_a_short_dim) {
  const Mesh mesh({{"a", 4}});
  const GlobalArray array = GlobalArray::distributed(counted({3}), {mesh, {{mesh.axes()[0]}}, {}, {}});
  EXPECT_EQ(array.shard(2).at(0), 2);
  EXPECT_EQ(array.shard(3).shape(), Shape{0});
}

TEST(global_array, sums_the_terms_of_uneven_blocks) {
  const Mesh mesh({{"a", 2}, {"b", 2}});
  const Axis a = mesh.axes()[0], b = mesh.axes()[1];
  const GlobalArray terms = GlobalArray::distributed(counted({5}), {mesh, {{a}}, {b}, {}});
  EXPECT_TRUE(terms.whole() == counted({5}));
  EXPECT_TRUE(GlobalArray::distributed(terms, {mesh, {{b}}, {}, {}}).whole() == counted({5}));
}

}  // namespace
}  // namespace tutti
