// SPDX-License-Identifier: Apache-2.0
// The last blocks of a dim that does not divide are shorter than the room they have. What lies in the rest of
// that room is never seen: here it is not a number.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/support/shardings.hpp"
#include "tutti/devices/global_array.hpp"
#include "tutti/tutti.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

/// True if element `i` of a block with room for `room` is one of its `box`.
bool is_in_block(std::int64_t i, const Shape& room, const Box& box) {
  for (int dim = room.rank(); dim-- > 0; i /= room[dim]) {
    const auto at = static_cast<std::size_t>(dim);
    if (i % room[dim] >= box.end[at] - box.begin[at]) return false;
  }
  return true;
}

/// 0, 1, 2, .. under `sharding`, with NaNs in the padding and behind each shard.
GlobalArray poisoned(const Shape& shape, const Sharding& sharding) {
  const Type whole(DType::f32, shape);
  const Shape room = padded_local_type(whole, sharding).shape();
  const std::size_t stride = (static_cast<std::size_t>(room.elements()) * sizeof(float) / 64 + 2) * 64;
  Axes stored;
  for (const Axis& axis : sharding.mesh.axes())
    if (contains(axes_of(sharding), axis)) stored.push_back(axis);
  const std::size_t count = stride / sizeof(float) * static_cast<std::size_t>(joint_size(stored));
  auto memory =
      std::shared_ptr<float[]>(static_cast<float*>(std::aligned_alloc(64, count * sizeof(float))), std::free);
  std::fill_n(memory.get(), count, std::numeric_limits<float>::quiet_NaN());
  const PerDevice blocks = blocks_of(numbered(DType::f32, shape), sharding);
  for (int device = 0; device < sharding.mesh.devices(); ++device) {
    const Box box = block(device, sharding, shape);
    float* shard = memory.get() +
                   sharding.mesh.position(device, stored) * static_cast<std::int64_t>(stride / sizeof(float));
    std::int64_t next = 0;
    for (std::int64_t i = 0; i < room.elements(); ++i)
      if (is_in_block(i, room, box))
        shard[i] = static_cast<float>(blocks[static_cast<std::size_t>(device)].at(next++));
  }
  return {whole,
          sharding,
          {std::shared_ptr<const std::byte>(memory, reinterpret_cast<const std::byte*>(memory.get())),
           stride}};
}

const Shape shapes[] = {{7, 5}, {1, 4}, {0, 3}, {10, 6}, {1, 1}, {5, 1}};
const Mesh& mesh() {
  static const Mesh two_by_three({{"a", 2}, {"b", 3}});
  return two_by_three;
}

TEST(padding, is_in_no_shard_and_not_in_the_whole) {
  for (const Shape& shape : shapes)
    for (const Sharding& sharding : all_shardings(mesh(), 2)) {
      const GlobalArray array = poisoned(shape, sharding);
      ASSERT_TRUE(array.whole() == numbered(DType::f32, shape)) << to_string(sharding);
      const PerDevice blocks = blocks_of(array.whole(), sharding);
      for (int device = 0; device < mesh().devices(); ++device)
        ASSERT_TRUE(array.shard(device) == blocks[static_cast<std::size_t>(device)]) << to_string(sharding);
    }
}

TEST(padding, does_not_move_with_the_array) {
  for (const Shape& shape : shapes)
    for (const Sharding& from : all_shardings(mesh(), 2)) {
      const GlobalArray array = poisoned(shape, from);
      for (const Sharding& to : all_shardings(mesh(), 2)) {
        const GlobalArray moved = GlobalArray::distributed(array, to);
        ASSERT_TRUE(moved.whole() == numbered(DType::f32, shape)) << to_string(from) << to_string(to);
        const PerDevice blocks = blocks_of(moved.whole(), to);
        for (int device = 0; device < mesh().devices(); ++device)
          ASSERT_TRUE(moved.shard(device) == blocks[static_cast<std::size_t>(device)])
              << to_string(from) << to_string(to);
      }
    }
}

TEST(padding, of_an_argument_is_not_in_the_result) {
  const Machine machine = open_local(mesh(), {.workers = 2});
  for (const Shape& shape : {Shape{7, 5}, Shape{1, 1}, Shape{10, 6}}) {
    const auto sum = [](const Array& x) { return reduce_sum(x + 1, {0, 1}); };
    const Array whole(numbered(DType::f32, shape));
    const auto program = machine.compile(sum, whole);
    const double expected = program(whole).tensor().at(0);
    for (const Sharding& sharding : all_shardings(mesh(), 2)) {
      const Array array(std::make_shared<const GlobalArray>(poisoned(shape, sharding)));
      ASSERT_EQ(program(array).tensor().at(0), expected) << to_string(sharding);
    }
  }
}

}  // namespace
}  // namespace tutti
