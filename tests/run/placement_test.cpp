// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/placement.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ops/all_to_all.hpp"
#include "tutti/ops/permute.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Mesh one({{"a", 1}}), eight({{"a", 8}});

Type floats(std::int64_t elements) { return Type(DType::f32, {elements}); }

/// True if both workers take part in what each device does with a value of its own.
bool is_split(const Mesh& mesh, const Type& type, const std::function<Array(const Array&)>& body,
              const Caches& caches) {
  Program program = test_program(mesh, {{type.dtype(), {mesh.devices() * type.elements()}, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{mesh.axes()}});
  Graph graph = make_graph(localised(program, mesh).program, mesh, Storage::by_type);
  Steps steps = make_steps(graph, Fusion::on);
  return place(graph, steps, costs_of(graph, steps, Stores::by_size, caches), 2, PlanChoice::cheapest)
      .times.needs_helpers;
}

// What one worker wrote travels to the other line by line, which takes longer than to copy it, until it does not fit
// the caches that they have of their own (bench/collectives: 64 KiB, all_to_all in 12 us and 24).
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

}  // namespace
}  // namespace tutti