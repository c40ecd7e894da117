// SPDX-License-Identifier: Apache-2.0
// How control flow runs: who works, who waits, what is kept, and where errors say they come from.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/values.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

const Mesh line({{"x", 4}});

Tensor ints(const std::vector<std::int32_t>& values) {
  return {Shape{static_cast<std::int64_t>(values.size())}, values};
}

/// Opaque work that counts its units, and throws if it is told to.
struct Counted {
  static constexpr std::string_view name = "counted";
  static constexpr About about{"A test's op.", ""};
  static constexpr Refused jvp{"a test's op"}, transpose{"a test's op"}, lower{"a test's op"};
  std::shared_ptr<std::atomic<int>> units;
  bool throws = false;

  Parameters parameters() const { return {}; }
  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const { return operands; }
  Kernel kernel(const Layout& layout) const {
    std::size_t bytes = layout.results()[0].bytes();
    return kernel::Opaque{100, 0, [=, count = units, fails = throws](const kernel::Unit& unit) {
                            if (fails) throw Error(Code::device, {}, "it is on fire");
                            std::copy_n(unit.operands[0], bytes, unit.results[0]);
                            ++*count;
                          }};
  }
  BatchedArrays batch(const Axis&, const BatchedArrays& operands, const Types&) const {
    return {{apply_one(*this, {operands[0].array}), operands[0].batched}};
  }
  static std::vector<Example> examples() { return {}; }
  bool operator==(const Counted&) const = default;
};

auto over_line(std::function<Array(const Array&)> body) {
  return shard_map(std::move(body), {.mesh = line, .in = P("x"), .out = P("x")});
}

Tensor run(const std::function<Array(const Array&)>& body, const Tensor& x) {
  auto compiled = open_local(line).compile(over_line(body), Array(x));
  compiled(x);
  return compiled(x).tensor();
}

TEST(running_cond, gives_work_only_to_the_devices_that_take_the_branch) {
  auto yes = std::make_shared<std::atomic<int>>(0), no = std::make_shared<std::atomic<int>>(0);
  auto body = [&](const Array& x) {
    return cond(
        reduce_sum(x) > 1, [&](const Array& v) { return apply_one(Counted{yes}, {v}) * 10; },
        [&](const Array& v) { return apply_one(Counted{no}, {v}) + axis_index("x"); }, x);
  };
  EXPECT_EQ(run(body, ints({5, 0, 1, 2})), ints({50, 1, 3, 20}));
  EXPECT_EQ(*yes, 2 * 2);  // of two calls
  EXPECT_EQ(*no, 2 * 2);
}

const Mesh square({{"x", 2}, {"y", 2}});

Tensor run_on_square(const std::function<Array(const Array&)>& body, const Tensor& x) {
  P all(SpecEntry{"x", "y"});
  return open_local(square)
      .compile(shard_map(body, {.mesh = square, .in = all, .out = all}), Array(x))(x)
      .tensor();
}

// The position along the first axis is an operand of what is decided along the second.
TEST(running_cond, inside_of_one_that_is_decided_along_another_axis) {
  auto inner = [](const Array& x) {
    return cond(
        axis_index("y") > 0, [](const Array& v) { return v + 10 * axis_index("x"); },
        [](const Array& v) { return -v; }, x);
  };
  auto body = [&](const Array& x) {
    return cond(axis_index("x") > 0, inner, [](const Array& v) { return v * 2; }, x);
  };
  EXPECT_EQ(run_on_square(body, ints({1, 2, 3, 4})), ints({2, 4, -3, 14}));
}

TEST(running_while, inside_of_one_that_is_decided_along_another_axis) {
  auto inner = [](const Array&, const Array& c) {
    return fori_loop(
        0, axis_index("y") + 1, [](const Array&, const Array& v) { return v + 1 + axis_index("x"); }, c);
  };
  auto body = [&](const Array& x) { return fori_loop(0, axis_index("x") + 1, inner, x); };
  EXPECT_EQ(run_on_square(body, ints({10, 20, 30, 40})), ints({11, 22, 34, 48}));
}

// Along x the carry is equal until the test says otherwise; a gradient by it is then no sum over x.
TEST(running_while, takes_gradients_in_trips_that_devices_decide) {
  auto trip = [](const Array&, const Array& c) {
    return c - 0.25F * grad([](const Array& v) { return reduce_sum(v * v); })(c);
  };
  auto body = [&](const Array& x) {
    return fori_loop(0, axis_index("x"), trip, full({1}, 16.0, DType::f32)) + x;
  };
  EXPECT_EQ(run(body, Tensor(Shape{4}, {0.0F, 0.0F, 0.0F, 0.5F})),
            Tensor(Shape{4}, {16.0F, 8.0F, 4.0F, 2.5F}));
}

TEST(running_switch, clamps_its_index) {
  auto body = [](const Array& x) {
    auto add = [](std::int32_t n) { return [n](const Array& v) { return v + n; }; };
    return switch_(reduce_sum(x), std::tuple{add(10), add(20), add(30)}, x);
  };
  EXPECT_EQ(run(body, ints({-7, 0, 1, 9})), ints({3, 10, 21, 39}));
}

TEST(running_while, keeps_what_a_device_has_when_it_leaves) {
  auto trips = std::make_shared<std::atomic<int>>(0);
  auto body = [&](const Array& x) {
    auto goes_on = [](const Pair& c) { return reduce_sum(c.first) < 4; };
    auto trip = [&](const Pair& c) { return Pair{apply_one(Counted{trips}, {c.first}) + 1, c.second * 2}; };
    return while_loop(goes_on, trip, Pair{x, ones({1}, DType::i32)}).second;
  };
  EXPECT_EQ(run(body, ints({0, 3, 4, 9})), ints({16, 2, 1, 1}));
  EXPECT_EQ(*trips, 2 * (4 + 1));
}

TEST(running_scan, of_no_trips_returns_what_it_started_with) {
  auto body = [](const Array& x) {
    auto trip = [](const Array& i, const Array& c) { return c * i; };
    return fori_loop(3, 3, trip, x) + fori_loop(5, 1, trip, x);
  };
  EXPECT_EQ(run(body, ints({1, 2, 3, 4})), ints({2, 4, 6, 8}));
}

TEST(running_scan, of_no_trips_has_empty_stacks) {
  auto trip = [](const Array& c, const Array& y) { return Pair{c + y, c * 2}; };
  auto body = [&](const Array& x) {
    auto [last, ys] = scan(trip, x, zeros({0}, DType::i32));
    return last + reduce_sum(ys);
  };
  EXPECT_EQ(run(body, ints({1, 2, 3, 4})), ints({1, 2, 3, 4}));
}

TEST(running_scan, stacks_in_the_order_of_xs_also_backwards) {
  auto trip = [](const Array& c, const Array& x) { return Pair{c * 2 + x, c}; };
  auto body = [&](const Array& x) {
    auto [last, ys] = scan(trip, zeros({}, DType::i32), x, {.reverse = true});
    return ys + last * 100;
  };
  auto compiled = open_local(line).compile(body, Array(ints({1, 2, 3})));
  EXPECT_EQ(compiled(ints({1, 2, 3})).tensor(), ints({1708, 1703, 1700}));
}

TEST(running_fori_loop, takes_arrays_for_bounds) {
  auto body = [](const Array& x) {
    auto trip = [](const Array& i, const Array& c) { return c + i; };
    return fori_loop(1, reduce_sum(x) + 1, trip, zeros({1}, DType::i32));
  };
  EXPECT_EQ(run(body, ints({0, 1, 4, 10})), ints({0, 1, 10, 55}));
}

TEST(running_error, has_the_place_of_the_equation_inside) {
  int line_of_work = 0;
  auto body = [&](const Array& x) {
    auto trip = [&](const Array& c, const Array& y) {
      line_of_work = __LINE__ + 1;
      return Pair{apply_one(Counted{std::make_shared<std::atomic<int>>(0), true}, {c}, Where::here()), y};
    };
    return scan(trip, x, x).first;
  };
  auto compiled = open_local(line).compile(body, Array(ints({1, 2, 3})));
  try {
    compiled(ints({1, 2, 3}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "counted: it is on fire");
    EXPECT_EQ(error.where().line, line_of_work);
  }
}

}  // namespace
}  // namespace tutti
