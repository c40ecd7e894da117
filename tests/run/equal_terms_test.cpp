// SPDX-License-Identifier: Apache-2.0
// explain() marks a psum that counts an equal value once per device.
#include "tutti/run/watch/equal_terms.hpp"

#include <gtest/gtest.h>

#include "tutti/api/derivatives.hpp"
#include "tutti/api/shard_map.hpp"
#include "tutti/api/vmap.hpp"
#include "tutti/control/flow/cond.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/control/wrapped/futures.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/of_trees.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/run/machine.hpp"

namespace tutti {
namespace {

const Mesh grid({{"a", 2}, {"b", 2}});
const Where line_7{"train.cpp", 7, 0};

/// The lines of explain() about sums of equal values. The body gets w, equal on all devices, and its part of
/// x, split over `a`.
std::string lines_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string said_of(const std::function<Array(const Array& w, const Array& x)>& body) {
  const Machine machine = open_local(grid, {.workers = 1});
  const auto at_line_7 = [&](const Array& w, const Array& x) {
    const auto place = Builder::current().on_behalf_of({line_7, "psum"});
    return pcast(body(w, x), {"a", "b"}, varying);
  };
  const Array w = Tensor({2}, {1.F, 2.F}), x = Tensor({4}, {1.F, 2.F, 3.F, 4.F});
  const auto run = machine.compile(
      shard_map(at_line_7, {.mesh = grid, .in = {P(), P("a")}, .out = P(SpecEntry{"a", "b"})}), w, x);
  const std::string text = run.explain(), said = lines_of(equal_terms(run.program()));
  EXPECT_TRUE(text.ends_with(said)) << text;
  EXPECT_EQ(text.find("counts an equal") == text.npos, said.empty()) << text;
  return said;
}

std::string marked(const std::string& axes, const std::string& op = "all_reduce") {
  return "train.cpp:7: " + op + " counts an equal value once per device along " + axes +
         "; if it is to count once, leave the sum out\n";
}

// A step of data parallel training as DDP and MPI programs have it.
TEST(equal_terms, mark_the_sum_of_a_gradient_by_an_equal_parameter) {
  const auto loss = [](const Array& w, const Array& x) { return pmean(reduce_sum(square(w * x)), "a"); };
  EXPECT_EQ(said_of([&](const Array& w, const Array& x) { return psum(grad(loss)(w, x), "a"); }),
            marked("'a'"));
  EXPECT_EQ(said_of([&](const Array& w, const Array& x) { return grad(loss)(w, x); }), "");
  EXPECT_EQ(said_of([&](const Array& w, const Array& x) { return pmean(grad(loss)(w, x), "a"); }), "");
}

TEST(equal_terms, mark_the_sum_of_a_tree) {
  EXPECT_EQ(said_of([](const Array& w, const Array& x) {
              const auto [first, second] = psum(std::pair(w, x), "a");
              return first + second;
            }),
            marked("'a'"));
}

TEST(equal_terms, name_only_the_axes_along_which_the_value_is_equal) {
  EXPECT_EQ(said_of([](const Array&, const Array& x) { return psum(x, {"a", "b"}); }), marked("'b'"));
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return psum(w, {"b", "a"}); }), marked("('b', 'a')"));
  EXPECT_EQ(said_of([](const Array&, const Array& x) { return psum(x, "a"); }), "");
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return psum(pcast(w, "a", reduced), "a"); }),
            marked("'a'"));
}

TEST(equal_terms, mark_no_value_that_the_program_calls_varying_or_terms) {
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return psum(pcast(w, "a", varying), "a"); }), "");
  EXPECT_EQ(said_of([](const Array&, const Array& x) { return psum(pcast(x, "a", unreduced), "a"); }), "");
}

TEST(equal_terms, mark_no_mean_and_no_maximum) {
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return pmean(w, {"a", "b"}); }), "");
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return pmax(w, "a") + pmin(w, "b"); }), "");
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return pmean(w, "a", {.groups = {{0}, {1}}}); }), "");
}

TEST(equal_terms, mark_sums_of_groups_blocks_and_futures) {
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return psum(w, "a", {.groups = {{0, 1}}}); }),
            marked("'a'"));
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return psum_scatter(w, "a", {.tiled = true}); }),
            marked("'a'", "reduce_scatter"));
  EXPECT_EQ(said_of([](const Array& w, const Array&) { return psum_start(w, "b").done(); }), marked("'b'"));
}

TEST(equal_terms, are_found_in_loops_and_branches) {
  EXPECT_EQ(said_of([](const Array& w, const Array&) {
              const auto trip = [](const Array&, const Array& c) { return 0.5F * psum(c, "a"); };
              return fori_loop(0, 3, trip, w);
            }),
            marked("'a'"));
  EXPECT_EQ(said_of([](const Array& w, const Array&) {
              const auto sum = [](const Array& y) { return psum(y, "b"); };
              const auto same = [](const Array& y) { return y; };
              return cond(reduce_sum(w) > 0, sum, same, w);
            }),
            marked("'b'"));
}

// The carry begins equal, and varies from the first trip on: the sum is one of varying values.
TEST(equal_terms, are_those_of_the_last_trace_of_a_loop) {
  EXPECT_EQ(said_of([](const Array& w, const Array& x) {
              const auto trip = [&](const Array&, const Array& c) { return x + psum(c, "a"); };
              return fori_loop(0, 3, trip, w);
            }),
            "");
}

// d(mean of w + x)/dw: each device has the same 1/n, which the transform casts and sums. Nobody counts too
// much.
TEST(equal_terms, are_none_where_a_transform_wrote_the_sum) {
  const auto loss = [](const Array& w, const Array& x) { return pmean(reduce_sum(w + x), "a"); };
  const Mesh line({{"a", 2}});
  const auto gradient = [&](const Array& w, const Array& x) { return grad(loss)(w, x); };
  const auto run = open_local(line, {.workers = 1})
                       .compile(shard_map(gradient, {.mesh = line, .in = {P(), P("a")}, .out = P()}),
                                abstract({2}, DType::f32), abstract({4}, DType::f32));
  const std::string program = to_string(run.program());
  EXPECT_NE(program.find("all_reduce{kind=sum"), std::string::npos) << program;
  EXPECT_TRUE(equal_terms(run.program()).empty()) << program;
}

// The derivative sums its tangent as well: one line of the source, one line here. A batch stays marked.
TEST(equal_terms, of_a_transformed_program_are_told_once) {
  const auto sum = [](const Array& w) { return psum(w, "a"); };
  EXPECT_EQ(said_of([&](const Array& w, const Array&) {
              const auto [value, tangent] = jvp(sum, std::tuple(w), std::tuple(2 * w));
              return value + tangent;
            }),
            marked("'a'"));
  EXPECT_EQ(said_of([&](const Array& w, const Array&) { return vmap(sum)(w); }), marked("'a'"));
}

TEST(equal_terms, change_no_value) {
  const Machine machine = open_local(grid, {.workers = 1});
  const Array w = Tensor({2}, {1.F, 2.F});
  const auto all = [](const Array& y) { return psum(y, {"a", "b"}); };
  const auto run = machine.compile(shard_map(all, {.mesh = grid, .in = P(), .out = P()}), w);
  EXPECT_EQ(run(w).tensor(), Tensor({2}, {4.F, 8.F}));
}

}  // namespace
}  // namespace tutti
