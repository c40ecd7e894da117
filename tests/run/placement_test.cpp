// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/placement.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ops/all_to_all.hpp"
#include "tutti/ops/permute.hpp"

namespace tutti {
namespace {

const Mesh eight({{"a", 8}});

/// Whether both workers take part in a collective of f32[elements] on each of eight devices.
bool is_split(std::int64_t elements, const std::function<Array(const Array&)>& collective) {
  Program program = test_program(eight, {{DType::f32, {8 * elements}, {eight.axes()}}},
                                 [&](const Arrays& x) { return Arrays{collective(x[0])}; }, {{eight.axes()}});
  Graph graph = make_graph(localised(program, eight).program, eight, Storage::by_type);
  Steps steps = make_steps(graph, Fusion::on);
  return place(graph, steps, costs_of(graph, steps, Stores::by_size), 2, PlanChoice::cheapest)
      .times.needs_helpers;
}

// What one worker wrote travels to the other line by line, which takes longer than to copy it, until it does not fit
// the caches that they have of their own (bench/collectives: 64 KiB, all_to_all in 12 us and 24).
TEST(placement, keeps_small_copies_over_devices_on_one_worker) {
  auto exchange = [](const Array& x) { return all_to_all(x, "a", {.tiled = true}); };
  auto shift = [](const Array& x) { return ppermute(x, "a", {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}); };
  for (std::int64_t elements : {1024, 16384}) {
    EXPECT_FALSE(is_split(elements, exchange)) << elements;
    EXPECT_FALSE(is_split(elements, shift)) << elements;
  }
  EXPECT_TRUE(is_split(1 << 18, exchange));
  EXPECT_TRUE(is_split(1 << 18, shift));
}

}  // namespace
}  // namespace tutti
