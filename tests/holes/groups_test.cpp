// SPDX-License-Identifier: Apache-2.0
// Section D of the list: groups.
#include <fmt/core.h>

#include "tests/holes/hole.hpp"

namespace tutti {
namespace {

TEST(h053, sums_and_means_have_groups) {
  Blocks four = scalars({0, 1, 2, 3});
  expect_blocks(
      x4, {}, four, [](const Array& x) { return psum(x, "x", {.groups = odd_and_even}); }, {},
      scalars({2, 4, 2, 4}));
  expect_blocks(
      x4, {}, four, [](const Array& x) { return pmean(x, "x", {.groups = odd_and_even}); }, {},
      scalars({1, 2, 1, 2}));
}

TEST(h054, groups_of_pending_sums_are_refused_with_the_reason) {
  auto terms = [](const Array& x) { return pcast(x, "data", unreduced); };
  std::string sum = "f32[2]{U:data} is an unreduced sum over 'data'; ";
  std::string no_type =
      sum + "a sum over the groups of an axis has no type; reduce over all of it, or sum values";
  std::string of_values = sum + "a maximum or minimum takes values, not terms; psum it first";
  expect_refused(on_devices([&](Array x) {
                   return psum(terms(x), "data", {.groups = pairs_in_order});  // refused
                 }),
                 "T004 {file}:{line}: psum: " + no_type);
  expect_refused(on_devices([&](Array x) {
                   return psum_scatter(terms(x), "data", {.groups = pairs_in_order});  // refused
                 }),
                 "T004 {file}:{line}: psum_scatter: " + no_type);
  expect_refused(on_devices([&](Array x) {
                   return pmax(terms(x), "data", {.groups = pairs_in_order});  // refused
                 }),
                 "T004 {file}:{line}: pmax: " + of_values);
  expect_refused(on_devices([&](Array x) {
                   return pmin(terms(x), "data", {.groups = pairs_in_order});  // refused
                 }),
                 "T004 {file}:{line}: pmin: " + of_values);
}

TEST(h054, groups_of_sums_over_another_axis_pass) {
  auto groups_of_y = [](const Array& x) { return psum(psum(terms(x), "y", {.groups = {{1}, {0}}}), "x"); };
  expect_blocks(x2y2, {}, scalars({1, 2, 3, 4}), groups_of_y, {}, scalars({4, 6, 4, 6}));
}

TEST(h055, gather_in_groups_is_equal_in_each_group_only) {
  for (auto [to, letter] : {std::pair{invariant, "I"}, std::pair{reduced, "R"}})
    expect_refused(
        on_devices([&, &state = to](Array x) {
          return all_gather(x, "data", {.to = state, .groups = pairs_in_order});  // refused
        }),
        fmt::format("T004 {{file}}:{{line}}: all_gather: a value gathered in groups is equal in each "
                    "group only, so it is V, not {}; use .to = varying",
                    letter));
  expect_blocks(x4, {}, scalars({0, 1, 2, 3}),
                [](const Array& x) { return all_gather(x, "x", {.groups = crossed}); }, {2},
                {{0, 2}, {3, 1}, {0, 2}, {3, 1}});
}

TEST(h058, uneven_groups_are_refused_where_shapes_would_differ) {
  Groups uneven{{0}, {1, 2, 3}};
  std::string text =
      "groups [[0], [1, 2, 3]] have 1 and 3 devices, so the results would differ in shape; make them "
      "equal in size";
  expect_refused(on_devices([&](Array x) {
                   return all_gather(x, "data", {.groups = uneven});  // refused
                 }),
                 "T009 {file}:{line}: all_gather: " + text);
  expect_refused(on_devices([&](Array x) {
                   return psum_scatter(x, "data", {.groups = uneven});  // refused
                 }),
                 "T009 {file}:{line}: psum_scatter: " + text);
  expect_refused(on_devices([&](Array x) {
                   return all_to_all(x, "data", {.groups = uneven});  // refused
                 }),
                 "T009 {file}:{line}: all_to_all: " + text);
  expect_refused(on_devices([&](Array x) {
                   Array none_sent = zeros({4}, DType::i32);
                   RaggedSlices slices{none_sent, none_sent, none_sent};
                   return ragged_all_to_all(x, x, slices, "data", {.groups = uneven});  // refused
                 }),
                 "T009 {file}:{line}: ragged_all_to_all: " + text);
}

TEST(h058, uneven_groups_are_summed_each_on_its_own) {
  expect_blocks(
      x4, {}, scalars({1, 2, 3, 4}),
      [](const Array& x) { return psum(x, "x", {.groups = {{0}, {1, 2, 3}}}); }, {}, scalars({1, 9}));
}

}  // namespace
}  // namespace tutti
