// SPDX-License-Identifier: Apache-2.0
// Arguments and results of a shard_map with specs that do not fit.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh& mesh() {
  static const Mesh grid({{"data", 4}, {"model", 2}});
  return grid;
}
Array same(Array x) { return x; }

TEST(in_specs, are_not_longer_than_the_rank) {
  expect_refused(
      traced([](Array x) {
        return shard_map(same, {.mesh = mesh(), .in = P("data", none), .out = P()})(x);  // refused
      }),
      "T013 {file}:{line}: shard_map: argument 0: the spec names 2 dims, but f32[4] has 1; drop the last 1");
}

TEST(in_specs, name_axes_of_the_mesh) {
  expect_refused(traced([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("rows"), .out = P()})(x);  // refused
                 }),
                 "T001 {file}:{line}: shard_map: argument 0: the spec names axis 'rows', but the mesh is "
                 "data=4,model=2; use one of its axes");
}

TEST(in_specs, name_whole_axes) {
  expect_refused(
      traced([](Array x) {
        return shard_map(same, {.mesh = mesh(), .in = P(part("data", 1, 2)), .out = P()})(x);  // refused
      }),
      "T013 {file}:{line}: shard_map: argument 0: P(data(1)2) names a part of an axis, but programs bind "
      "whole "
      "axes; take a mesh that has the part as an axis, or reshard finished data outside of the program");
}

TEST(in_specs, name_an_axis_once) {
  expect_refused(
      traced([](Array x) {
        auto twice = shard_map(same, {.mesh = mesh(), .in = P("data", "data"), .out = P()});  // refused
        return twice(reshape(x, {2, 2}));
      }),
      "T013 {file}:{line}: shard_map: argument 0: P(data, data) names axis 'data' twice; name it once");
  expect_refused(traced([](Array x) {
                   P spec = P("data").unreduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = spec, .out = P()})(x);  // refused
                 }),
                 "T013 {file}:{line}: shard_map: argument 0: P(data)+U(data) names axis 'data' "
                 "twice; name it once");
}

TEST(in_specs, are_as_many_as_the_arguments) {
  auto sum = [](Array x, Array y) { return x + y; };
  expect_refused(traced([&](Array x) {
                   Specs specs{P("data"), P("data"), P()};
                   return shard_map(sum, {.mesh = mesh(), .in = specs, .out = P("data")})(x, x);  // refused
                 }),
                 "T012 {file}:{line}: shard_map: .in has 3 specs for a tree of 2 parts; give one spec for "
                 "all of it, or one for each part");
}

TEST(in_specs, have_the_form_of_the_arguments) {
  struct Params {
    Array w, b;
  };
  auto apply = [](const Params& params, Array x) { return x * params.w + params.b; };
  expect_refused(traced([&](Array x) {
                   Specs specs{Specs{P(), P(), P()}, P("data")};
                   auto applied =
                       shard_map(apply, {.mesh = mesh(), .in = specs, .out = P("data")});  // refused
                   return applied(Params{x, x}, x);
                 }),
                 "T012 {file}:{line}: shard_map: .in.0 has 3 specs for a tree of 2 parts; give one spec for "
                 "all of it, or one for each part");
  expect_refused(traced([&](Array x) {
                   Specs specs{P(), Specs{P("data"), P()}};
                   auto applied =
                       shard_map(apply, {.mesh = mesh(), .in = specs, .out = P("data")});  // refused
                   return applied(Params{x, x}, x);
                 }),
                 "T012 {file}:{line}: shard_map: .in.1 has 2 specs for one array; give one spec for all of "
                 "it, or one for each part");
}

TEST(in_specs, in_braces_are_one_for_each_argument) {
  auto sum = [](Array x, Array y) { return x + y; };
  expect_refused(traced([&](Array x) {
                   auto mapped =
                       shard_map(sum, {.mesh = mesh(), .in = {P("data")}, .out = P("data")});  // refused
                   return mapped(x, x);
                 }),
                 "T013 {file}:{line}: shard_map: .in has one spec in braces, which is for one part, but "
                 "there are 2; write it without braces for all of them, or give one spec for each");
}

TEST(in_specs, split_a_dim_evenly) {
  expect_refused(traced([](Array x) {
                   Specs spec = P(SpecEntry{"data", "model"});
                   return shard_map(same, {.mesh = mesh(), .in = spec, .out = P()})(x);  // refused
                 }),
                 "T005 {file}:{line}: shard_map: argument 0: dim 0 of f32[4] does not split over the 8 "
                 "devices of ('data', 'model'); pad it or use another dim");
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
                 "T013 {file}:{line}: shard_map: argument 0[1].1: the spec names 1 dim, but f32[] has 0; "
                 "drop the last 1");
}

TEST(out_specs, say_where_results_differ) {
  expect_refused(traced([](Array x) {
                   return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = P()})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[1]{V:data} is different on each device along "
                 "'data', but the out-spec P() says equal on all devices. Name 'data' in the out-spec, or "
                 "make the devices equal, for example with psum(x, \"data\") if they are terms of a sum, or "
                 "pmean(x, \"data\")");
}

TEST(out_specs, say_where_results_are_sums) {
  auto terms = [](Array x) { return pcast(x, "data", unreduced); };
  expect_refused(traced([&](Array x) {
                   ShardMapOptions options{.mesh = mesh(), .in = P("data"), .out = P("data")};
                   return shard_map(terms, options)(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[1]{U:data} is an unreduced sum over 'data', but "
                 "the out-spec P(data) says different on each device. Reduce it: psum(x, \"data\"), or "
                 "write .unreduced({\"data\"}) in the out-spec instead");
  expect_refused(traced([&](Array x) {
                   return shard_map(terms, {.mesh = mesh(), .in = P("data"), .out = P()})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[1]{U:data} is an unreduced sum over 'data', but "
                 "the out-spec P() says equal on all devices. Reduce it: psum(x, \"data\"), or write "
                 ".unreduced({\"data\"}) in the out-spec");
}

TEST(out_specs, that_ask_for_a_sum_get_one) {
  expect_refused(traced([&](Array x) {
                   P sum = P().unreduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = P("data"), .out = sum})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[1]{V:data} is different on each device along "
                 "'data', but the out-spec P()+U(data) says an unreduced sum. If the parts are terms "
                 "of a sum, say so: pcast(x, \"data\", unreduced); else name 'data' for a dim");
  expect_refused(traced([](Array x) {
                   P sum = P().unreduced({"data"});
                   return shard_map(same, {.mesh = mesh(), .in = P(), .out = sum})(x);  // refused
                 }),
                 "T004 {file}:{line}: shard_map: result: f32[4] is equal on all devices along 'data', but "
                 "the out-spec P()+U(data) says an unreduced sum. Drop .unreduced, or count the "
                 "value once: mask(x, \"data\")");
}

TEST(out_specs, name_the_result_that_does_not_fit) {
  auto both = [](Array x) { return std::pair{psum(x, "data"), x}; };
  expect_refused(traced([&](Array x) {
                   auto mapped =
                       shard_map(both, {.mesh = mesh(), .in = P("data"), .out = {P(), P()}});  // refused
                   return mapped(x).first;
                 }),
                 "T004 {file}:{line}: shard_map: result 1: f32[1]{V:data} is different on each device along "
                 "'data', but the out-spec P() says equal on all devices. Name 'data' in the out-spec, or "
                 "make the devices equal, for example with psum(x, \"data\") if they are terms of a sum, or "
                 "pmean(x, \"data\")");
}

TEST(out_specs, in_braces_are_one_for_each_result) {
  auto both = [](Array x) { return std::pair{x, x}; };
  expect_refused(traced([&](Array x) {
                   auto mapped =
                       shard_map(both, {.mesh = mesh(), .in = P("data"), .out = {P("data")}});  // refused
                   return mapped(x).first;
                 }),
                 "T013 {file}:{line}: shard_map: .out has one spec in braces, which is for one part, but "
                 "there are 2; write it without braces for all of them, or give one spec for each");
}

TEST(out_specs, are_as_many_as_the_results) {
  auto both = [](Array x) { return std::pair{x, x}; };
  expect_refused(
      traced([&](Array x) {
        Specs specs{P("data"), P("data"), P()};
        return shard_map(both, {.mesh = mesh(), .in = P("data"), .out = specs})(x).first;  // refused
      }),
      "T012 {file}:{line}: shard_map: .out has 3 specs for a tree of 2 parts; give one spec for all of it, "
      "or one for each part");
}

TEST(trees, of_two_forms_are_not_mapped_together) {
  expect_refused(traced([&](Array x) {
                   std::vector<Array> two{x, x}, one{x};
                   tree_map([](Array a, Array b) { return a + b; }, two, one);  // refused
                   return x;
                 }),
                 "T012 {file}:{line}: tree_map: the trees differ: found 1 part ([0]), expected 2 parts ([0], "
                 "[1]); hand in the same structure");
  expect_refused(traced([&](Array x) {
                   std::map<std::string, Array> a{{"w", x}}, b{{"b", x}};
                   std::pair left{x, a}, right{x, b};
                   tree_map([](Array l, Array r) { return l + r; }, left, right);  // refused
                   return x;
                 }),
                 "T012 {file}:{line}: tree_map: the trees differ at .1: found 1 part ([\"b\"]), expected 1 "
                 "part ([\"w\"]); hand in the same structure");
}

}  // namespace
}  // namespace tutti
