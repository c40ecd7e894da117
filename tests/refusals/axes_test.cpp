// SPDX-License-Identifier: Apache-2.0
// Axes that nothing binds, that are bound or named twice; positions along axes; meshes.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array same(Array x) { return x; }
const Mesh& mesh() {
  static const Mesh four({{"data", 4}});
  return four;
}

TEST(axes, that_are_not_bound_are_listed_beside_those_that_are) {
  expect_refused(on_devices([](Array x) {
                   return psum(x, "modle");  // refused
                 }),
                 "?");
}

TEST(axes, outside_of_any_shard_map_are_not_bound) {
  expect_refused(traced([](Array x) {
                   return x + axis_index("data");  // refused
                 }),
                 "?");
}

TEST(axes, without_a_size_are_not_bound) {
  expect_refused(traced([](Array x) {
                   return x / axis_size("data");  // refused
                 }),
                 "?");
}

TEST(axes, named_twice_in_a_tuple_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, {"data", "model", "data"});  // refused
                 }),
                 "?");
}

TEST(axes, of_an_enclosing_shard_map_are_not_bound_again) {
  expect_refused(on_devices([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = P("data")})(x);  // refused
                 }),
                 "?");
}

TEST(axes, of_an_enclosing_shard_map_are_not_bound_again_by_vmap) {
  expect_refused(on_devices([](Array x) {
                   return vmap(same, {.axis = "data"})(x);  // refused
                 }),
                 "?");
}

TEST(axes, of_an_enclosing_vmap_are_not_bound_again) {
  expect_refused(traced([](Array x) {
                   auto inner = [](Array row) {
                     return vmap(same, {.axis = "rows"})(row);  // refused
                   };
                   return vmap(inner, {.axis = "rows"})(reshape(x, {2, 2}));
                 }),
                 "?");
}

TEST(positions, of_mask_are_those_along_the_axes) {
  expect_refused(on_devices([](Array x) {
                   return mask(ones_like(x), {"data", "model"}, {.at = 8});  // refused
                 }),
                 "?");
}

TEST(positions, of_keep_on_one_are_not_negative) {
  expect_refused(on_devices([](Array x) {
                   return keep_on_one(ones_like(x), "data", {.at = -1});  // refused
                 }),
                 "?");
}

TEST(positions, of_a_broadcasts_source_are_those_along_the_axes) {
  expect_refused(on_devices([](Array x) {
                   return pbroadcast(x, "data", {.source = 4});  // refused
                 }),
                 "?");
}

TEST(meshes, name_every_axis) {
  expect_refused(
      [] {
        Mesh({{"data", 4}, {"", 2}});  // refused
      },
      "?");
}

TEST(meshes, name_every_axis_once) {
  expect_refused(
      [] {
        Mesh({{"data", 4}, {"data", 2}});  // refused
      },
      "?");
}

TEST(meshes, have_a_device_at_least_along_every_axis) {
  expect_refused(
      [] {
        Mesh({{"data", 0}});  // refused
      },
      "?");
}

TEST(meshes, have_no_negative_sizes) {
  expect_refused(
      [] {
        Mesh({{"data", -4}});  // refused
      },
      "?");
}

TEST(meshes, have_a_limit_to_their_devices) {
  expect_refused(
      [] {
        Mesh({{"data", 100'000}, {"model", 100'000}});  // refused
      },
      "?");
}

TEST(meshes, are_read_from_names_and_sizes) {
  for (const char* text :
       {"data", "data=", "=4", "data=four", "data=4x", "data=4;model=2", "data=99999999999"})
    expect_refused([&] { parse_mesh(text); }, std::string("?") + text);
}

TEST(meshes, read_from_text_are_checked) {
  expect_refused([] { parse_mesh("data=4,data=2"); }, "?");
}

TEST(meshes, read_from_text_end_without_a_comma) {
  expect_refused([] { parse_mesh("data=4,"); }, "?");
}

TEST(meshes, read_from_text_have_no_empty_items) {
  expect_refused([] { parse_mesh("data=4,,model=2"); }, "?");
}

}  // namespace
}  // namespace tutti
