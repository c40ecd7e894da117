// SPDX-License-Identifier: Apache-2.0
// 64 devices on the few processors of one machine: what they compute together, worked out with plain loops.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

constexpr std::size_t devices = 64, n = 64;  // elements of each
using Numbers = std::vector<std::uint32_t>;  // i32 wraps as they do

Numbers numbers_of(const Array& array) {
  Tensor tensor = array.tensor();
  return Numbers(tensor.as<std::int32_t>().begin(), tensor.as<std::int32_t>().end());
}

Numbers some_numbers() {
  Numbers x;
  for (std::uint32_t i = 0; i < devices * n; ++i) x.push_back(i * 7919 % 1009 - 500);
  return x;
}
Array array(const Numbers& numbers) {
  return Tensor(Shape{devices * n}, std::vector<std::int32_t>(numbers.begin(), numbers.end()));
}

/// The results for the parts of x: a sum, a gather, an exchange, and a loop that sums over the last axis of
/// the mesh and over all devices in every trip.
struct Results {
  Numbers sum, gathered, exchanged, carry, ys;
};

Results worked_out(const Numbers& x, std::size_t last_axis) {
  Results r{Numbers(n), x, Numbers(x.size()), x, Numbers(n)};
  for (std::size_t d = 0; d < devices; ++d)
    for (std::size_t k = 0; k < n; ++k) {
      r.sum[k] += x[d * n + k];
      r.exchanged[d * n + k] = x[k * n + d];
    }
  for (std::size_t trip = 0; trip < n; ++trip) {
    Numbers before = r.carry;
    for (std::size_t d = 0; d < devices; ++d) {
      r.ys[trip] += x[d * n + trip];
      std::size_t first = d / last_axis * last_axis;
      for (std::size_t k = 0; k < n; ++k) {
        r.carry[d * n + k] = 3 * before[d * n + k] + x[d * n + trip];
        for (std::size_t e = first; e < first + last_axis; ++e) r.carry[d * n + k] += before[e * n + k];
      }
    }
  }
  return r;
}

auto together(const Mesh& mesh) {
  Axes all = mesh.axes(), last{all.back()};
  SpecEntry by_all(none);
  for (const Axis& axis : all) by_all.axes.emplace_back(std::string(axis.name));
  auto body = [all, last](Array x) {
    auto trip = [&](Array c, Array element) {
      return std::pair{c * 3 + element + psum(c, last), psum(element, all)};
    };
    auto [carry, ys] = scan(trip, x, x);
    return std::tuple{psum(x, all), all_gather(x, all, {.tiled = true, .to = invariant}),
                      all_to_all(x, all, {.tiled = true}), carry, ys};
  };
  return shard_map(body, {.mesh = mesh, .in = P(by_all), .out = {P(), P(), P(by_all), P(by_all), P()}});
}

class many_devices : public testing::TestWithParam<std::vector<std::pair<std::string, int>>> {};

TEST_P(many_devices, compute_together_what_loops_do) {
  Mesh mesh(GetParam());
  Results expected = worked_out(some_numbers(), static_cast<std::size_t>(mesh.axes().back().size));
  for (int workers : {1, 2, 3}) {
    auto program = open_local(mesh, {.workers = workers}).compile(together(mesh), array(some_numbers()));
    auto [sum, gathered, exchanged, carry, ys] = program(array(some_numbers()));
    EXPECT_EQ(numbers_of(sum), expected.sum);
    EXPECT_EQ(numbers_of(gathered), expected.gathered);
    EXPECT_EQ(numbers_of(exchanged), expected.exchanged);
    EXPECT_EQ(numbers_of(carry), expected.carry);
    EXPECT_EQ(numbers_of(ys), expected.ys);
  }
}

using MeshAxes = std::vector<std::pair<std::string, int>>;
INSTANTIATE_TEST_SUITE_P(meshes, many_devices,
                         testing::Values(MeshAxes{{"a", 64}}, MeshAxes{{"a", 4}, {"b", 4}, {"c", 4}}));

}  // namespace
}  // namespace tutti
