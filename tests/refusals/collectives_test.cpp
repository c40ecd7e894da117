// SPDX-License-Identifier: Apache-2.0
// Groups, permutations and exchanges that no devices can do.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

Array terms(const Array& x) { return pcast(x, "data", unreduced); }

TEST(groups, that_overlap_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return psum(x, "data", {.groups = {{0, 1}, {1, 2, 3}}});  // refused
                 }),
                 "T009 {file}:{line}: psum: groups [[0, 1], [1, 2, 3]] name device 1 twice; name each device "
                 "along 'data' once");
}

TEST(groups, that_miss_a_device_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return pmax(x, "data", {.groups = {{0, 1}, {2}}});  // refused
                 }),
                 "T009 {file}:{line}: pmax: groups [[0, 1], [2]] leave out device 3 along 'data'; name each "
                 "device once, if need be in a group of its own");
}

TEST(groups, of_devices_that_are_not_there_are_refused) {
  expect_refused(on_devices([](Array x) {
                   return pmean(x, {"data", "model"}, {.groups = {{0, 1, 2, 3}, {4, 5, 6, 8}}});  // refused
                 }),
                 "T009 {file}:{line}: pmean: groups [[0, 1, 2, 3], [4, 5, 6, 8]] name device 8, but ('data', "
                 "'model') has devices 0 to 7");
}

using OfGroups = std::function<Array(const Array&, const Groups&)>;
/// Every function that takes groups, with sizes that fit none of the wrong groups below.
std::vector<std::pair<std::string, OfGroups>> all_with_groups() {
  const auto slices = [] {
    Array none_sent = zeros({3}, DType::i32);
    return RaggedSlices{none_sent, none_sent, none_sent};
  };
  return {
      {"psum", [](auto& x, auto& g) { return psum(x, "data", {.groups = g}); }},
      {"pmean", [](auto& x, auto& g) { return pmean(x, "data", {.groups = g}); }},
      {"pmax", [](auto& x, auto& g) { return pmax(x, "data", {.groups = g}); }},
      {"pmin", [](auto& x, auto& g) { return pmin(x, "data", {.groups = g}); }},
      {"all_gather", [](auto& x, auto& g) { return all_gather(x, "data", {.groups = g}); }},
      {"psum_scatter", [](auto& x, auto& g) { return psum_scatter(x, "data", {.groups = g}); }},
      {"psum_scatter",
       [](auto& x, auto& g) { return psum_scatter(x, "data", {.tiled = true, .groups = g}); }},
      {"all_to_all", [](auto& x, auto& g) { return all_to_all(x, "data", {.groups = g}); }},
      {"all_to_all", [](auto& x, auto& g) { return all_to_all(x, "data", {.tiled = true, .groups = g}); }},
      {"pswapaxes", [](auto& x, auto& g) { return pswapaxes(x, "data", 0, g); }},
      {"ragged_all_to_all",
       [=](auto& x, auto& g) { return ragged_all_to_all(x, x, slices(), "data", {.groups = g}); }},
      {"packed_offsets",
       [=](auto&, auto& g) { return packed_offsets(slices().send_sizes, "data", {.groups = g}); }},
      {"psum_start", [](auto& x, auto& g) { return psum_start(x, "data", {.groups = g}).done(); }},
      {"pmean_start", [](auto& x, auto& g) { return pmean_start(x, "data", {.groups = g}).done(); }},
      {"pmax_start", [](auto& x, auto& g) { return pmax_start(x, "data", {.groups = g}).done(); }},
      {"pmin_start", [](auto& x, auto& g) { return pmin_start(x, "data", {.groups = g}).done(); }},
      {"all_gather_start",
       [](auto& x, auto& g) { return all_gather_start(x, "data", {.groups = g}).done(); }},
      {"psum_scatter_start",
       [](auto& x, auto& g) { return psum_scatter_start(x, "data", {.groups = g}).done(); }},
      {"all_to_all_start",
       [](auto& x, auto& g) { return all_to_all_start(x, "data", {.groups = g}).done(); }},
      {"ragged_all_to_all_start",
       [=](auto& x, auto& g) {
         return ragged_all_to_all_start(x, x, slices(), "data", {.groups = g}).done();
       }},
  };
}

TEST(groups, are_checked_before_they_are_used) {
  const std::vector<std::pair<Groups, std::string>> wrong{
      {{{0, 1, 2, 3, 4}}, "groups [[0, 1, 2, 3, 4]] name device 4, but 'data' has devices 0 to 3"},
      {{{-1, 1, 2, 3}}, "groups [[-1, 1, 2, 3]] name device -1, but 'data' has devices 0 to 3"},
      {{{0, 1, 2, 3, 3}}, "groups [[0, 1, 2, 3, 3]] name device 3 twice; name each device along 'data' once"},
      {{{0}},
       "groups [[0]] leave out device 1 along 'data'; name each device once, if need be in a group of "
       "its own"},
      {{{}, {0, 1, 2, 3}}, "groups [[], [0, 1, 2, 3]] have one without devices; leave it out"},
      {{{}},
       "groups [[]] leave out device 0 along 'data'; name each device once, if need be in a group of its "
       "own"}};
  for (const auto& [name, function] : all_with_groups())
    for (const auto& [groups, message] : wrong)
      EXPECT_EQ(refusal_of(on_devices([&](Array x) { return function(x, groups); })),
                "T009: " + name + ": " + message);
}

TEST(groups, of_unequal_sizes_cannot_be_gathered) {
  expect_refused(
      on_devices([](Array x) {
        return all_gather(x, "data", {.groups = {{0}, {1, 2, 3}}});  // refused
      }),
      "T009 {file}:{line}: all_gather: groups [[0], [1, 2, 3]] have 1 and 3 devices, so the results "
      "would differ in shape; make them equal in size");
}

TEST(groups, of_unequal_sizes_cannot_be_scattered) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data", {.groups = {{0}, {1, 2, 3}}});  // refused
                 }),
                 "T009 {file}:{line}: psum_scatter: groups [[0], [1, 2, 3]] have 1 and 3 devices, so the "
                 "results would differ in shape; make them equal in size");
}

TEST(groups, of_unequal_sizes_exchange_nothing) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(x, "data", {.groups = {{0}, {1, 2, 3}}});  // refused
      }),
      "T009 {file}:{line}: all_to_all: groups [[0], [1, 2, 3]] have 1 and 3 devices, so the results "
      "would differ in shape; make them equal in size");
}

TEST(groups, have_no_equal_result) {
  expect_refused(
      on_devices([](Array x) {
        return all_gather(x, "data", {.to = invariant, .groups = {{0, 1}, {2, 3}}});  // refused
      }),
      "T004 {file}:{line}: all_gather: a value gathered in groups is equal in each group only, so it "
      "is V, not I; use .to = varying");
}

TEST(groups, do_not_sum_terms_of_a_sum_over_all) {
  expect_refused(on_devices([](Array x) {
                   return psum(terms(x), "data", {.groups = {{0, 1}, {2, 3}}});  // refused
                 }),
                 "T004 {file}:{line}: psum: f32[2]{U:data} is an unreduced sum over 'data'; a sum over the "
                 "groups of an axis has no type; reduce over all of it, or sum values");
}

TEST(groups, do_not_scatter_terms_of_a_sum_over_all) {
  expect_refused(
      on_devices([](Array x) {
        return psum_scatter(terms(x), "data", {.groups = {{0, 1}, {2, 3}}});  // refused
      }),
      "T004 {file}:{line}: psum_scatter: f32[2]{U:data} is an unreduced sum over 'data'; a sum over "
      "the groups of an axis has no type; reduce over all of it, or sum values");
}

TEST(groups, count_the_blocks_of_a_scatter) {
  expect_refused(
      on_devices([](Array x) {
        return psum_scatter(x, "data", {.groups = {{0, 1, 2, 3}}});  // refused
      }),
      "T005 {file}:{line}: psum_scatter: dim 0 of f32[2]{V:data} has size 2, but each group along "
      "'data' has 4 devices (reduce_scatter_c1); it must be as many, or with tiled = true a multiple");
}

TEST(permutations, send_from_a_device_once) {
  expect_refused(on_devices([](Array x) {
                   return ppermute(x, "data", {{0, 1}, {0, 2}});  // refused
                 }),
                 "T009 {file}:{line}: ppermute: device 0 is the source of two pairs ([(0, 1), (0, 2)]); a "
                 "device sends once: use pbroadcast, or permute twice");
}

TEST(permutations, send_to_a_device_once) {
  expect_refused(on_devices([](Array x) {
                   return ppermute(x, "data", {{0, 1}, {2, 1}});  // refused
                 }),
                 "T009 {file}:{line}: ppermute: device 1 is the target of two pairs ([(0, 1), (2, 1)]); a "
                 "device receives once: use psum, or permute twice");
}

TEST(permutations, are_of_devices_that_are_there) {
  expect_refused(
      on_devices([](Array x) {
        return ppermute(x, "data", {{3, 4}});  // refused
      }),
      "T009 {file}:{line}: ppermute: there is no device 4 along 'data' ([(3, 4)]); it has devices 0 "
      "to 3");
}

TEST(permutations, do_not_count_from_the_end) {
  expect_refused(
      on_devices([](Array x) {
        return ppermute(x, {"data", "model"}, {{-1, 0}});  // refused
      }),
      "T009 {file}:{line}: ppermute: there is no device -1 along ('data', 'model') ([(-1, 0)]); it "
      "has devices 0 to 7");
}

TEST(permutations, do_not_move_sums) {
  expect_refused(
      on_devices([](Array x) {
        return ppermute(terms(x), "data", {{0, 1}});  // refused
      }),
      "T004 {file}:{line}: ppermute: f32[2]{U:data} is an unreduced sum over 'data'; a permutation "
      "moves values, not terms; psum it first");
}

TEST(permutations, by_sources_name_one_for_each_device) {
  expect_refused(on_devices([](Array x) {
                   return pshuffle(x, "data", {1, 0, 2});  // refused
                 }),
                 "T009 {file}:{line}: pshuffle: 3 sources for the 4 devices of 'data'; name one for each, or "
                 "use ppermute");
}

TEST(permutations, by_sources_name_no_device_twice) {
  expect_refused(
      on_devices([](Array x) {
        return pshuffle(x, "data", {1, 0, 2, 2});  // refused
      }),
      "T009 {file}:{line}: pshuffle: device 2 is the source of two pairs ([(1, 0), (0, 1), (2, 2), "
      "(2, 3)]); a device sends once: use pbroadcast, or permute twice");
}

TEST(exchanges, need_as_many_blocks_as_devices) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(x, "data");  // refused
      }),
      "T005 {file}:{line}: all_to_all: dim 0 of f32[2]{V:data} has size 2, but 'data' has 4 devices "
      "(all_to_all_c1); it must be as many, or with tiled = true a multiple");
}

TEST(exchanges, need_a_dim_that_splits) {
  expect_refused(on_devices([](Array x) {
                   return all_to_all(x, {"data", "model"}, {.tiled = true});  // refused
                 }),
                 "T005 {file}:{line}: all_to_all: dim 0 of f32[2]{V:data, V:model} does not split over the 8 "
                 "devices of ('data', 'model') (all_to_all_c1); pad it or use another dim");
}

TEST(exchanges, in_groups_need_a_dim_that_splits_over_one) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(x, "data", {.tiled = true, .groups = {{0, 1, 2, 3}}});  // refused
      }),
      "T005 {file}:{line}: all_to_all: dim 0 of f32[2]{V:data} does not split over the 4 devices of "
      "each group along 'data' (all_to_all_c1); pad it or use another dim");
}

TEST(exchanges, split_a_dim_that_is_there) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(x, "data", {.split = 1});  // refused
      }),
      "T006 {file}:{line}: all_to_all: dim 1 is out of range for f32[2]{V:data}, which has dims -1 "
      "to 0");
}

TEST(exchanges, do_not_move_sums) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(terms(x), "data");  // refused
      }),
      "T004 {file}:{line}: all_to_all: f32[2]{U:data} is an unreduced sum over 'data'; an exchange "
      "moves values, not terms; psum it first");
}

TEST(assumptions, are_not_made_of_sums) {
  expect_refused(
      on_devices([](Array x) {
        return assume_invariant(terms(x), "data");  // refused
      }),
      "T004 {file}:{line}: assume_invariant: f32[2]{U:data} is an unreduced sum over 'data'; only of "
      "varying values can it be assumed that they are equal; a sum is made equal by psum");
}

TEST(largest_values, of_sums_are_on_no_device) {
  expect_refused(on_devices([](Array x) {
                   return pargmax(terms(x), "data");  // refused
                 }),
                 "T004 {file}:{line}: pargmax: f32[2]{U:data} is an unreduced sum over 'data'; a maximum or "
                 "minimum takes values, not terms; psum it first");
}

TEST(groups, without_devices_are_refused) {
  expect_refused(
      on_devices([](Array x) {
        return psum(x, "data", {.groups = {{0, 1, 2, 3}, {}}});  // refused
      }),
      "T009 {file}:{line}: psum: groups [[0, 1, 2, 3], []] have one without devices; leave it out");
}

TEST(groups, do_not_count_from_the_end) {
  expect_refused(
      on_devices([](Array x) {
        return pmin(x, "data", {.groups = {{0, 1}, {2, -1}}});  // refused
      }),
      "T009 {file}:{line}: pmin: groups [[0, 1], [2, -1]] name device -1, but 'data' has devices 0 to 3");
}

TEST(groups, of_two_axes_name_all_their_devices) {
  expect_refused(on_devices([](Array x) {
                   return psum(x, {"data", "model"}, {.groups = {{0, 1, 2}, {4, 5, 6}}});  // refused
                 }),
                 "T009 {file}:{line}: psum: groups [[0, 1, 2], [4, 5, 6]] leave out device 3 along ('data', "
                 "'model'); name each device once, if need be in a group of its own");
}

TEST(groups, that_overlap_cannot_be_gathered) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.groups = {{0, 1}, {1, 2}}});  // refused
                 }),
                 "T009 {file}:{line}: all_gather: groups [[0, 1], [1, 2]] name device 1 twice; name each "
                 "device along 'data' once");
}

TEST(groups, that_miss_a_device_cannot_be_scattered) {
  expect_refused(on_devices([](Array x) {
                   return psum_scatter(x, "data", {.groups = {{0, 1}}});  // refused
                 }),
                 "T009 {file}:{line}: psum_scatter: groups [[0, 1]] leave out device 2 along 'data'; name "
                 "each device once, if need be in a group of its own");
}

TEST(groups, that_miss_a_device_exchange_nothing) {
  expect_refused(on_devices([](Array x) {
                   return all_to_all(x, "data", {.groups = {{2, 3}}});  // refused
                 }),
                 "T009 {file}:{line}: all_to_all: groups [[2, 3]] leave out device 0 along 'data'; name each "
                 "device once, if need be in a group of its own");
}

TEST(groups, have_no_reduced_result) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(x, "data", {.to = reduced, .groups = {{0, 1}, {2, 3}}});  // refused
                 }),
                 "T004 {file}:{line}: all_gather: a value gathered in groups is equal in each group only, so "
                 "it is V, not R; use .to = varying");
}

TEST(groups, do_not_average_terms_of_a_sum_over_all) {
  expect_refused(on_devices([](Array x) {
                   return pmean(terms(x), "data", {.groups = {{0, 1}, {2, 3}}});  // refused
                 }),
                 "T004 {file}:{line}: pmean: f32[2]{U:data} is an unreduced sum over 'data'; a sum over the "
                 "groups of an axis has no type; reduce over all of it, or sum values");
}

TEST(groups, have_no_maximum_of_terms) {
  expect_refused(on_devices([](Array x) {
                   return pmax(terms(x), "data", {.groups = {{0, 1}, {2, 3}}});  // refused
                 }),
                 "T004 {file}:{line}: pmax: f32[2]{U:data} is an unreduced sum over 'data'; a maximum or "
                 "minimum takes values, not terms; psum it first");
}

TEST(groups, do_not_gather_terms) {
  expect_refused(on_devices([](Array x) {
                   return all_gather(terms(x), "data", {.groups = {{0, 1}, {2, 3}}});  // refused
                 }),
                 "T004 {file}:{line}: all_gather: f32[2]{U:data} is an unreduced sum over 'data'; a gather "
                 "takes blocks, not terms; use psum or psum_scatter");
}

TEST(permutations, over_two_axes_send_from_a_device_once) {
  expect_refused(on_devices([](Array x) {
                   return ppermute(x, {"model", "data"}, {{5, 0}, {5, 7}});  // refused
                 }),
                 "T009 {file}:{line}: ppermute: device 5 is the source of two pairs ([(5, 0), (5, 7)]); a "
                 "device sends once: use pbroadcast, or permute twice");
}

TEST(permutations, over_two_axes_are_of_devices_that_are_there) {
  expect_refused(on_devices([](Array x) {
                   return ppermute(x, {"model", "data"}, {{0, 8}});  // refused
                 }),
                 "T009 {file}:{line}: ppermute: there is no device 8 along ('model', 'data') ([(0, 8)]); it "
                 "has devices 0 to 7");
}

TEST(permutations, by_sources_are_of_devices_that_are_there) {
  expect_refused(on_devices([](Array x) {
                   return pshuffle(x, "data", {1, 2, 3, 4});  // refused
                 }),
                 "T009 {file}:{line}: pshuffle: there is no device 4 along 'data' ([(1, 0), (2, 1), (3, 2), "
                 "(4, 3)]); it has devices 0 to 3");
}

TEST(exchanges, put_the_blocks_along_a_dim_that_is_there) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(broadcast_to(x, {4, 2}), "data", {.concat = 2});  // refused
      }),
      "T006 {file}:{line}: all_to_all: dim 2 is out of range for f32[4,2]{V:data}, which has dims -2 to 1");
}

TEST(exchanges, of_scalars_are_refused) {
  expect_refused(
      on_devices([](Array x) {
        return all_to_all(reduce_sum(x), "data", {.tiled = true});  // refused
      }),
      "T006 {file}:{line}: all_to_all: dim 0 is out of range for f32[]{V:data}, which has no dims");
}

TEST(exchanges, of_axes_are_refused_in_their_name) {
  expect_refused(on_devices([](Array x) {
                   return pswapaxes(x, "data", 0);  // refused
                 }),
                 "T005 {file}:{line}: pswapaxes: dim 0 of f32[2]{V:data} has size 2, but 'data' has 4 "
                 "devices; it must be as many, or use all_to_all with tiled = true");
  expect_refused(
      on_devices([](Array x) {
        return pswapaxes(x, "data", 1);  // refused
      }),
      "T006 {file}:{line}: pswapaxes: dim 1 is out of range for f32[2]{V:data}, which has dims -1 to 0");
}

TEST(scatters, of_scalars_are_refused) {
  expect_refused(
      on_devices([](Array x) {
        return psum_scatter(reduce_sum(x), "data");  // refused
      }),
      "T006 {file}:{line}: psum_scatter: dim 0 is out of range for f32[]{U:data}, which has no dims");
}

TEST(smallest_values, of_sums_over_other_axes_are_on_no_device) {
  expect_refused(on_devices([](Array x) {
                   return pargmin(terms(x), "model");  // refused
                 }),
                 "T004 {file}:{line}: pargmin: the operand is an unreduced sum over 'data' (f32[2]{U:data, "
                 "V:model}), which only linear functions take. Reduce first: psum(x, \"data\")");
}

TEST(masks, of_bools_are_no_terms) {
  expect_refused(on_devices([](Array x) {
                   return mask(ones_like(x) > 0, "data");  // refused
                 }),
                 "T007 {file}:{line}: mask: bool[2] is bool, which has no sum; convert it to i32 first");
}

TEST(sums, of_numbers_name_the_number_of_devices) {
  expect_refused(on_devices([](Array x) {
                   return x / psum(1, "data");  // refused
                 }),
                 "T008 {file}:{line}: psum: a number is equal on all devices; its sum is the number times "
                 "axis_size(\"data\"), in C++");
  expect_refused(on_devices([](Array x) {
                   return x / psum(2.5, {"data", "model"});  // refused
                 }),
                 "T008 {file}:{line}: psum: a number is equal on all devices; its sum is the number times "
                 "axis_size({\"data\", \"model\"}), in C++");
}

TEST(devices, are_counted_along_each_axis_once) {
  expect_refused(on_devices([](Array x) {
                   return x / axis_size({"data", "data"});  // refused
                 }),
                 "T003 {file}:{line}: axis_size: axis 'data' is named twice; name each axis once");
}

TEST(sums, go_over_each_axis_once) {
  expect_refused(on_devices([](Array x) {
                   return psum(x, {"model", "model"});  // refused
                 }),
                 "T003 {file}:{line}: psum: axis 'model' is named twice; name each axis once");
}

}  // namespace
}  // namespace tutti
