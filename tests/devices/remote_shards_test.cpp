// SPDX-License-Identifier: Apache-2.0
// Arrays that lie on the devices of a machine, outside of host memory.
#include <gtest/gtest.h>

#include "tests/support/elsewhere.hpp"
#include "tests/support/expect_refusal.hpp"
#include "tutti/devices/layout.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}, {"b", 2}});
const Axis a = mesh.axes()[0], b = mesh.axes()[1];

Tensor counted(std::int64_t elements) {
  Tensor tensor({elements}, DType::i32);
  for (std::int64_t i = 0; i < elements; ++i)
    tensor.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return tensor;
}

/// The padded part of each device of an array on the host.
Tensors parts_of(const GlobalArray& array) {
  const Type part = padded_local_type(array.type(), *array.sharding());
  const Layout layout(mesh, Storage::by_type, {}, {});
  Tensors parts;
  for (int device = 0; device < mesh.devices(); ++device) {
    Tensor& copy = parts.emplace_back(part.dtype(), part.shape());
    std::memcpy(copy.mutable_bytes(),
                array.buffer().base.get() +
                    static_cast<std::size_t>(layout.shard(part, device)) * array.buffer().shard_stride,
                copy.bytes());
  }
  return parts;
}

GlobalArray elsewhere(const GlobalArray& array, std::set<int> hidden = {}) {
  return {array.type(), *array.sharding(),
          std::make_shared<const Elsewhere>(parts_of(array), std::move(hidden))};
}

TEST(remote_shards, are_the_same_array) {
  for (const Sharding& sharding :
       {Sharding{mesh, {{a}}, {}, {}}, Sharding{mesh, {{b, a}}, {}, {}}, Sharding{mesh, {{}}, {}, {}},
        Sharding{mesh, {{a}}, {b}, {}}, Sharding{mesh, {{}}, {b, a}, {}}, Sharding{mesh, {{a}}, {}, {b}}})
    for (const std::int64_t elements : {8, 7, 1}) {
      const GlobalArray here = GlobalArray::distributed(counted(elements), sharding), there = elsewhere(here);
      EXPECT_EQ(there.whole(), counted(elements)) << to_string(sharding) << " " << elements;
      for (int device = 0; device < mesh.devices(); ++device)
        EXPECT_EQ(there.shard(device), here.shard(device)) << to_string(sharding) << " " << device;
      const Sharding other{mesh, {{b}}, {}, {}};
      EXPECT_EQ(GlobalArray::distributed(there, other).whole(), counted(elements)) << to_string(sharding);
    }
}

TEST(remote_shards, are_downloaded_once_where_devices_hold_the_same) {
  const GlobalArray here = GlobalArray::distributed(counted(8), {mesh, {{a}}, {}, {}});
  const auto shards = std::make_shared<const Elsewhere>(parts_of(here));
  const GlobalArray there(here.type(), *here.sharding(), shards);
  there.whole();
  EXPECT_EQ(shards->downloads(), 2);
  there.shard(3);
  EXPECT_EQ(shards->downloads(), 3);
}

TEST(remote_shards, of_other_processes_are_not_looked_at) {
  const GlobalArray halves = GlobalArray::distributed(counted(8), {mesh, {{a}}, {}, {}});
  EXPECT_EQ(elsewhere(halves, {0, 3}).whole(), counted(8));  // devices 1 and 2 hold all of it
  const GlobalArray half = elsewhere(halves, {2, 3});
  expect_refusal([&] { half.whole(); }, Code::device,
                 {"spread over several processes", "shard(device)", "all_gather"});
  expect_refusal([&] { half.shard(2); }, Code::device, {"another process drives device 2"});
  expect_refusal([&] { half.shard(4); }, Code::argument, {"there is no device 4"});
  EXPECT_EQ(half.shard(1), halves.shard(1));
}

TEST(remote_shards, have_no_memory_on_the_host) {
  const GlobalArray there = elsewhere(GlobalArray::distributed(counted(8), {mesh, {{a}}, {}, {}}));
  expect_refusal([&] { there.buffer(); }, Code::internal, {"no memory on the host"});
}

}  // namespace
}  // namespace tutti
