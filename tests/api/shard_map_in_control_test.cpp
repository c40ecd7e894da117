// SPDX-License-Identifier: Apache-2.0
// shard_map inside of loops, branches, remat and functions with gradients of their own, with what it closes
// over, and under derivatives of both kinds: numbers worked out with plain loops.
#include <gtest/gtest.h>

#include "tests/api/numbers.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const Mesh& mesh() {
  static const Mesh cube({{"a", 2}, {"b", 2}, {"c", 2}});
  return cube;
}

Doubles some_doubles(std::int64_t n, int kind = 1) { return some_table(n, 1, kind).values; }
Array array(const Doubles& values) { return Tensor(Shape{static_cast<std::int64_t>(values.size())}, values); }
double sum_of(const Doubles& values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}
double squares_of(const Doubles& values) {
  double sum = 0;
  for (double value : values) sum += value * value;
  return sum;
}

// x less a quarter of the sum of x over all devices.
Array lowered(const Array& x) {
  auto body = [](Array part) { return part - 0.25 * psum(reduce_sum(part), {"a", "b"}); };
  P split(SpecEntry{"a", "b"});
  return shard_map(body, {.mesh = mesh(), .in = split, .out = split})(x);
}
Doubles lowered(Doubles x) {
  double sum = sum_of(x);
  for (double& value : x) value -= 0.25 * sum;
  return x;
}
// The sum of squares, over all devices.
Array square_sum(const Array& x) {
  auto body = [](Array part) { return psum(reduce_sum(part * part), "a"); };
  return shard_map(body, {.mesh = mesh(), .in = P("a"), .out = P()})(x);
}

TEST(shard_map_in_a_branch, is_taken_or_not) {
  Doubles x = some_doubles(8);
  auto chosen = [](Array index, Array v) {
    return cond(index > 0, [](Array u) { return lowered(u); }, [](Array u) { return 2 * u; }, v);
  };
  Doubles twice = x;
  for (double& value : twice) value *= 2;
  EXPECT_EQ(computed_one(chosen, Array(Tensor::scalar(std::int32_t{1})), array(x)), lowered(x));
  EXPECT_EQ(computed_one(chosen, Array(Tensor::scalar(std::int32_t{0})), array(x)), twice);
}

// The gradient of the branch that is taken; of the sum of squares of the lowered values y: 2y - (sum of 2y) /
// 4.
TEST(shard_map_in_a_branch, has_the_gradient_of_the_one_taken) {
  Doubles x = some_doubles(8);
  auto loss = [](Array v, Array index) {
    return cond(
        index > 0, [](Array u) { return square_sum(lowered(u)); }, [](Array u) { return reduce_sum(3 * u); },
        v);
  };
  Doubles y = lowered(x), expected;
  for (double value : y) expected.push_back(2 * value - 0.25 * 2 * sum_of(y));
  EXPECT_EQ(computed_one(grad(loss), array(x), Array(Tensor::scalar(std::int32_t{1}))), expected);
  EXPECT_EQ(computed_one(grad(loss), array(x), Array(Tensor::scalar(std::int32_t{0}))), Doubles(8, 3));
}

TEST(shard_map_in_a_loop, runs_until_a_sum_over_devices_says_so) {
  Doubles x = some_doubles(8, 3);
  auto rounds = [](Array v) {
    auto goes_on = [](Array u) { return square_sum(u) > 0.25; };
    return while_loop(goes_on, [](Array u) { return 0.5 * lowered(u); }, v);
  };
  Doubles expected = x;
  int trips = 0;
  for (; squares_of(expected) > 0.25; ++trips) {
    expected = lowered(expected);
    for (double& value : expected) value *= 0.5;
  }
  EXPECT_GT(trips, 1);
  EXPECT_EQ(computed_one(rounds, array(x)), expected);
}

TEST(shard_map_in_a_loop, has_the_gradient_through_all_trips) {
  Doubles x = some_doubles(8);
  auto loss = [](Array v) {
    return reduce_sum(fori_loop(0, 3, [](const Array&, const Array& u) { return lowered(u); }, v));
  };
  // A sum of 8 becomes s - 8 s / 4 = -s: after three trips the loss is minus the sum.
  EXPECT_EQ(computed_one(grad(loss), array(x)), Doubles(8, -1));
}

TEST(shard_map_in_remat, has_the_same_gradient) {
  Doubles x = some_doubles(8), expected;
  auto kept = [](const Array& v) { return square_sum(lowered(v)); };
  Doubles y = lowered(x);
  for (double value : y) expected.push_back(2 * value - 0.25 * 2 * sum_of(y));
  auto again = remat(kept);
  EXPECT_EQ(computed_one(grad([&](const Array& v) { return again(v); }), array(x)), expected);
}

TEST(shard_map_with_a_gradient_of_its_own, uses_it_outside_and_inside) {
  Doubles x = some_doubles(4), expected;
  auto forward = [](Array v) { return std::pair{square_sum(v), v}; };
  auto backward = [](Array v, Array cotangent) { return std::tuple{10 * v * cotangent}; };
  auto outside = custom_vjp(square_sum, forward, backward);
  for (double value : x) expected.push_back(10 * value);
  EXPECT_EQ(computed_one(grad([&](const Array& v) { return outside(v); }), array(x)), expected);

  auto local = [](Array part) { return reduce_sum(part * part); };
  auto ahead = [&](Array part) { return std::pair{local(part), part}; };
  auto inside = [&](const Array& v) {
    auto body = [&](Array part) { return psum(custom_vjp(local, ahead, backward)(part), "a"); };
    return shard_map(body, {.mesh = mesh(), .in = P("a"), .out = P()})(v);
  };
  EXPECT_EQ(computed_one(grad(inside), array(x)), expected);
}

TEST(shard_map_that_closes_over, values_of_the_trace_around_it_has_their_gradients) {
  Doubles x = some_doubles(4), w = some_doubles(2, 2);
  auto loss = [](Array weights, Array v) {
    auto body = [&](Array part) {
      return psum(reduce_sum(part * weights), "a");
    };  // the same weights on both
    return shard_map(body, {.mesh = mesh(), .in = P("a"), .out = P()})(v);
  };
  EXPECT_EQ(computed_one(grad(loss), array(w), array(x)), (Doubles{x[0] + x[2], x[1] + x[3]}));
}

TEST(shard_map_that_closes_over, parts_of_the_one_around_it_keeps_them_apart) {
  Doubles x = some_doubles(4), y = some_doubles(2, 2);
  auto outer = [](Array part, Array all) {
    auto inner = [&](Array u) { return psum(u, "b") * part; };  // part differs along a
    return shard_map(inner, {.mesh = mesh(), .in = P("b"), .out = P(), .axes = {"b"}})(all);
  };
  auto whole = shard_map(outer, {.mesh = mesh(), .in = {P("a"), P()}, .out = P("a"), .axes = {"a"}});
  Doubles expected = x;
  for (double& value : expected) value *= y[0] + y[1];
  EXPECT_EQ(computed_one(whole, array(x), array(y)), expected);
  auto loss = [&](Array u, Array v) { return reduce_sum(whole(v, u)); };
  EXPECT_EQ(computed_one(grad(loss), array(y), array(x)), Doubles(2, sum_of(x)));
}

// loss = s^2 + sum of squares, s the sum over all devices: H v = 2 (sum of v) + 2 v.
Array curved(const Array& x) {
  auto body = [](Array part) {
    Array all = psum(reduce_sum(part), {"b", "c"});
    return all * all + psum(reduce_sum(part * part), {"c", "b"});
  };
  return shard_map(body, {.mesh = mesh(), .in = P(SpecEntry{"b", "c"}), .out = P()})(x);
}

TEST(second_derivatives, along_a_direction_go_through_shard_map_either_way) {
  Doubles x = some_doubles(8), v = some_doubles(8, 2), expected;
  for (double value : v) expected.push_back(2 * sum_of(v) + 2 * value);
  auto forward_over_reverse = [](Array u, Array t) {
    return jvp(grad(curved), std::tuple{u}, std::tuple{t}).second;
  };
  auto reverse_over_reverse = [](Array u, Array t) {
    return grad([&](const Array& w) { return reduce_sum(grad(curved)(w) * t); })(u);
  };
  auto reverse_over_forward = [](Array u, Array t) {
    return grad([&](const Array& w) { return jvp(curved, std::tuple{w}, std::tuple{t}).second; })(u);
  };
  EXPECT_EQ(computed_one(forward_over_reverse, array(x), array(v)), expected);
  EXPECT_EQ(computed_one(reverse_over_reverse, array(x), array(v)), expected);
  EXPECT_EQ(computed_one(reverse_over_forward, array(x), array(v)), expected);
}

TEST(second_derivatives, of_all_pairs_are_a_vmap_of_them) {
  Doubles x = some_doubles(8);
  auto hessian = [](Array u) {
    auto column = [&](Array t) { return jvp(grad(curved), std::tuple{u}, std::tuple{t}).second; };
    Array rows = broadcast_in_dim(arange(8, DType::i32), {8, 8}, {0}), columns = iota({8, 8}, DType::i32, 1);
    return vmap(column)(convert(equal(rows, columns), DType::f64));
  };
  Table expected = table(8, 8, [](auto row, auto column) { return row == column ? 4 : 2; });
  EXPECT_EQ(computed_one(hessian, array(x)), expected.values);
}

}  // namespace
}  // namespace tutti
