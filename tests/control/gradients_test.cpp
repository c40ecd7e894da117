// SPDX-License-Identifier: Apache-2.0
// Gradients through control flow and collectives, against central differences; and what they cost.
#include <gtest/gtest.h>

#include "tests/support/gradients.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Function = std::function<Array(const Arrays&)>;  // of whole arrays

const Mesh& mesh() { return example_mesh(); }
Type f64(const Shape& shape) { return {DType::f64, shape}; }

void expect_gradient(const Types& types, const Function& loss) { expect_gradient_runs(types, loss); }

Function on_mesh(const Function& body, std::vector<Specs> in) {
  return [=](const Arrays& x) {
    return shard_map([&](const Arrays& local) { return body(local); },
                     {.mesh = mesh(), .in = Specs{Specs(in)}, .out = P()})(x);
  };
}

using Pair = std::pair<Array, Array>;

// --- Loops -------------------------------------------------------------------------------------------------

TEST(control_gradient, of_a_scan) {
  expect_gradient({f64({3}), f64({4, 3}), f64({3})}, [](const Arrays& a) {
    auto step = [&](const Array& carry, const Array& x) -> Pair {
      Array next = tanh(carry * a[2] + x);
      return {next, next * x};
    };
    auto [last, ys] = scan(step, a[0], a[1]);
    return reduce_sum(last * last) + reduce_sum(exp(ys));
  });
}

TEST(control_gradient, of_a_scan_backwards_inside_a_scan) {
  expect_gradient({f64({2}), f64({3, 2})}, [](const Arrays& a) {
    auto outer = [&](const Array& carry, const Array& x) -> Pair {
      auto inner = [&](const Array& c, const Array& y) -> Pair { return {tanh(c * y + x), c}; };
      auto [last, ys] = scan(inner, carry, a[1], {.reverse = true});
      return {last, reduce_sum(ys)};
    };
    auto [last, ys] = scan(outer, a[0], a[1]);
    return reduce_sum(last) + reduce_sum(ys * ys);
  });
}

TEST(control_gradient, of_a_loop_with_numbers_for_bounds) {
  expect_gradient({f64({3})}, [](const Arrays& a) {
    auto body = [&](const Array& i, const Array& c) { return tanh(c) + a[0] * convert(i, DType::f64); };
    return reduce_sum(fori_loop(1, 5, body, a[0]));
  });
}

TEST(control_gradient, of_a_scan_that_carries_partial_sums) {
  expect_gradient({f64({2}), f64({2, 3, 2})},
                  on_mesh(
                      [](const Arrays& a) {
                        Array x = a[1];  // [1, 3, 2] over a
                        auto step = [&](const Array& sum, const Array& y) -> Pair {
                          return {sum + pcast(y * a[0], "a", unreduced), psum(y, "a")};
                        };
                        auto [total, ys] = scan(step, mask(zeros({2}, DType::f64), "a"), reshape(x, {3, 2}));
                        return reduce_sum(psum(total, "a") * reduce_sum(ys));
                      },
                      {P(), P("a")}));
}

// --- Branches ----------------------------------------------------------------------------------------------

Array positive(const Array& x) { return reduce_sum(x) > 0.0; }

TEST(control_gradient, of_a_branch_that_devices_choose) {
  expect_gradient({f64({3}), f64({4, 3})}, on_mesh(
                                               [](const Arrays& a) {
                                                 Array here = axis_index("a") > 0;
                                                 Array y = cond(
                                                     here, [&](const Array& x) { return exp(x * a[0]); },
                                                     [&](const Array& x) { return x * 3.0 + a[0] * a[0]; },
                                                     a[1]);
                                                 return psum(reduce_sum(y), "a");
                                               },
                                               {P(), P("a")}));
}

TEST(control_gradient, of_a_sum_in_a_scan_in_a_branch_that_varies_along_another_axis) {
  expect_gradient({f64({3}), f64({4, 3})}, on_mesh(
                                               [](const Arrays& a) {
                                                 Array here = axis_index("b") > 0;
                                                 auto looped = [&](const Array& x) {
                                                   auto step = [&](const Array& c, const Array&) -> Pair {
                                                     return {tanh(c) * a[0], psum(c * x, "a")};
                                                   };
                                                   auto [last, ys] = scan(step, x, arange(3, DType::i32));
                                                   return reduce_sum(last) + reduce_sum(ys * ys);
                                                 };
                                                 auto plain = [&](const Array& x) {
                                                   return reduce_sum(x * a[0]);
                                                 };
                                                 return psum(cond(here, looped, plain, a[1]), {"a", "b"});
                                               },
                                               {P(), P("a")}));
}

TEST(control_gradient, of_a_scan_of_branches_that_choose_by_the_carry) {
  Function loss = on_mesh(
      [](const Arrays& a) {
        auto step = [&](const Pair& carry, const Array& x) -> std::pair<Pair, Array> {
          auto [c, sum] = carry;
          Array next = cond(
              positive(c), [&](const Array& v) { return tanh(v * a[0]) - 0.4; },
              [&](const Array& v) { return v * v + x; }, c);
          return {{next, sum + pcast(next, "a", unreduced)}, next};
        };
        auto [last, ys] = scan(step, Pair{a[1], mask(zeros({1, 3}, DType::f64), "a")}, a[2]);
        return psum(reduce_sum(ys * ys), "a") + reduce_sum(square(psum(last.second, "a")));
      },
      {P(), P("a"), P()});
  expect_gradient({f64({3}), f64({2, 3}), f64({4, 1, 3})}, loss);
}

// --- Higher, batched ---------------------------------------------------------------------------------------

TEST(control_gradient, of_a_gradient) {
  auto loss = [](const Arrays& a) {
    auto step = [&](const Array& c, const Array& x) -> Pair {
      Array next = cond(
          positive(c), [&](const Array& v) { return tanh(v * a[0]); },
          [&](const Array& v) { return v * v - x; }, c);
      return {next, next};
    };
    auto [last, ys] = scan(step, a[0], a[1]);
    return reduce_sum(last * last) + reduce_sum(exp(ys * 0.5));
  };
  expect_gradient({f64({2}), f64({3, 2})}, [&](const Arrays& a) {
    Arrays first = grad([&](const Arrays& b) { return loss(b); })(a);
    return reduce_sum(first[0] * first[0]) + reduce_sum(tanh(first[1]));
  });
}

TEST(control_gradient, of_lanes_that_choose_branches_in_a_scan) {
  expect_gradient({f64({4, 2}), f64({3, 2})}, [](const Arrays& a) {
    auto one = [&](const Array& x) {
      auto step = [&](const Array& c, const Array& y) -> Pair {
        Array next = cond(
            positive(c), [&](const Array& v) { return tanh(v) - y; },
            [&](const Array& v) { return v * y + 0.5; }, c);
        return {next, reduce_sum(next)};
      };
      auto [last, ys] = scan(step, x, a[1]);
      return reduce_sum(last * last) + reduce_sum(ys);
    };
    return reduce_sum(vmap(one)(a[0]));
  });
}

TEST(control_gradient, of_lanes_is_finite_where_the_branch_not_taken_is_not) {
  Program gradient = gradient_of({f64({2})}, [](const Arrays& a) {
    auto one = [](const Array& x) {
      return cond(x > 0.0, [](const Array& v) { return log(v); }, [](const Array& v) { return v * 2.0; }, x);
    };
    return reduce_sum(vmap(one)(a[0]));
  });
  Tensors found = evaluate_whole(gradient, mesh(), {Tensor(Shape{2}, std::vector<double>{0, 4})});
  EXPECT_EQ(found[0], Tensor(Shape{2}, std::vector<double>{2, 0.25}));
}

TEST(control_gradient, of_steps_over_a_mesh_in_a_scan_outside_of_it) {
  expect_gradient({f64({2}), f64({3, 4, 2})}, [](const Arrays& a) {
    auto step = [](const Array& w, const Array& x) { return psum(reduce_sum(tanh(x * w)), "a"); };
    auto sharded = shard_map(step, {.mesh = mesh(), .in = {P(), P("a")}, .out = P()});
    auto trip = [&](const Array& w, const Array& x) -> Pair {
      Array loss = sharded(w, x);
      return {w * 0.9 + loss * 0.1, loss};
    };
    auto [last, losses] = scan(trip, a[0], a[1]);
    return reduce_sum(last * last) + reduce_sum(losses);
  });
}

/// A loop, a branch in it, a part that is computed again and a rule of the user.
Array all_kinds(const Array& x, const Array& w) {
  auto scaled = [](const Array& v, const Array& by) { return sin(v) * by; };
  auto forward = [&](const Array& v, const Array& by) { return std::pair{scaled(v, by), Pair{v, by}}; };
  auto backward = [](const Pair& kept, const Array& cotangent) {
    auto [v, by] = kept;
    auto counted = [&](const Array& number, const Array& c) {
      return c + cotangent * convert(number, DType::f64);
    };
    Array whole = fori_loop(0, 2, counted, zeros({2}, DType::f64));
    return std::tuple{whole * cos(v) * by, reduce_sum(whole * sin(v))};
  };
  auto trip = [&](const Array& number, const Array& c) {
    auto again = remat([](const Array& v) { return tanh(v) * v; });
    return cond(
        number > 0, again, [&](const Array& v) { return custom_vjp(scaled, forward, backward)(v, w); }, c);
  };
  return fori_loop(0, 3, trip, x);
}

TEST(control_gradient, is_pulled_back_in_lanes) {
  expect_gradient({f64({2}), f64({}), f64({3, 2})}, [](const Arrays& a) {
    auto [y, pull] = vjp(all_kinds, std::tuple{a[0], a[1]});
    auto lane = [&, &pulled = pull](const Array& cotangent) {
      auto [of_x, of_w] = pulled(cotangent);
      return tanh(of_x) + of_w;
    };
    return reduce_sum(vmap(lane)(a[2]) * y);
  });
}

TEST(control_gradient, is_pulled_back_in_lanes_of_lanes_of_a_device) {
  auto loss = [](const Arrays& a) {
    auto here = [&](const Array& x) {
      return cond(
          axis_index("a") > 0, [&](const Array& v) { return all_kinds(v, reduce_sum(a[0])); },
          [](const Array& v) { return tanh(v); }, x);
    };
    auto [y, pull] = vjp(here, std::tuple{a[0]});
    auto lane = [&, &pulled = pull](const Array& c, const Array& d) { return std::get<0>(pulled(c * d)); };
    auto row = [&](const Array& c) { return vmap([&](const Array& d) { return lane(c, d); })(a[1]); };
    return psum(reduce_sum(vmap(row)(a[1]) * y), "a");
  };
  expect_gradient({f64({2}), f64({4, 2})}, on_mesh(loss, {P(), P("a")}));
}

// --- Cost --------------------------------------------------------------------------------------------------

int all_reduces(const Program& program) { return count(program, "all_reduce"); }

bool inside_a_loop(const Program& program) {
  for (const Equation& equation : program.equations)
    for (const SubProgram& inner : equation.op->programs())
      if (all_reduces(*inner) > 0) return true;
  return false;
}

// The parameter is used three times in every trip; its cotangent is summed over the devices once, after the
// loop.
TEST(control_gradient, reduces_the_cotangent_of_a_parameter_once_after_the_loop) {
  Program gradient =
      gradient_of({f64({3}), f64({4, 3})}, on_mesh(
                                               [](const Arrays& a) {
                                                 auto step = [&](const Array& c, const Array& x) -> Pair {
                                                   return {c * a[0] + x * a[0] * a[0], c};
                                                 };
                                                 auto [last, ys] = scan(step, reduce_sum(a[1], 0), a[1]);
                                                 return psum(reduce_sum(last), "a");
                                               },
                                               {P(), P("a")}));
  EXPECT_EQ(all_reduces(gradient), 2) << to_string(gradient);  // of the loss, and of the parameter
  EXPECT_FALSE(inside_a_loop(gradient)) << to_string(gradient);
}

TEST(control_gradient, reduces_the_cotangents_of_layers_that_are_equal_once_after_the_loop) {
  auto loss = [](const Arrays& a) {
    auto layer = [](const Array& x, const Array& w) { return Pair{tanh(matmul(x, w)), reduce_sum(x)}; };
    return psum(reduce_sum(scan(layer, a[1], a[0]).first), "a");
  };
  Program gradient = gradient_of({f64({5, 3, 3}), f64({4, 3})}, on_mesh(loss, {P(), P("a")}));
  EXPECT_EQ(all_reduces(gradient), 2) << to_string(gradient);
  EXPECT_FALSE(inside_a_loop(gradient)) << to_string(gradient);
}

TEST(control_gradient, reduces_the_cotangent_of_a_parameter_once_after_a_loop_in_a_loop) {
  auto loss = [](const Arrays& a) {
    auto inner = [&](const Array& c, const Array& x) { return Pair{tanh(c * a[0] + x), c}; };
    auto outer = [&](const Array& c, const Array&) { return Pair{scan(inner, c, a[1]).first, c}; };
    Array start = reduce_sum(a[1], 0);
    return psum(reduce_sum(scan(outer, start, a[1]).first), "a");
  };
  Program gradient = gradient_of({f64({3}), f64({4, 3})}, on_mesh(loss, {P(), P("a")}));
  EXPECT_EQ(all_reduces(gradient), 2) << to_string(gradient);
  EXPECT_FALSE(inside_a_loop(gradient)) << to_string(gradient);
}

TEST(control_gradient, of_a_while_loop_is_refused_with_the_way_out) {
  auto loss = [](const Arrays& a) {
    auto halves = [](const Array& x) { return reduce_sum(x) > 1.0; };
    return reduce_sum(while_loop(halves, [](const Array& x) { return x * 0.5; }, a[0]));
  };
  try {
    gradient_of({f64({3})}, loss);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::refused_rule);
    EXPECT_EQ(error.message(),
              "while: transpose is refused: a while loop does not say how many trips there are, so what its "
              "gradient needs of each has no place; use scan, or fori_loop with numbers of C++ for bounds");
  }
}

TEST(control_gradient, goes_past_a_while_loop_that_stops_it) {
  expect_gradient({f64({3})}, [](const Arrays& a) {
    auto below = [](const Pair& carry) { return reduce_sum(carry.second) < 20.0; };
    auto trip = [&](const Pair& carry) {
      return Pair{carry.first + 1, carry.second + exp(stop_gradient(a[0]))};
    };
    Array trips = while_loop(below, trip, Pair{zeros({}, DType::i32), zeros({3}, DType::f64)}).first;
    return reduce_sum(sin(a[0]) * convert(trips, DType::f64));
  });
}

TEST(control_gradient, forward_goes_through_a_while_loop) {
  Program program = recorded({f64({2}), f64({2})}, [](const Arrays& a) {
    auto loop = [](const Array& x) {
      return while_loop([](const Array& v) { return reduce_sum(v) < 20.0; },
                        [&](const Array& v) { return v * x; }, x);
    };
    auto [value, slope] = jvp(loop, std::tuple{a[0]}, std::tuple{a[1]});
    return Arrays{value, slope};
  });
  Tensor x(Shape{2}, std::vector<double>{2, 3}), v(Shape{2}, std::vector<double>{1, 0.5});
  Tensors found = evaluate_whole(program, mesh(), {x, v});
  EXPECT_EQ(found[0], Tensor(Shape{2}, std::vector<double>{8, 27}));  // x^3
  EXPECT_EQ(found[1], Tensor(Shape{2}, std::vector<double>{12, 13.5}));
}

}  // namespace
}  // namespace tutti
