// SPDX-License-Identifier: Apache-2.0
// Exchanges of blocks that are none, and of shardings that do not fit each other.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"data", 4}, {"model", 2}});
const Axis &data = mesh.axes()[0], &model = mesh.axes()[1];

Sharding over(std::vector<Axes> dims, Axes terms = {}, Axes gradients = {}) {
  return {mesh, std::move(dims), std::move(terms), std::move(gradients)};
}

TEST(exchanges, are_on_one_mesh) {
  const Mesh other({{"data", 8}});
  const Sharding from = over({{data}}), to{other, {{other.axes()[0]}}, {}, {}};
  expect_refused(
      on_devices([&](Array x) {
        return exchange(x, {8}, from, to);  // refused
      }),
      fmt::format("T013 {{file}}:{{line}}: exchange: {} is on mesh data=4,model=2, {} on mesh data=8; "
                  "an exchange is between devices of one mesh",
                  to_string(from), to_string(to)));
}

TEST(exchanges, name_every_dim_of_the_whole) {
  const Sharding from = over({{data}, {}});
  expect_refused(
      on_devices([&](Array x) {
        return exchange(x, {8}, from, over({{}}));  // refused
      }),
      fmt::format("T013 {{file}}:{{line}}: exchange: {} is for 2 dims, but f32[8] has 1; name one axis, "
                  "several, or none for each dim",
                  to_string(from)));
}

TEST(exchanges, name_every_axis_once) {
  const Sharding to = over({{data, data}});
  expect_refused(on_devices([&](Array x) {
                   return exchange(x, {8}, over({{data}}), to);  // refused
                 }),
                 fmt::format("T013 {{file}}:{{line}}: exchange: {} names axis 'data' twice; name it once",
                             to_string(to)));
}

TEST(exchanges, split_dims_evenly_before_and_after) {
  expect_refused(on_devices([&](Array x) {
                   return exchange(x, {6}, over({{data}}), over({{model}}));  // refused
                 }),
                 "T005 {file}:{line}: exchange: dim 0 of f32[6] does not split over the 4 devices of 'data'; "
                 "pad it or use another dim");
  expect_refused(
      on_devices([&](Array x) {
        return exchange(x, {4, 2}, over({{data}, {}}), over({{}, {data}}));  // refused
      }),
      "T005 {file}:{line}: exchange: dim 1 of f32[4,2] does not split over the 4 devices of 'data'; "
      "pad it or use another dim");
  expect_refused(on_devices([&](Array x) {
                   return exchange(x, {-8}, over({{data}}), over({{model}}));  // refused
                 }),
                 "T005 {file}:{line}: exchange: shape [-8] has a negative size; sizes are 0 or more");
}

TEST(exchanges, take_a_block_of_the_whole) {
  const Sharding from = over({{data}});
  expect_refused(
      on_devices([&](Array x) {
        return exchange(x, {16}, from, over({{model}}));  // refused
      }),
      fmt::format("T005 {{file}}:{{line}}: exchange: f32[2]{{V:data}} is no block of [16] under {}, which "
                  "is f32[4]{{V:data}}; give the shape of the whole",
                  to_string(from)));
}

TEST(exchanges, take_values_that_are_equal_where_the_sharding_says_so) {
  const Sharding from = over({{model}}), to = over({{data}});
  expect_refused(
      on_devices([&](Array x) {
        return exchange(x, {4}, from, to);  // refused
      }),
      fmt::format("T004 {{file}}:{{line}}: exchange: f32[2]{{V:data, V:model}} is exchanged from {} to {}, "
                  "which needs f32[2]{{V:model}}",
                  to_string(from), to_string(to)));
}

TEST(exchanges, sum_no_terms) {
  const Sharding from = over({{data}}, {model}), to = over({{data}});
  expect_refused(
      on_devices([&](Array x) {
        return exchange(mask(x, "model"), {8}, from, to);  // refused
      }),
      fmt::format("T004 {{file}}:{{line}}: exchange: {} does not become {} by an exchange, which moves "
                  "values; sum terms by psum or psum_scatter, and make them by mask",
                  to_string(from), to_string(to)));
}

TEST(exchanges, leave_gradients_as_they_are_summed) {
  const Sharding from = over({{data}}), to = over({{data}}, {}, {model});
  expect_refused(
      on_devices([&](Array x) {
        return exchange(x, {8}, from, to);  // refused
      }),
      fmt::format("T004 {{file}}:{{line}}: exchange: {} does not become {} by an exchange, which moves "
                  "values; choose by pcast how gradients are summed",
                  to_string(from), to_string(to)));
}

}  // namespace
}  // namespace tutti
