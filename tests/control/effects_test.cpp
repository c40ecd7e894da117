// SPDX-License-Identifier: Apache-2.0
// debug_print and check: how often, in which order, and what transforms make of them.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_refusal.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Lines = std::vector<std::string>;

const Mesh grid({{"data", 2}, {"model", 2}});
const Type scalar(DType::f32, {}), four(DType::f32, {4});

/// A machine that keeps the lines in `lines`.
Machine machine_with(Lines& lines, MachineOptions options = {}, const Mesh& mesh = grid) {
  options.print = [&lines](std::string_view line) { lines.emplace_back(line); };
  return open_local(mesh, options);
}

/// The lines that a function of one array prints in one call.
template <class F>
Lines lines_of(F function, const Array& x, MachineOptions options = {}) {
  Lines lines;
  auto program = machine_with(lines, options).compile(function, x);
  program(x);
  return lines;
}

template <class F>
auto on_data(F function) {
  return shard_map(function, {.mesh = grid, .in = {P("data")}, .out = {P("data")}});
}

Array numbers(int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  return Tensor({n}, values);
}

TEST(debug_print, writes_one_line_for_devices_that_hold_the_same) {
  auto body = [](Array x) {
    debug_print("x {} at {}", x, axis_index("data"));
    debug_print("{}", psum(x, "data"));
    return x;
  };
  EXPECT_EQ(lines_of(on_data(body), numbers(4)), (Lines{"x [0. 1.] at 0", "x [2. 3.] at 1", "[2. 4.]"}));
}

TEST(debug_print, takes_numbers_formats_braces_and_no_values) {
  auto f = [](Array x) {
    debug_print("{} {} {}", 3, true, 0.5);
    debug_print("{:.3f}|{:>4}|{{}}", reduce_sum(x) / 3.0F, convert(reduce_sum(x), DType::i32));
    debug_print("here");
    return x;
  };
  EXPECT_EQ(lines_of(f, numbers(3)), (Lines{"3 true 0.5", "1.000|   3|{}", "here"}));
}

TEST(debug_print, is_kept_though_nothing_reads_it_and_not_merged) {
  auto f = [](Array x) {
    debug_print("{}", x * 2.0F);
    debug_print("{}", x * 2.0F);
    return x;
  };
  EXPECT_EQ(lines_of(f, numbers(1)), (Lines{"[0.]", "[0.]"}));
}

TEST(debug_print, orders_lines_by_trip_equation_and_device) {
  auto body = [](Array x) {
    debug_print("before");
    Array y = fori_loop(
        0, 2,
        [](Array i, Array c) {
          debug_print("trip {} of {}", i, axis_index("data"));
          debug_print("second of trip {}", i);
          return c + 1.0F;
        },
        x);
    debug_print("after");
    return y;
  };
  const Lines expected{"before",      "trip 0 of 0", "trip 0 of 1",      "second of trip 0",
                       "trip 1 of 0", "trip 1 of 1", "second of trip 1", "after"};
  for (int workers : {1, 2, 3})
    for (bool measure : {false, true})
      EXPECT_EQ(lines_of(on_data(body), numbers(4), {.workers = workers, .measure = measure}), expected);
}

TEST(debug_print, in_a_branch_is_written_by_the_devices_that_take_it) {
  auto body = [](Array x) {
    return cond(
        equal(axis_index("data"), 1),
        [](Array v) {
          debug_print("one: {}", v);
          return v;
        },
        [](Array v) { return v * 2.0F; }, x);
  };
  EXPECT_EQ(lines_of(on_data(body), numbers(4)), (Lines{"one: [2. 3.]"}));
}

TEST(debug_print, in_a_while_loop_is_written_in_every_trip_of_every_device) {
  auto body = [](Array x) {
    auto below = [](Array v) { return reduce_max(v) < 4; };
    auto trip = [](Array v) {
      debug_print("{} at {}", v, axis_index("data"));
      return v + 2.0F;
    };
    return while_loop(below, trip, x);
  };
  EXPECT_EQ(lines_of(on_data(body), numbers(4)), (Lines{"[0. 1.] at 0", "[2. 3.] at 1", "[2. 3.] at 0"}));
}

Array noisy(Array x) {
  debug_print("forward");
  return reduce_sum(tanh(x * x));
}

TEST(debug_print, is_written_once_by_derivatives) {
  const Lines once{"forward"};
  EXPECT_EQ(lines_of([](Array x) { return grad(noisy)(x); }, numbers(3)), once);
  EXPECT_EQ(lines_of([](Array x) { return value_and_grad(noisy)(x); }, numbers(3)), once);
  EXPECT_EQ(lines_of([](Array x) { return jvp(noisy, std::tuple(x), std::tuple(x)); }, numbers(3)), once);
  EXPECT_EQ(lines_of([](Array x) { return grad(remat(noisy))(x); }, numbers(3)), once);
  EXPECT_EQ(lines_of([](Array x) { return grad(remat(noisy, {.policy = RematPolicy::dots}))(x); },
                     numbers(3)),
            once);
  auto slope = [](Array x) { return reduce_sum(grad(noisy)(x)); };
  EXPECT_EQ(lines_of([slope](Array x) { return grad(slope)(x); }, numbers(3)), once);
}

TEST(debug_print, is_written_once_a_trip_by_the_gradient_of_a_scan) {
  auto total = [](Array xs) {
    auto trip = [](const Array& c, const Array& x) {
      debug_print("{}", c);
      return std::pair{tanh(c + x), c * x};
    };
    auto [end, ys] = scan(trip, reduce_sum(xs) * 0.0F, xs);
    return end + reduce_sum(ys);
  };
  EXPECT_EQ(lines_of([total](Array x) { return grad(total)(x); }, numbers(3)).size(), 3U);
}

TEST(debug_print, is_written_once_by_the_gradient_of_a_branch) {
  auto f = [](Array x) {
    auto squared = [](Array v) {
      debug_print("squared");
      return v * v;
    };
    return reduce_sum(cond(reduce_sum(x) > 0, squared, [](Array v) { return v; }, x));
  };
  EXPECT_EQ(lines_of([f](Array x) { return grad(f)(x); }, numbers(3)), Lines{"squared"});
}

TEST(debug_print, writes_a_line_per_lane) {
  auto f = [](Array x) {
    return vmap([](Array v) {
      debug_print("{}", v);
      debug_print("all");
      return v;
    })(x);
  };
  EXPECT_EQ(lines_of(f, numbers(2)), (Lines{"0.", "1.", "all"}));
  auto nested = [](Array x) {
    auto inner = [](Array v) {
      return vmap([](Array w) {
        debug_print("{}", w);
        return w;
      })(v);
    };
    return vmap(inner)(reshape(x, {2, 2}));
  };
  EXPECT_EQ(lines_of(nested, numbers(4)), (Lines{"0.", "1.", "2.", "3."}));
}

TEST(debug_print, is_refused_in_a_branch_that_lanes_choose) {
  auto lanes = [](Array x) {
    return vmap([](Array v) {
      return cond(
          v > 1,
          [](Array w) {
            debug_print("{}", w);
            return w;
          },
          [](Array w) { return w; }, v);
    })(x);
  };
  expect_refusal([&] { recorded({four}, [&](const Arrays& a) { return Arrays{lanes(a[0])}; }); },
                 Code::refused_rule, {"debug_print: batch is refused: lanes take different branches"});
  auto loops = [](Array x) {
    return vmap([](Array v) {
      return while_loop([](Array w) { return w < 2; },
                        [](Array w) {
                          debug_print("{}", w);
                          return w + 1.0F;
                        },
                        v);
    })(x);
  };
  expect_refusal([&] { recorded({four}, [&](const Arrays& a) { return Arrays{loops(a[0])}; }); },
                 Code::refused_rule,
                 {"debug_print: batch is refused: lanes make different numbers of trips"});
}

TEST(debug_print, refuses_a_text_that_does_not_fit) {
  auto refusal_of = [](const std::string& text) {
    return [text] {
      recorded({four}, [&](const Arrays& a) {
        debug_print({text, {"a.cpp", 3}}, a[0]);
        return a;
      });
    };
  };
  expect_refusal(refusal_of("x"), Code::argument,
                 {"a.cpp:3: debug_print: the text has 0 places for 1 value"});
  expect_refusal(refusal_of("{} {}"), Code::argument, {"2 places for 1 value"});
  expect_refusal(refusal_of("{"), Code::argument, {"\"{\" has a brace at 0 that is no place for a value"});
  expect_refusal(refusal_of("a}"), Code::argument, {"brace at 1"});
  expect_refusal(refusal_of("{0}"), Code::argument, {"brace at 0"});
  expect_refusal(refusal_of("{:.3f}"), Code::argument,
                 {"the format {:.3f} is for a real scalar, the value is f32[4]"});
}

TEST(debug_print, refuses_a_format_that_does_not_suit_the_dtype) {
  auto program = [] {
    recorded({Type(DType::i32, {})}, [&](const Arrays& a) {
      debug_print("{:.3f}", a[0]);
      return a;
    });
  };
  expect_refusal(program, Code::argument, {"the format {:.3f} does not suit i32[]"});
}

TEST(debug_print, lets_lines_out_that_were_written_before_an_error) {
  Lines lines;
  auto f = [](Array x) {
    debug_print("start");
    Array y = fori_loop(
        0, 3,
        [](Array i, Array c) {
          check(i < 1, "trip {}", i);
          return c;
        },
        x);
    return y;
  };
  auto program = machine_with(lines, {.workers = 1}).compile(f, numbers(1));
  expect_refusal([&] { program(numbers(1)); }, Code::check, {"check: trip 1"});
  EXPECT_EQ(lines, Lines{"start"});
}

TEST(check, names_line_values_and_device) {
  auto body = [](Array x) {
    check({x < 3, {"model.cpp", 12}}, "x is {}", x);
    return x;
  };
  auto program = open_local(grid).compile(on_data(body), numbers(4));
  expect_refusal([&] { program(numbers(4)); }, Code::check, {"model.cpp:12: check: x is [2. 3.], on data=1"});
  EXPECT_EQ(program(Array(Tensor({4}, {1.0F, 1.0F, 1.0F, 1.0F}))).values<float>(),
            std::vector<float>(4, 1.0F));
}

TEST(check, names_the_device_in_a_branch_and_the_lane) {
  auto body = [](Array x) {
    auto odd = [](Array v) {
      check(v < 3, "{}", v);
      return v;
    };
    return cond(equal(axis_index("data"), 1), odd, [](Array v) { return v; }, x);
  };
  auto program = open_local(grid).compile(on_data(body), numbers(4));
  expect_refusal([&] { program(numbers(4)); }, Code::check, {"check: [2. 3.], on data=1"});
  auto lanes = [](Array x) {
    return vmap([](Array v) {
      check(v < 2, "{}", v);
      return v;
    })(x);
  };
  auto in_lanes = open_local(grid).compile(lanes, numbers(4));
  expect_refusal([&] { in_lanes(numbers(4)); }, Code::check, {"check: 2., in lane 2"});
}

TEST(check, takes_a_bool_only) {
  expect_refusal(
      [] {
        recorded({four}, [](const Arrays& a) {
          check(a[0], "x");
          return a;
        });
      },
      Code::dtype, {"check: the predicate is f32[4], not bool; compare it: x > 0"});
}

TEST(check_nans, names_the_first_equation_the_device_and_what_went_in) {
  auto body = [](Array x) {
    Array y = x - 1.0F;
    Array z = log({y, {"model.cpp", 5}});
    return exp(z) + psum(z, "data");
  };
  Lines lines;
  auto machine = machine_with(lines, {.check_nans = true});
  auto program = machine.compile(on_data(body), numbers(4));
  expect_refusal(
      [&] { program(Array(Tensor({4}, {2.0F, 3.0F, 2.0F, 0.5F}))); }, Code::check,
      {"model.cpp:5: log: makes a NaN at [1] of f32[2]{V:data}, on data=1; operand 0 is -0.5 there"});
  expect_refusal(
      [&] { program(Array(Tensor({4}, {2.0F, 1.0F, 2.0F, 2.0F}))); }, Code::check,
      {"model.cpp:5: log: makes an infinity at [1] of f32[2]{V:data}, on data=0; operand 0 is 0. there"});
  EXPECT_EQ(program(Array(Tensor({4}, {2.0F, 2.0F, 2.0F, 2.0F}))).values<float>(),
            std::vector<float>(4, 1.0F));
}

TEST(check_nans, looks_inside_loops_and_lets_infinities_of_the_user_pass) {
  Lines lines;
  auto machine = machine_with(lines, {.check_nans = true});
  auto masked = [](Array x) { return softmax(where(x > 1, x, -std::numeric_limits<float>::infinity())); };
  EXPECT_EQ(machine.compile(masked, numbers(3))(numbers(3)).values<float>(), (std::vector<float>{0, 0, 1}));
  auto loop = [](Array x) {
    return fori_loop(0, 3, [](Array, Array c) { return sqrt({c - 1.0F, {"loop.cpp", 4}}); }, x);
  };
  auto program = machine.compile(loop, numbers(1));
  expect_refusal([&] { program(numbers(1)); }, Code::check,
                 {"loop.cpp:4: sqrt: makes a NaN at [0] of f32[1]"});
}

TEST(effects, have_no_lowering_and_say_why) {
  auto f = [](Array x) {
    debug_print({"{}", {"train.cpp", 8}}, x);
    return x;
  };
  const Program program = recorded({four}, [&](const Arrays& a) { return Arrays{f(a[0])}; });
  expect_refusal([&] { lower_per_device(program, grid); }, Code::refused_rule,
                 {"train.cpp:8: debug_print: lower is refused: lines are written on the local machine and on "
                  "XLA's CPUs only"});
}

}  // namespace
}  // namespace tutti
