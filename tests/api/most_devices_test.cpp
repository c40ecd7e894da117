// SPDX-License-Identifier: Apache-2.0
// Collectives on the largest mesh, 65,536 devices with 8 elements each. Anything quadratic in the devices
// would take minutes or GiB here.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr int devices = Mesh::max_devices, each = 8;
constexpr std::size_t elements = std::size_t{devices} * each;
using Numbers = std::vector<float>;  // sums of up to 65,536 of them are exact

Numbers numbers() {
  Numbers x;
  for (std::size_t i = 0; i < elements; ++i) x.push_back(static_cast<float>(i * 7919 % 101));
  return x;
}

template <class F>
Numbers computed(const F& of_device, const P& out) {
  const Mesh mesh({{"x", devices}});
  const Array x = Tensor({static_cast<std::int64_t>(elements)}, numbers());
  auto run = open_local(mesh, {.workers = 2})
                 .compile(shard_map(of_device, {.mesh = mesh, .in = P("x"), .out = out}), x);
  return run(x).template values<float>();
}

/// The sums over `size` neighbours, of each device.
Numbers sums_of_groups(std::size_t size) {
  const Numbers x = numbers();
  Numbers sums(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const std::size_t first = i / each / size * size;
    for (std::size_t device = first; device < first + size; ++device) sums[i] += x[device * each + i % each];
  }
  return sums;
}

Pairs ring() {
  Pairs pairs;
  for (int i = 0; i < devices; ++i) pairs.emplace_back(i, (i + 1) % devices);
  return pairs;
}

TEST(most_devices, are_65536) { EXPECT_EQ(devices, 65'536); }

TEST(most_devices, sum) {
  const Numbers x = numbers();
  Numbers sum(each);
  for (std::size_t i = 0; i < elements; ++i) sum[i % each] += x[i];
  EXPECT_EQ(computed([](const Array& part) { return psum(part, "x"); }, P()), sum);
}

TEST(most_devices, gather) {
  auto gather = [](const Array& part) { return all_gather(part, "x", {.tiled = true, .to = invariant}); };
  EXPECT_EQ(computed(gather, P()), numbers());
}

TEST(most_devices, send_to_the_next_in_a_ring) {
  Numbers sent = numbers();
  std::ranges::rotate(sent, sent.end() - each);
  EXPECT_EQ(computed([](const Array& part) { return ppermute(part, "x", ring()); }, P("x")), sent);
}

TEST(most_devices, sum_in_small_groups) {
  Groups groups;
  for (int i = 0; i < devices; i += 4) groups.push_back({i, i + 1, i + 2, i + 3});
  EXPECT_EQ(computed([&](const Array& part) { return psum(part, "x", {.groups = groups}); }, P("x")),
            sums_of_groups(4));
}

/// Refused: each device would read the values of all others, one by one.
void sum_in_one_group() {
  Groups all(1);
  for (int i = 0; i < devices; ++i) all[0].push_back(devices - 1 - i);
  computed(
      [&](const Array& part) {
        return psum(part, "x", {.groups = all});  // refused
      },
      P("x"));
}

TEST(most_devices, are_too_many_for_a_plan_that_lists_all_sources_of_each) {
  expect_refused(
      sum_in_one_group,
      "R003 {file}:{line}: all_reduce: no memory to plan it: its devices read 4294967296 values in all, "
      "one by one, and a plan lists up to 33554432; use smaller groups or fewer devices");
}

TEST(most_devices, are_named_in_errors_in_short) {
  Pairs pairs = ring();
  pairs.back() = {0, 0};
  std::string text = refusal([&] {
    computed(
        [&](const Array& part) {
          return ppermute(part, "x", pairs);  // refused
        },
        P("x"));
  });
  EXPECT_LT(text.size(), 700U);
  EXPECT_NE(text.find("device 0 is the source of two pairs ([(0, 1), (1, 2), "), text.npos) << text;
  EXPECT_NE(text.find(", ..); a device sends once"), text.npos) << text;
}

TEST(most_devices, are_too_many_for_equal_values_on_each) {
  const Mesh mesh({{"x", devices}});
  const Machine machine = open_local(mesh, {.workers = 1, .storage = Storage::per_device});
  expect_refused(
      [&] {
        auto sum = [](const Array& part) {
          return psum(part, "x");  // refused
        };
        machine.compile(shard_map(sum, {.mesh = mesh, .in = P("x"), .out = P()}),
                        abstract({devices}, DType::f32));
      },
      "R003 {file}:{line}: all_reduce: no memory to plan it: its devices read 4294967296 values in all, one "
      "by "
      "one, "
      "and a plan lists up to 33554432; use smaller groups or fewer devices");
}

}  // namespace
}  // namespace tutti
