// SPDX-License-Identifier: Apache-2.0
// Parts of loops, branches and calls: the same results, by less work.
#include "tutti/control/flow/needed_part.hpp"

#include <gtest/gtest.h>

#include "tests/support/recorded.hpp"
#include "tests/support/reference.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Function = std::function<Arrays(const Arrays&)>;
using Pair = std::pair<Array, Array>;
using Three = std::tuple<Array, Array, Array>;

const Types types{{DType::f64, {3}}, {DType::i32, {}}};

/// The part that makes the last result of `function` has the same value, and neither sines nor what only they
/// read.
void expect_without_sines(const Function& function) {
  Program whole = recorded(types, function);
  ASSERT_GT(count(whole, "sin"), 0);
  std::size_t last = whole.outputs.size() - 1;
  Program part = needed_part(whole, {last});
  check(part);
  EXPECT_EQ(count(part, "sin") + count(part, "exp"), 0) << to_string(part);
  Tensors given{Tensor(Shape{3}, std::vector<double>{0.5, -1, 2}), Tensor::scalar(std::int32_t{4})};
  EXPECT_EQ(evaluate_whole(part, example_mesh(), given)[0],
            evaluate_whole(whole, example_mesh(), given)[last]);
}

TEST(needed_part, of_a_scan_has_only_carries_that_something_reads) {
  expect_without_sines([](const Arrays& a) -> Arrays {
    auto step = [&](const Three& carry, const Array& n) -> std::pair<Three, Pair> {
      auto [x, number, next] = carry;
      return {{sin(x), next, number + n}, {x, number}};
    };
    auto [carries, ys] =
        scan(step, Three{exp(a[0]), a[1], a[1] + 1}, arange(4, DType::i32), {.reverse = true});
    return {std::get<0>(carries), ys.first, ys.second};
  });
}

TEST(needed_part, of_a_scan_keeps_a_carry_that_no_trip_reads) {
  expect_without_sines([](const Arrays& a) -> Arrays {
    auto step = [](const Pair& carry, const Array& n) { return std::pair{Pair{sin(carry.first), n}, n}; };
    Pair last = scan(step, Pair{a[0], a[1]}, arange(4, DType::i32)).first;
    return {last.first, last.second};
  });
}

TEST(needed_part, of_a_while_loop_keeps_what_its_test_reads) {
  expect_without_sines([](const Arrays& a) -> Arrays {
    auto goes_on = [&](const Three& carry) { return std::get<1>(carry) < a[1]; };
    auto trip = [&](const Three& carry) {
      auto [x, number, sum] = carry;
      return Three{sin(x * exp(a[0])), number + 1, sum + 2};
    };
    auto [x, number, sum] = while_loop(goes_on, trip, Three{exp(a[0]), a[1] - 3, a[1]});
    return {x, sum};
  });
}

TEST(needed_part, of_a_switch_has_only_operands_that_a_branch_reads) {
  expect_without_sines([](const Arrays& a) -> Arrays {
    auto first = [](const Array& x, const Array& n) { return Pair{sin(x), n * 2}; };
    auto second = [](const Array& x, const Array& n) { return Pair{sin(x) * 2.0, n}; };
    auto third = [&](const Array&, const Array& n) { return Pair{sin(a[0]), n - 1}; };
    Pair found = switch_(a[1] - 3, std::tuple{first, second, third}, exp(a[0]), a[1]);
    return {found.first, found.second};
  });
}

TEST(needed_part, of_a_call_and_of_loops_in_loops) {
  expect_without_sines([](const Arrays& a) -> Arrays {
    auto body = [](const Array& x, const Array& n) {
      auto inner = [](const Pair& carry, const Array& m) {
        return std::pair{Pair{sin(carry.first), carry.second + m}, m};
      };
      auto outer = [&](const Pair& carry, const Array&) {
        return std::pair{scan(inner, carry, arange(2, DType::i32)).first, carry.first};
      };
      return scan(outer, Pair{x, n}, arange(3, DType::i32)).first;
    };
    Pair found = remat(body)(exp(a[0]), a[1]);
    return {found.first, found.second};
  });
}

}  // namespace
}  // namespace tutti
