// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/global_array.hpp"

#include <gtest/gtest.h>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

Tensor counted(Shape shape) {
  Tensor tensor(DType::f32, std::move(shape));
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

TEST(global_array, refuses_a_dim_that_does_not_split) {
  Mesh mesh({{"a", 2}});
  EXPECT_THROW(GlobalArray::distributed(counted({3}), {mesh, {{mesh.axes()[0]}}, {}, {}}), Error);
}

}  // namespace
}  // namespace tutti
