// SPDX-License-Identifier: Apache-2.0
// Sub-programs that are large enough for all workers, in every plan.
#include <gtest/gtest.h>

#include <regex>

#include "tests/run/harness.hpp"
#include "tests/support/reference.hpp"
#include "tutti/control/flow/cond.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/assume_invariant.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/reduce.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

const Mesh line({{"x", 4}});
const Mesh grid({{"x", 2}, {"y", 2}});
constexpr std::int64_t size = 64;

/// Small whole numbers again, whatever x is.
Array wrapped(const Array& x) { return maximum(minimum(x, 9.0), -9.0); }
/// Work for several workers: a product on every device, then a sum over them.
Array heavy(const Array& x) { return wrapped(psum(wrapped(matmul(x, x)), "x")); }

Program over(const Mesh& mesh, const std::function<Array(const Array&)>& body) {
  const Axes& axes = mesh.axes();
  return test_program(mesh, {{DType::f32, {size * mesh.devices(), size}, {axes}}},
                      [&](const Arrays& x) { return Arrays{body(x[0])}; }, {{axes}});
}

Array looped(const Array& x) {
  auto trip = [](const Array& c, const Array& row) {
    Array next = wrapped(c + heavy(c) + row);
    return Pair{next, reduce_sum(next, 0)};
  };
  auto [last, ys] = scan(trip, x, x);
  return last + ys;
}

TEST(control, scan_of_heavy_trips_computes_the_same_by_all_plans) {
  expect_all_plans_compute(over(line, looped), line);
}

TEST(control, cond_of_heavy_branches_computes_the_same_by_all_plans) {
  auto body = [](const Array& x) {
    Array odd = axis_index("y") > 0;
    return cond(
        odd, [](const Array& v) { return wrapped(v + heavy(v)); },
        [](const Array& v) { return v - heavy(heavy(v)); }, x);
  };
  expect_all_plans_compute(over(grid, body), grid);
}

TEST(control, while_of_heavy_trips_computes_the_same_by_all_plans) {
  auto body = [](const Array& x) {
    auto goes_on = [](const Pair& c) { return c.first < axis_index("y") * 2 + 1; };
    auto trip = [](const Pair& c) { return Pair{c.first + 1, wrapped(c.second + heavy(c.second))}; };
    return while_loop(goes_on, trip, Pair{zeros({}, DType::i32), x}).second;
  };
  expect_all_plans_compute(over(grid, body), grid);
}

TEST(control, heavy_loops_in_branches_in_loops_compute_the_same_by_all_plans) {
  auto body = [](const Array& x) {
    auto trip = [](const Array& i, const Array& c) {
      return cond(
          i > 1, [](const Array& v) { return wrapped(looped(v)); }, [](const Array& v) { return v + 1.0; },
          c);
    };
    return fori_loop(0, 3, trip, x);
  };
  expect_all_plans_compute(over(line, body), line);
}

TEST(control, explains_what_all_workers_do_together) {
  Team team(2, Team::Use::always);
  std::string text = Executable(over(line, looped), line, team).explain();
  EXPECT_NE(text.find("  together  control scan (control_test.cpp:"), std::string::npos) << text;
  EXPECT_TRUE(
      std::regex_search(text, std::regex(R"(\n( *)    each of 64 trips\n\1      phase 0\n.*  by 'x' )")))
      << text;
}

TEST(control, an_error_in_one_workers_part_of_a_trip_stops_the_others_and_the_next_call_is_right) {
  Team team(2, Team::Use::always);
  auto body = [](const Array& x) {
    Array is_large = reduce_max(x) > 100;
    auto trip = [&](const Array& i, const Array& c) {
      Array last = axis_index("x") > 2;  // on the second worker
      Array differs = convert(logical_and(is_large, logical_and(last, i >= 5)), DType::f32);
      return wrapped(heavy(c) + assume_invariant(differs, "x"));
    };
    return fori_loop(0, 10, trip, x);
  };
  Program program = over(line, body);
  Executable executable(program, line, team,
                        {.plan = {.choice = PlanChoice::by_axis, .check_assumptions = true}});
  Tensors small = test_data(program), large = small;
  large[0].mutable_data<float>()[large[0].elements() - 1] = 1000;  // on the last device
  Tensors expected = evaluate_whole(program, line, small);
  auto run = [&](const Tensors& data) {
    std::shared_ptr<const GlobalArray> argument = std::make_shared<const GlobalArray>(data[0]);
    return executable.run({argument})[0]->whole();
  };
  for (int call = 0; call < 10; ++call) {
    EXPECT_EQ(run(small), expected[0]);
    try {
      run(large);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::state) << error.what();
    }
  }
}

}  // namespace
}  // namespace tutti
