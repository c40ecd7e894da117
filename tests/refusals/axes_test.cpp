// SPDX-License-Identifier: Apache-2.0
// Axes that nothing binds, that are bound or named twice; positions along axes; meshes.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
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
                 "T001 {file}:{line}: psum: axis 'modle' is not bound here; bound: ('data', 'model'). Bind "
                 "it with shard_map over a mesh that has it, or with vmap(f, {.axis = \"modle\"})");
}

TEST(axes, outside_of_any_shard_map_are_not_bound) {
  expect_refused(traced([](Array x) {
                   return x + axis_index("data");  // refused
                 }),
                 "T001 {file}:{line}: axis_index: axis 'data' is not bound here; bound: none. Bind it with "
                 "shard_map over a mesh that has it, or with vmap(f, {.axis = \"data\"})");
}

TEST(axes, without_a_size_are_not_bound) {
  expect_refused(traced([](Array x) {
                   return x / axis_size("data");  // refused
                 }),
                 "T001 {file}:{line}: axis_size: axis 'data' is not bound here; bound: none. Bind it with "
                 "shard_map over a mesh that has it, or with vmap(f, {.axis = \"data\"})");
}

TEST(axes, named_twice_in_a_tuple_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, {"data", "model", "data"});  // refused
                 }),
                 "T003 {file}:{line}: all_gather: axis 'data' is named twice; name each axis once");
}

TEST(axes, of_an_enclosing_shard_map_are_not_bound_again) {
  expect_refused(on_devices([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = P("data")})(x);  // refused
                 }),
                 "T002 {file}:{line}: shard_map: axis 'data' is bound here already by an enclosing shard_map "
                 "or vmap; leave it out of .axes, or give the other one another name");
}

TEST(axes, of_an_enclosing_shard_map_are_not_bound_again_by_vmap) {
  expect_refused(on_devices([](Array x) {
                   return vmap(same, {.axis = "data"})(x);  // refused
                 }),
                 "T002 {file}:{line}: vmap: axis 'data' is bound here already by an enclosing shard_map or "
                 "vmap; give this one another name");
}

TEST(axes, of_an_enclosing_vmap_are_not_bound_again) {
  expect_refused(traced([](Array x) {
                   auto inner = [](Array row) {
                     return vmap(same, {.axis = "rows"})(row);  // refused
                   };
                   return vmap(inner, {.axis = "rows"})(reshape(x, {2, 2}));
                 }),
                 "T002 {file}:{line}: vmap: axis 'rows' is bound here already by an enclosing shard_map or "
                 "vmap; give this one another name");
}

TEST(positions, of_mask_are_those_along_the_axes) {
  expect_refused(
      on_devices([](Array x) {
        return mask(ones_like(x), {"data", "model"}, {.at = 8});  // refused
      }),
      "T009 {file}:{line}: mask: there is no device 8 along ('data', 'model'); it has devices 0 to 7");
}

TEST(positions, of_keep_on_one_are_not_negative) {
  expect_refused(
      on_devices([](Array x) {
        return keep_on_one(ones_like(x), "data", {.at = -1});  // refused
      }),
      "T009 {file}:{line}: keep_on_one: there is no device -1 along 'data'; it has devices 0 to 3");
}

TEST(positions, of_a_broadcasts_source_are_those_along_the_axes) {
  expect_refused(on_devices([](Array x) {
                   return pbroadcast(x, "data", {.source = 4});  // refused
                 }),
                 "T009 {file}:{line}: pbroadcast: there is no device 4 along 'data'; it has devices 0 to 3");
}

TEST(meshes, name_every_axis) {
  expect_refused(
      [] {
        Mesh({{"data", 4}, {"", 2}});  // refused
      },
      "T014 {file}:{line}: mesh: an axis of size 2 has no name; write for example {\"data\", 2}");
}

TEST(meshes, name_every_axis_once) {
  expect_refused(
      [] {
        Mesh({{"data", 4}, {"data", 2}});  // refused
      },
      "T014 {file}:{line}: mesh: axis 'data' is named twice; give every axis its own name");
}

TEST(meshes, have_a_device_at_least_along_every_axis) {
  expect_refused(
      [] {
        Mesh({{"data", 0}});  // refused
      },
      "T014 {file}:{line}: mesh: axis 'data' has size 0; a size is at least 1");
}

TEST(meshes, have_no_negative_sizes) {
  expect_refused(
      [] {
        Mesh({{"data", -4}});  // refused
      },
      "T014 {file}:{line}: mesh: axis 'data' has size -4; a size is at least 1");
}

TEST(meshes, have_a_limit_to_their_devices) {
  expect_refused(
      [] {
        Mesh({{"data", 100'000}, {"model", 100'000}});  // refused
      },
      "T014 {file}:{line}: mesh: axis 'data' of size 100000 makes more than 65536 devices; make the mesh "
      "smaller");
}

TEST(meshes, are_read_from_names_and_sizes) {
  for (const char* text :
       {"data", "data=", "=4", "data=four", "data=4x", "data=4;model=2", "data=99999999999"})
    expect_refused(
        [&] { parse_mesh(text); },
        fmt::format("T014 mesh: '{}' is not an axis and its size; write for example data=4,model=2", text));
}

TEST(meshes, read_from_text_are_checked) {
  expect_refused([] { parse_mesh("data=4,data=2"); },
                 "T014 mesh: axis 'data' is named twice; give every axis its own name");
}

TEST(meshes, read_from_text_end_without_a_comma) {
  expect_refused([] { parse_mesh("data=4,"); },
                 "T014 mesh: '' is not an axis and its size; write for example data=4,model=2");
}

TEST(meshes, read_from_text_have_no_empty_items) {
  expect_refused([] { parse_mesh("data=4,,model=2"); },
                 "T014 mesh: '' is not an axis and its size; write for example data=4,model=2");
}

}  // namespace
}  // namespace tutti
