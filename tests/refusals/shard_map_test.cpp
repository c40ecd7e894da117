// SPDX-License-Identifier: Apache-2.0
// What goes into and comes out of a shard_map by specs that do not fit.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh& mesh() {
  static const Mesh grid({{"data", 4}, {"model", 2}});
  return grid;
}
Array same(Array x) { return x; }

TEST(in_specs, are_not_longer_than_the_rank) {
  expect_refused(traced([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("data", none), .out = P()})(x);  // refused
                 }),
                 "?");
}

TEST(in_specs, name_axes_of_the_mesh) {
  expect_refused(traced([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("rows"), .out = P()})(x);  // refused
                 }),
                 "?");
}

TEST(in_specs, name_an_axis_once) {
  expect_refused(traced([](Array x) {
                   auto twice =
                       shard_map(same, {.mesh = mesh(), .in = P("data", "data"), .out = P()});  // refused
                   return twice(reshape(x, {2, 2}));
                 }),
                 "?");
  expect_refused(traced([](Array x) {
                   P spec = P("data").unreduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = spec, .out = P()})(x);  // refused
                 }),
                 "?");
}

TEST(in_specs, are_as_many_as_the_arguments) {
  auto sum = [](Array x, Array y) { return x + y; };
  expect_refused(traced([&](Array x) {
                   Specs specs{P("data"), P("data"), P()};
                   return shard_map(sum, {.mesh = mesh(), .in = specs, .out = P("data")})(x, x);  // refused
                 }),
                 "?");
}

TEST(in_specs, have_the_form_of_the_arguments) {
  struct Params {
    Array w, b;
  };
  auto apply = [](Params params, Array x) { return x * params.w + params.b; };
  expect_refused(traced([&](Array x) {
                   Specs specs{Specs{P(), P(), P()}, P("data")};
                   auto applied =
                       shard_map(apply, {.mesh = mesh(), .in = specs, .out = P("data")});  // refused
                   return applied(Params{x, x}, x);
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   Specs specs{P(), Specs{P("data"), P()}};
                   auto applied =
                       shard_map(apply, {.mesh = mesh(), .in = specs, .out = P("data")});  // refused
                   return applied(Params{x, x}, x);
                 }),
                 "?");
}

TEST(in_specs, split_a_dim_evenly) {
  expect_refused(traced([](Array x) {
                   Specs spec = P(SpecEntry{"data", "model"});
                   return shard_map(same, {.mesh = mesh(), .in = spec, .out = P()})(x);  // refused
                 }),
                 "?");
}

TEST(in_specs, name_the_argument_that_does_not_fit) {
  struct Layer {
    Array w, b;
  };
  auto first = [](std::vector<Layer> layers) { return layers[0].w; };
  expect_refused(traced([&](Array x) {
                   auto applied =
                       shard_map(first, {.mesh = mesh(), .in = P("data"), .out = P("data")});  // refused
                   return applied(std::vector<Layer>{{x, x}, {x, reduce_sum(x)}});
                 }),
                 "?");
}

TEST(out_specs, say_where_results_differ) {
  expect_refused(traced([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = P()})(x);  // refused
                 }),
                 "?");
}

TEST(out_specs, say_where_results_are_sums) {
  auto terms = [](Array x) { return pcast(x, "data", unreduced); };
  expect_refused(traced([&](Array x) {
                   return shard_map(terms,
                                    {.mesh = mesh(), .in = P("data"), .out = P("data")})(x);  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   return shard_map(terms, {.mesh = mesh(), .in = P("data"), .out = P()})(x);  // refused
                 }),
                 "?");
}

TEST(out_specs, that_ask_for_a_sum_get_one) {
  expect_refused(traced([](Array x) {
                   P sum = P().unreduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = P(), .out = sum})(x);  // refused
                 }),
                 "?");
}

TEST(out_specs, name_the_result_that_does_not_fit) {
  auto both = [](Array x) { return std::pair{psum(x, "data"), x}; };
  expect_refused(traced([&](Array x) {
                   auto mapped =
                       shard_map(both, {.mesh = mesh(), .in = P("data"), .out = {P(), P()}});  // refused
                   return mapped(x).first;
                 }),
                 "?");
}

TEST(out_specs, are_as_many_as_the_results) {
  auto both = [](Array x) { return std::pair{x, x}; };
  expect_refused(
      traced([&](Array x) {
        Specs specs{P("data"), P("data"), P()};
        return shard_map(both, {.mesh = mesh(), .in = P("data"), .out = specs})(x).first;  // refused
      }),
      "?");
}

TEST(trees, of_two_forms_are_not_mapped_together) {
  expect_refused(traced([&](Array x) {
                   tree_map([](Array a, Array b) { return a + b; }, std::vector{x, x},
                            std::vector{x});  // refused
                   return x;
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   std::map<std::string, Array> a{{"w", x}}, b{{"b", x}};
                   tree_map([](Array l, Array r) { return l + r; }, std::pair{x, a},
                            std::pair{x, b});  // refused
                   return x;
                 }),
                 "?");
}

}  // namespace
}  // namespace tutti
