// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/placement.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh one({{"a", 1}}), eight({{"a", 8}});

Type floats(std::int64_t elements) { return Type(DType::f32, {elements}); }

/// True if both workers take part in what each device does with a value of its own.
bool is_split(const Mesh& mesh, const Type& type, const std::function<Array(const Array&)>& body,
              const Caches& caches) {
  Program program = test_program(mesh, {{type.dtype(), {mesh.devices() * type.elements()}, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  return place(graph, steps, costs_of(graph, steps, Stores::by_size, caches), 2, PlanChoice::cheapest)
      .times.needs_helpers;
}

// A value that one worker wrote travels to the other line by line. This takes longer than to copy it, unless
// the value is larger than their own caches (bench/collectives: 64 KiB, all_to_all in 12 us and 24).
TEST(placement, keeps_small_copies_over_devices_on_one_worker) {
  auto exchange = [](const Array& x) { return all_to_all(x, "a", {.tiled = true}); };
  auto shift = [](const Array& x) { return ppermute(x, "a", {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}}); };
  for (std::int64_t elements : {1024, 16384}) {
    EXPECT_FALSE(is_split(eight, floats(elements), exchange, test_caches)) << elements;
    EXPECT_FALSE(is_split(eight, floats(elements), shift, test_caches)) << elements;
  }
  EXPECT_TRUE(is_split(eight, floats(1 << 18), exchange, test_caches));
  EXPECT_TRUE(is_split(eight, floats(1 << 18), shift, test_caches));
}

// 16,384 floats of eight devices: 1 MiB is moved.
TEST(placement, takes_the_sizes_of_caches_as_it_is_told_them) {
  auto exchange = [](const Array& x) { return all_to_all(x, "a", {.tiled = true}); };
  EXPECT_FALSE(is_split(eight, floats(16384), exchange, {.own_bytes = 1 << 20, .last_bytes = 32 << 20}));
  EXPECT_TRUE(is_split(eight, floats(16384), exchange, {.own_bytes = 1 << 19, .last_bytes = 32 << 20}));
}

// Half of 3,000 floats are 6 KB, half of 3,000 complex128 are 24 KB.
TEST(placement, splits_by_tiles_only_what_leaves_each_worker_16_kib) {
  auto body = [](const Array& x) { return exp(exp(exp(exp(x)))); };
  EXPECT_FALSE(is_split(one, floats(3000), body, test_caches));
  EXPECT_TRUE(is_split(one, Type(DType::complex128, {3000}), body, test_caches));
}

/// Whether both workers take part in a loop that changes a row of f32[64,2048] in every trip, on each of four
/// devices.
bool is_loop_split(const std::function<Array(const Array& row)>& made) {
  const Mesh four({{"a", 4}});
  auto body = [&](const Arrays& x) {
    auto trip = [&](const Array& i, const Array& c) { return dynamic_update_slice(c, made(x[1]), {i, 0}); };
    return Arrays{fori_loop(0, 64, trip, x[0])};
  };
  Program program = test_program(four, {{DType::f32, {256, 2048}, {four.axes()}}, {DType::f32, {1, 2048}}},
                                 body, {{four.axes()}});
  return Plan(localised(program, four).program, four, {.workers = 2, .caches = test_caches})
      .placement()
      .times.needs_helpers;
}

// A row that one worker makes in every trip, for all devices, travels to the other worker and back: 512 trips
// took 1.7 ms on two workers and 1.0 ms on one (bench/programs_loops, 2026-11).
TEST(placement, keeps_a_loop_on_one_worker_if_its_rows_would_travel_in_every_trip) {
  EXPECT_FALSE(is_loop_split([](const Array& row) { return row + 1.0; }));
  EXPECT_TRUE(
      is_loop_split([](const Array& row) { return exp(sin(row + convert(axis_index("a"), DType::f32))); }));
}

}  // namespace
}  // namespace tutti