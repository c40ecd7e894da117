// SPDX-License-Identifier: Apache-2.0
// Machine::from_shards: an array of the parts that devices hold.
#include <gtest/gtest.h>

#include "tests/support/expect_refusal.hpp"
#include "tests/support/print.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}, {"b", 2}});
Tensor two(float first) { return Tensor(Shape{2}, {first, first + 1}); }

class from_shards : public testing::Test {
 protected:
  Machine machine = open_local(mesh);
};

TEST_F(from_shards, is_the_array_of_these_parts) {
  const Array by_both =
      machine.from_shards({8}, P(SpecEntry{"b", "a"}), {{0, two(0)}, {2, two(2)}, {1, two(4)}, {3, two(6)}});
  EXPECT_EQ(by_both.values<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
  const Array by_a = machine.from_shards({4}, P("a"), {{0, two(0)}, {1, two(0)}, {2, two(2)}, {3, two(2)}});
  EXPECT_EQ(by_a.values<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(by_a.data()->sharding(), P("a").on(mesh, by_a.type()));
  const auto doubled =
      machine.compile(shard_map([](Array x) { return x + x; }, {.mesh = mesh, .in = P("a"), .out = P("a")}),
                      by_a);
  EXPECT_EQ(doubled(by_a).values<float>(), (std::vector<float>{0, 2, 4, 6}));
}

TEST_F(from_shards, takes_terms_of_a_sum) {
  const Array sum =
      machine.from_shards({2}, P().unreduced({"a"}), {{0, two(0)}, {1, two(0)}, {2, two(5)}, {3, two(5)}});
  EXPECT_EQ(sum.values<float>(), (std::vector<float>{5, 7}));
}

TEST_F(from_shards, refuses_parts_that_make_no_array) {
  const auto refused = [&](const std::map<int, Tensor>& parts, const char* why) {
    expect_refusal([&] { machine.from_shards({4}, P("a"), parts); }, Code::argument,
                   {"from_shards_test.cpp", "from_shards: ", why});
  };
  refused({}, "there is no part; hand in one per device of a=2,b=2");
  refused({{0, two(0)}, {1, two(0)}, {2, two(2)}}, "device 3 has no part; hand in one of f32[2]");
  refused({{0, two(0)}, {1, two(0)}, {2, two(2)}, {3, Tensor({4}, DType::f32)}},
          "the part of device 3 is f32[4], the spec gives each device f32[2]");
  refused({{0, two(0)}, {1, two(0)}, {2, two(2)}, {3, two(3)}},
          "devices 2 and 3 hold the same part under P(a), but theirs differ");
  refused({{0, two(0)}, {4, two(0)}}, "there is no device 4; the mesh has devices 0 to 3");
  refused({{-1, two(0)}}, "there is no device -1; the mesh has devices 0 to 3");
  expect_refusal([&] { machine.from_shards({5}, P("a"), {{0, two(0)}}); }, Code::shape, {"from_shards"});
}

}  // namespace
}  // namespace tutti
