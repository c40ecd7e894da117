// SPDX-License-Identifier: Apache-2.0
// debug_print and check on XLA's CPUs: the same lines and the same errors as on the local machine.
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "tests/support/expect_refusal.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/tutti.hpp"

namespace tutti::xla {
namespace {

using Lines = std::vector<std::string>;
const Mesh grid({{"data", 2}, {"model", 2}});

/// The lines of a call, and the text of its error.
struct Said {
  Lines lines;
  std::string error;
  bool operator==(const Said&) const = default;
};
void PrintTo(const Said& said, std::ostream* out) {
  for (const std::string& line : said.lines) *out << line << "\n";
  *out << "error: " << said.error;
}

class xla_effects : public RealXla {
 protected:
  static tutti::Machine machine_with(Lines& lines, const std::string& cache = "") {
    const XlaOptions options{.cache = cache,
                             .print = [&lines](std::string_view line) { lines.emplace_back(line); }};
    return tutti::Machine(std::make_shared<XlaBackend>(grid, client(), first(grid.devices()), options));
  }
  template <class F>
  static Said said(const tutti::Machine& machine, Lines& lines, const F& function, const Array& x) {
    lines.clear();
    auto program = machine.compile(function, x);
    try {
      program(x);
    } catch (const Error& error) {
      return {lines, error.what()};
    }
    return {lines, ""};
  }
  template <class F>
  static Said on_xla(const F& function, const Array& x) {
    Lines lines;
    return said(machine_with(lines), lines, function, x);
  }
  template <class F>
  static Said on_local(const F& function, const Array& x) {
    Lines lines;
    const tutti::Machine machine =
        open_local(grid, {.print = [&lines](std::string_view line) { lines.emplace_back(line); }});
    return said(machine, lines, function, x);
  }
  /// A function of one device's block of x. Returns what both machines said.
  template <class F>
  static Said same_on_both(const F& body, const Array& x, const P& spec = P("data")) {
    const auto function = shard_map(body, {.mesh = grid, .in = spec, .out = spec});
    const Said local = on_local(function, x);
    EXPECT_EQ(on_xla(function, x), local);
    return local;
  }
};

Array numbers(int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
  return Tensor({n}, values);
}

TEST_F(xla_effects, one_line_for_devices_that_hold_the_same) {
  auto body = [](Array x) {
    debug_print("x {} at {}", x, axis_index("data"));
    debug_print("{}", psum(x, "data"));
    debug_print("here");
    return x;
  };
  EXPECT_EQ(same_on_both(body, numbers(4)).lines,
            (Lines{"x [0. 1.] at 0", "x [2. 3.] at 1", "[2. 4.]", "here"}));
}

TEST_F(xla_effects, functions_for_lines_of_two_threads_may_call_each_others_program) {
  static thread_local int own = -1;  // the program that this thread calls; -1 while its line is taken
  const Array x = numbers(4);
  std::function<void(int)> call;
  const XlaOptions options{.print = [&](std::string_view) {
    if (own < 0) return;
    const int first = std::exchange(own, -1);
    call(1 - first);
    own = first;
  }};
  const tutti::Machine machine(std::make_shared<XlaBackend>(grid, client(), first(grid.devices()), options));
  auto body = [](Array v) {
    debug_print("{}", v);
    return v + 1.0F;
  };
  const std::array programs{machine.compile(body, x), machine.compile(body, x)};
  call = [&](int which) {
    EXPECT_EQ(programs[static_cast<std::size_t>(which)](x).template values<float>(),
              (std::vector<float>{1, 2, 3, 4}));
  };
  auto calls = [&](int which) {
    own = which;
    for (int i = 0; i < 50; ++i) call(which);
    own = -1;
  };
  std::thread second(calls, 1);
  calls(0);
  second.join();
}

TEST_F(xla_effects, values_of_every_dtype_and_layout) {
  auto body = [](Array x) {
    const Array matrix = reshape(x, {2, 3});
    for (const DType dtype : {DType::boolean, DType::u8, DType::i64, DType::f16, DType::bf16, DType::f64,
                              DType::complex64, DType::complex128})
      debug_print("{}", convert(matrix, dtype));
    debug_print("{} {:.2f}", transpose(matrix), reduce_sum(matrix));
    debug_print("{}", reshape(x, {6, 1})[{range(0, 0)}]);
    return x;
  };
  const Said said = same_on_both(body, numbers(6), P());
  ASSERT_EQ(said.lines.size(), 10U);
  EXPECT_EQ(said.lines[8], "[[0. 3.]\n [1. 4.]\n [2. 5.]] 15.00");
}

TEST_F(xla_effects, lines_come_by_trip_equation_and_device) {
  auto body = [](Array x) {
    debug_print("before");
    Array y = fori_loop(
        0, 2,
        [](Array i, Array c) {
          debug_print("trip {} of {}", i, axis_index("data"));
          debug_print("second of trip {}", i);
          return fori_loop(
              0, 2,
              [](Array j, Array d) {
                debug_print("inner {} of {}", j, d);
                return d * 2.0F;
              },
              c + 1.0F);
        },
        x);
    debug_print("after");
    return y;
  };
  const Said said = same_on_both(body, numbers(4));
  ASSERT_EQ(said.lines.size(), 16U);
  EXPECT_EQ(said.lines[3], "second of trip 0");
  EXPECT_EQ(said.lines[4], "inner 0 of [1. 2.]");
}

TEST_F(xla_effects, devices_that_go_their_own_way_say_where_they_are) {
  auto body = [](Array x) {
    auto below = [](Array v) { return reduce_max(v) < 4; };
    auto trip = [](Array v) {
      debug_print("{} at {}", v, axis_index("data"));
      return cond(
          equal(axis_index("model"), 1),
          [](Array w) {
            debug_print("model one: {}", w);
            return w + 1.0F;
          },
          [](Array w) {
            debug_print("model zero");
            return w + 2.0F;
          },
          pcast(v, "model", varying));
    };
    return while_loop(below, trip, pcast(x, "model", varying));
  };
  auto column = [&](Array x) { return reshape(body(x), {2, 1}); };
  const auto both = shard_map(column, {.mesh = grid, .in = P("data"), .out = P("data", "model")});
  const Said local = on_local(both, numbers(4));
  EXPECT_GT(local.lines.size(), 8U);
  EXPECT_EQ(on_xla(both, numbers(4)), local);
}

TEST_F(xla_effects, lanes_and_derivatives_write_as_on_the_local_machine) {
  auto of_lane = [](Array x) {
    debug_print("lane {}", x);
    check(reduce_sum(x) < 100, "too much: {}", x);
    return reduce_sum(tanh(x * x));
  };
  auto rows = [&](Array x) { return vmap(of_lane)(reshape(x, {2, 2})); };
  EXPECT_EQ(on_xla(rows, numbers(4)), on_local(rows, numbers(4)));
  auto slope = [&](Array x) { return grad(of_lane)(x); };
  const Said local = on_local(slope, numbers(4));
  EXPECT_EQ(local.lines.size(), 1U);
  EXPECT_EQ(on_xla(slope, numbers(4)), local);
}

TEST_F(xla_effects, a_check_ends_the_call_with_line_values_and_devices) {
  auto checked = [](Array x) {
    debug_print("before");
    check({x < 2, {"model.cpp", 12}}, "x is {}", x);
    debug_print("after");
    return psum(x, "data") + x;
  };
  const Said said = on_xla(shard_map(checked, {.mesh = grid, .in = P("data"), .out = P("data")}), numbers(4));
  EXPECT_EQ(said.error, "model.cpp:12: check: x is [2. 3.], on data=1");
  EXPECT_EQ(said.lines, Lines{"before"});
}

TEST_F(xla_effects, the_first_failure_in_the_order_of_the_program_is_the_error) {
  auto body = [](Array x) {
    return fori_loop(
        0, 3,
        [](Array i, Array c) {
          check(c < 12, "c is {} in trip {}", c, i);
          check(i < 1, "trip {}", i);
          return c + 10.0F;
        },
        x);
  };
  const auto function = shard_map(body, {.mesh = grid, .in = P("data"), .out = P("data")});
  EXPECT_NE(on_xla(function, numbers(2)).error.find("check: trip 1"), std::string::npos);
  EXPECT_NE(on_xla(function, numbers(4)).error.find("check: c is [12. 13.] in trip 1, on data=1"),
            std::string::npos);
}

TEST_F(xla_effects, a_program_from_the_cache_calls_back) {
  const auto folder = std::filesystem::temp_directory_path() / "tutti_xla_effects_cache";
  std::filesystem::remove_all(folder);
  Lines lines;
  const auto noisy = [](Array x) {
    debug_print("{}", x);
    return x + 1.0F;
  };
  for (int i = 0; i < 2; ++i) {
    auto program = machine_with(lines, folder.string()).compile(noisy, numbers(2));
    program(numbers(2));
    EXPECT_EQ(program.explain().find("read from the cache") != std::string::npos, i == 1)
        << program.explain();
  }
  EXPECT_EQ(lines, Lines(2, "[0. 1.]"));
  std::filesystem::remove_all(folder);
}

TEST_F(xla_effects, a_machine_goes_on_after_a_check) {
  Lines lines;
  const tutti::Machine machine = machine_with(lines);
  auto program = machine.compile(
      [](Array x) {
        check(reduce_sum(x) < 10, "the sum is {}", reduce_sum(x));
        debug_print("{}", x);
        return x + 1.0F;
      },
      numbers(2));
  for (int i = 0; i < 3; ++i) {
    expect_refusal([&] { program(Array(Tensor({2}, {9.0F, 8.0F}))); }, Code::check,
                   {"check: the sum is 17."});
    EXPECT_EQ(program(numbers(2)).template values<float>(), (std::vector<float>{1, 2}));
  }
  EXPECT_EQ(lines, Lines(3, "[0. 1.]"));
}

TEST_F(xla_effects, lines_may_lead_to_other_programs_of_the_machine_but_not_to_their_own) {
  using Program =
      decltype(std::declval<tutti::Machine>().compile(std::declval<Array (*)(const Array&)>(), Array()));
  std::optional<Program> printing, other;
  std::vector<float> found;
  int refused = 0;
  const auto print = [&](std::string_view) {
    found = (*other)(numbers(2)).values<float>();
    try {
      (*printing)(numbers(2));
    } catch (const Error& error) {
      refused += error.code() == Code::device ? 1 : 0;
    }
  };
  const tutti::Machine machine(
      std::make_shared<XlaBackend>(grid, client(), first(grid.devices()), XlaOptions{.print = print}));
  Array (*const printed)(const Array&) = [](const Array& x) {
    debug_print("{}", x);
    return x + 1.0F;
  };
  Array (*const doubled)(const Array&) = [](const Array& x) { return x + x; };
  printing = machine.compile(printed, numbers(2));
  other = machine.compile(doubled, numbers(2));
  EXPECT_EQ((*printing)(numbers(2)).values<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(found, (std::vector<float>{0, 2}));
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace tutti::xla
