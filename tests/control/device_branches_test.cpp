// SPDX-License-Identifier: Apache-2.0
// Gradients through branches that each device chooses for itself, and that compute with values equal on all
// devices:
// numbers of trips, constants, integers of outside.
#include <gtest/gtest.h>

#include "tests/support/gradients.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;
using Function = std::function<Array(const Array&)>;  // of a device's rows, f64[2, 3]
using Loss = std::function<Array(const Arrays&)>;     // of whole arrays

const Mesh& mesh() { return example_mesh(); }
Types types() { return {{DType::f64, {3}}, {DType::f64, {4, 3}}}; }

Loss loss_of(const Function& body) {
  auto local = [=](const Arrays& a) {
    Array y = pcast(body(a[1] * a[0]), {"a", "b"}, varying);
    return psum(reduce_sum(y * y), {"a", "b"});
  };
  return [=](const Arrays& x) {
    return shard_map(local, {.mesh = mesh(), .in = Specs{P(), P("a")}, .out = P()})(x);
  };
}

Array sine(const Array& x) { return sin(x); }

/// A loss in which the second device of axis a takes `branch`, the first one another.
Loss where_second(const Function& branch) {
  return loss_of([=](const Array& x) { return cond(axis_index("a") > 0, branch, sine, x); });
}

void expect_gradient(const Loss& loss) { expect_gradient_runs(types(), loss); }

Array numbers(int n) { return arange(n, DType::i32); }
Array as_f64(const Array& x) { return convert(x, DType::f64); }

/// One of two ways by the number, which each of them reads.
Array two_ways(const Array& c, const Array& number) {
  auto product = [&](const Array& v) { return tanh(v) * dynamic_slice_in_dim(v, number, 1, 1); };
  auto wave = [&](const Array& v) { return sin(v) * exp(as_f64(number) * 0.25); };
  return cond(number > 0, product, wave, c);
}

using Trip = std::function<Array(const Array&, const Array&)>;  // of the carry and a number

Array looped(const Trip& trip, const Array& x, ScanOptions options = {}) {
  auto step = [&](const Array& c, const Array& number) -> Pair { return {trip(c, number), reduce_sum(c)}; };
  auto [last, ys] = scan(step, x, numbers(3), options);
  return sin(last) + reduce_sum(sin(ys)) * 0.5;
}

// --- Loops over equal values -------------------------------------------------------------------------------

TEST(device_branch_gradient, of_a_loop_over_numbers) {
  expect_gradient(where_second([](const Array& x) { return looped(two_ways, x); }));
}

TEST(device_branch_gradient, of_a_loop_over_numbers_backwards) {
  expect_gradient(where_second([](const Array& x) {
    auto trip = [](const Array& c, const Array& number) {
      Array column = dynamic_slice_in_dim(two_ways(c, number), rem(number * 2, 3), 1, 1);
      return dynamic_update_slice_in_dim(c, column, number, 1);
    };
    return looped(trip, x, {.reverse = true});
  }));
}

TEST(device_branch_gradient, of_a_loop_that_counts) {
  expect_gradient(where_second([](const Array& x) {
    return fori_loop(-1, 3, [](const Array& number, const Array& c) { return two_ways(c, number); }, x);
  }));
}

TEST(device_branch_gradient, of_a_loop_that_carries_numbers) {
  expect_gradient(where_second([](const Array& x) {
    using Carry = std::tuple<Array, Array, Array>;
    auto step = [](const Carry& carry, const Array&) -> std::pair<Carry, Array> {
      auto [c, number, unused] = carry;
      return {{two_ways(c, number), rem(number + 2, 3), unused + number}, number};
    };
    Array zero = zeros({}, DType::i32);
    auto [last, seen] = scan(step, Carry{x, zero, zero}, numbers(4));
    return std::get<0>(last) + as_f64(reduce_sum(seen));
  }));
}

TEST(device_branch_gradient, of_a_loop_over_numbers_that_vary_along_another_axis) {
  expect_gradient(where_second([](const Array& x) {
    auto trip = [](const Array& c, const Array& number) { return two_ways(c, number - axis_index("b")); };
    return looped(trip, x);
  }));
}

TEST(device_branch_gradient, of_a_loop_where_two_axes_choose) {
  expect_gradient(loss_of([](const Array& x) {
    auto trip = [](const Array& c, const Array& number) { return two_ways(c, number - axis_index("b")); };
    Array here = equal(axis_index("a") + axis_index("b"), 1);
    auto branch = [&](const Array& v) { return looped(trip, v); };
    return cond(here, branch, sine, x);
  }));
}

TEST(device_branch_gradient, of_a_loop_over_integers_of_outside) {
  expect_gradient(loss_of([](const Array& x) {
    Array order = rem(numbers(4) * 5, 3);
    auto branch = [&](const Array& v) {
      auto step = [](const Array& c, const Array& number) -> Pair { return {two_ways(c, number), c}; };
      return scan(step, v, order).first;
    };
    return cond(axis_index("a") > 0, branch, sine, x);
  }));
}

TEST(device_branch_gradient, of_a_loop_over_floats) {
  expect_gradient(where_second([](const Array& x) {
    auto step = [](const Array& c, const Array& f) -> Pair {
      Array weight = exp(f);
      auto product = [&](const Array& v) { return tanh(v) * weight; };
      auto inner = [&](const Array& v) {
        return scan([&](const Array& d, const Array& w) { return Pair{sin(d * w) * weight, d}; }, v,
                    sin(weight * as_f64(numbers(2))));
      };
      auto wave = [&](const Array& v) { return inner(v).first + reduce_sum(inner(v).second); };
      return {cond(f > 0.75, product, wave, c), reduce_sum(c)};
    };
    auto [last, ys] = scan(step, x, as_f64(numbers(3)) * 0.5);
    return last + reduce_sum(ys);
  }));
}

TEST(device_branch_gradient, of_a_loop_that_sums_numbers_over_another_axis) {
  expect_gradient(where_second([](const Array& x) {
    auto trip = [](const Array& c, const Array& number) {
      return two_ways(c, rem(psum(number * (1 + axis_index("b")), "b"), 3));
    };
    return looped(trip, x);
  }));
}

TEST(device_branch_gradient, of_a_loop_with_a_loop_of_unknown_length_inside) {
  expect_gradient(where_second([](const Array& x) {
    auto step = [&](const Array& c, const Array& number) -> Pair {
      using Carry = std::tuple<Array, Array, Array>;
      auto goes_on = [&](const Carry& v) { return std::get<0>(v) < number; };
      auto trip = [&](const Carry& v) {
        auto [n, column, sum] = v;
        return Carry{n + 1, rem(column + 2, 3), sum * 0.5 + stop_gradient(c)};
      };
      Array zero = zeros({}, DType::i32);
      auto [n, column, sum] = while_loop(goes_on, trip, Carry{zero, zero, stop_gradient(c)});
      return {two_ways(c, column), reduce_sum(c)};
    };
    auto [last, ys] = scan(step, x, numbers(3));
    return last + reduce_sum(ys);
  }));
}

// --- Branches, rules and lanes inside ----------------------------------------------------------------------

TEST(device_branch_gradient, of_a_branch_that_devices_choose_in_a_loop_in_another) {
  expect_gradient(where_second([](const Array& x) {
    auto trip = [](const Array& c, const Array& number) {
      auto inner = [&](const Array& v) { return looped(two_ways, v * as_f64(number)); };
      return cond(axis_index("b") < number, inner, [](const Array& v) { return v * 0.5; }, c);
    };
    return looped(trip, x);
  }));
}

TEST(device_branch_gradient, of_a_loop_that_computes_again) {
  for (RematPolicy policy : {RematPolicy::nothing, RematPolicy::dots}) {
    expect_gradient(where_second([&](const Array& x) {
      auto trip = [&](const Array& c, const Array& number) {
        auto body = [&](const Array& v) {
          Array weights = as_f64(iota({3, 3}, DType::i32, 0) + number) * 0.1;
          return looped(two_ways, matmul(v, matmul(weights, weights)));
        };
        return remat(body, {.policy = policy})(c) + two_ways(c, number);
      };
      return looped(trip, x);
    }));
  }
}

TEST(device_branch_gradient, of_rules_of_the_user_in_a_loop) {
  expect_gradient(where_second([](const Array& x) {
    auto trip = [&](const Array& c, const Array& number) {
      using One = std::tuple<Array>;
      auto power = [&](const Array& v) { return sin(v) * as_f64(number); };
      auto rule = [&](const One& v, const One& t) {
        return std::pair{power(std::get<0>(v)), cos(std::get<0>(v)) * std::get<0>(t) * as_f64(number)};
      };
      auto read = [&](const Array& v) { return dynamic_slice_in_dim(v, rem(number * 2, 3), 1, 1) * v; };
      auto forward = [&](const Array& v) { return std::pair{read(v), Pair{v, rem(number * 2, 3)}}; };
      auto backward = [](const Pair& kept, const Array& cotangent) {
        auto [v, column] = kept;
        Array of_column = reduce_sum(cotangent * v, 1);
        Array direct = cotangent * dynamic_slice_in_dim(v, column, 1, 1);
        Array there = as_f64(equal(iota({2, 3}, DType::i32, 1), column));
        return std::tuple{direct + there * expand_dims(of_column, 1)};
      };
      return custom_jvp(power, rule)(c) + custom_vjp(read, forward, backward)(c);
    };
    return looped(trip, x);
  }));
}

TEST(device_branch_gradient, of_lanes_in_a_branch_with_a_loop) {
  expect_gradient(where_second([](const Array& x) {
    auto lane = [](const Array& v) { return looped(two_ways, v); };
    return reshape(vmap(lane)(reshape(x, {2, 1, 3})), {2, 3});
  }));
}

TEST(device_branch_gradient, of_lanes_that_choose_a_branch_with_a_loop) {
  auto lane = [](const Array& v) {
    auto branch = [](const Array& w) { return looped(two_ways, w); };
    return cond(axis_index("v") > 0, branch, sine, v);
  };
  expect_gradient(loss_of(
      [=](const Array& x) { return reshape(vmap(lane, {.axis = "v"})(reshape(x, {2, 1, 3})), {2, 3}); }));
  expect_gradient(loss_of([=](const Array& x) {
    auto slope = [&](const Array& v) { return grad([&](const Array& w) { return reduce_sum(lane(w)); })(v); };
    return reshape(vmap(slope, {.axis = "v"})(reshape(x, {2, 1, 3})), {2, 3});
  }));
}

TEST(device_branch_gradient, of_a_gradient) {
  expect_gradient(where_second([](const Array& x) {
    return grad([](const Array& v) { return reduce_sum(sin(looped(two_ways, v))); })(x);
  }));
  expect_gradient(loss_of([](const Array& x) {
    auto branch = [](const Array& v) { return looped(two_ways, v); };
    auto inner = [&](const Array& v) { return reduce_sum(cond(axis_index("a") > 0, branch, sine, v)); };
    return grad(inner)(x);
  }));
}

TEST(device_branch_gradient, of_a_pullback_called_in_a_branch) {
  expect_gradient(loss_of([](const Array& x) {
    auto branch = [](const Array& v) { return looped(two_ways, v); };
    auto chosen = [&](const Array& v) { return cond(axis_index("a") > 0, branch, sine, v); };
    auto [y, pull] = vjp(chosen, std::tuple{x});
    auto pulled = [&, &back = pull](const Array& cotangent) {
      auto trip = [&](const Array&, const Array& c) { return std::get<0>(back(sin(c))); };
      return fori_loop(0, 2, trip, cotangent);
    };
    return cond(axis_index("b") > 0, pulled, sine, y);
  }));
}

// --- Cost --------------------------------------------------------------------------------------------------

// The backward half of the branch makes the numbers again, but not the products of the loop.
TEST(device_branch_gradient, makes_only_the_numbers_again) {
  auto products = [](const std::function<Array(const Array&)>& seen) {
    Loss loss = where_second([=](const Array& x) {
      auto step = [](const Array& c, const Array& number) -> Pair {
        return {two_ways(matmul(tanh(c), matmul(transpose(c), c)), number), c};
      };
      return scan(step, x, seen(numbers(3))).first;
    });
    return count(gradient_of(types(), loss), "dot_general");
  };
  auto varying_over_a = [](const Array& x) { return pcast(x, "a", varying); };
  EXPECT_EQ(products([](const Array& x) { return x; }), products(varying_over_a));
}

}  // namespace
}  // namespace tutti
