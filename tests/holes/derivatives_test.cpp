// SPDX-License-Identifier: Apache-2.0
// Section B of the list: differentiation.
#include "tests/holes/hole.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

using Pair = std::pair<Array, Array>;

TEST(h017, maximum_and_minimum_have_derivatives_that_ties_share) {
  auto largest = [](const Array& x) { return pmax(x, "x"); };
  auto smallest = [](const Array& x) { return pmin(x, "x"); };
  expect_blocks(
      x4, {}, scalars({1, 3, 3, 2}), [&](const Array& x) { return grad(largest)(x); }, {},
      scalars({0, 0.5, 0.5, 0}));
  expect_blocks(
      x4, {}, scalars({1, 3, 3, 2}), [&](const Array& x) { return grad(smallest)(x); }, {},
      scalars({1, 0, 0, 0}));
}

TEST(h019, position_of_the_largest_is_a_constant_to_derivatives) {
  auto loss = [](const Array& x) { return x * convert(pargmax(x, "x"), DType::f32); };
  expect_blocks(x4, {}, scalars({3, 5, 7, 1}), [&](const Array& x) { return grad(loss)(x); }, {}, {{2}});
}

TEST(h022, exchange_to_another_dim_is_transposed_to_where_it_came_from) {
  auto loss = [](const Array& x) {
    Array received = all_to_all(x, "x", {.split = 0, .concat = 2});  // [3, 2, 2]
    return reduce_sum(received * (reshape(arange(12, DType::f32), {3, 2, 2}) + 100 * device_number("x")));
  };
  // Device c received from d, as [j, k, d], a value of weight 4j + 2k + d + 100c. It goes back to [c, j, k].
  Blocks expected(2);
  for (std::size_t d = 0; d < 2; ++d)
    for (int c = 0; c < 2; ++c)
      for (int jk = 0; jk < 6; ++jk) expected[d].push_back(2 * jk + static_cast<int>(d) + 100 * c);
  expect_blocks(
      x2, {2, 3, 2}, counting(2, 12), [&](const Array& x) { return grad(loss)(x); }, {2, 3, 2}, expected);
}

TEST(h023, broadcast_of_an_array_is_transposed_to_its_source) {
  auto loss = [](const Array& x) {
    return reduce_sum(pbroadcast(x, "x", {.source = 1}) * (device_number("x") + 1));
  };
  expect_blocks(x4, {2}, counting(4, 2), [&](const Array& x) { return grad(loss)(x); }, {2},
                {{0, 0}, {10, 10}, {0, 0}, {0, 0}});
}

TEST(h025, gather_transposed_twice_is_the_gather) {
  Axes axes = x4.axes();
  Program gather = trace({Type(DType::f32, {2}).with(axes, varying)}, [&](const Arrays& x) {
                     return Arrays{all_gather(x[0], axes, {.to = invariant})};
                   }).program;
  Program back = transpose(gather, {true});
  EXPECT_NE(text_of(back).find("own_block"), std::string::npos);
  EXPECT_EQ(text_of(transpose(back, {true})), text_of(gather));
}

TEST(h026, product_of_reduced_values_is_reduced) {
  auto loss = [](const Array& a) {
    Array b = reshape(arange(4, DType::f32), {2, 2});
    return reduce_sum(matmul(as_reduced(a), as_reduced(b)));
  };
  EXPECT_EQ(type_of(x2, [&](const Array&) { return loss(ones({2, 2}, DType::f32)); }), "f32[]{R:x}");
  auto of_reduced = [](const Array& a) {
    Array b = as_reduced(reshape(arange(4, DType::f32), {2, 2}));
    return psum(grad([&](const Array& x) { return reduce_sum(matmul(x, b)); })(as_reduced(a)), "x");
  };
  expect_from_equal(x2, {2, 2}, {1, 2, 3, 4}, of_reduced, {2, 2}, {{1, 5, 1, 5}});
  expect_from_equal(x2, {2, 2}, {1, 2, 3, 4}, [&](const Array& a) { return grad(loss)(a); }, {2, 2},
                    {{1, 5, 1, 5}});
}

TEST(h027, custom_gradient_with_an_unused_result_works_inside_a_shard_map) {
  auto both = [](Array y) { return Pair{2 * y, 3 * y}; };
  auto forward = [both](Array y) { return std::pair{both(y), std::tuple<>{}}; };
  auto backward = [](std::tuple<>, Pair ct) { return std::tuple{5 * ct.first + 7 * ct.second}; };
  auto body = [=](Array x) { return custom_vjp(both, forward, backward)(x).first; };
  auto loss = [=](Array x) {
    return reduce_sum(shard_map(body, {.mesh = x4, .in = P("x"), .out = P("x")})(x));
  };
  EXPECT_EQ(of_whole(
                x4, [&](Array x) { return grad(loss)(x); }, {4}, numbers(4)),
            Tensor({4}, std::vector<float>(4, 5)));
}

// The gradient of loss(w, x) by w = 2, which is equal on all devices and cast to reduced; x counts 0 .. 11
// over them.
void expect_gradient_by_reduced(const std::function<Array(const Array& w, const Array& x)>& loss,
                                double expected) {
  auto body = [&](const Array& x) {
    return grad([&](const Array& w) { return loss(as_reduced(w), x); })(full({}, 2, DType::f32));
  };
  expect_blocks(x4, {3}, counting(4, 3), body, {}, {{expected}});
}

TEST(h107, scan_has_a_gradient_by_a_reduced_value_of_outside) {
  expect_gradient_by_reduced(
      [](const Array& w, const Array& x) {
        auto step = [&](Array c, Array v) { return std::pair{c + w * v, std::tuple<>{}}; };
        return scan(step, zeros({}, DType::f32), x).first;
      },
      66);
}

TEST(h107, scan_has_a_gradient_by_a_reduced_carry) {
  expect_gradient_by_reduced(
      [](const Array& w, const Array& x) {
        auto trip = [&](Array, Array c) { return c + w; };
        return reduce_sum(x * fori_loop(0, 3, trip, w));  // 4 w
      },
      4 * 66);
}

TEST(h107, cond_has_a_gradient_by_a_reduced_value_of_one_branch) {
  expect_gradient_by_reduced(
      [](const Array& w, const Array& x) {
        auto with = [&](Array v) { return w * v; };
        auto without = [](Array v) { return 1 * v; };
        Array sum = reduce_sum(x);
        return cond(w > 1, with, without, sum) + cond(w > 3, with, without, sum);
      },
      66);
}

TEST(h107, custom_gradient_gets_the_pending_cotangent_of_a_reduced_result) {
  expect_gradient_by_reduced(
      [](const Array& w, const Array& x) {
        auto twice = [](Array v) { return 2 * v; };
        auto forward = [](Array v) { return std::pair{2 * v, std::tuple<>{}}; };
        auto backward = [](std::tuple<>, Array ct) { return std::tuple{2 * ct}; };
        return reduce_sum(custom_vjp(twice, forward, backward)(w) * x);
      },
      2 * 66);
}

TEST(h107, selection_has_a_gradient_by_reduced_values) {
  expect_gradient_by_reduced([](const Array& w,
                                const Array& x) { return reduce_sum(select(w > 1, w, 3 * w) * x); },
                             66);
}

TEST(h108, concatenation_of_reduced_and_equal_values_has_a_gradient_by_both) {
  auto loss = [](const Array& r, const Array& w, const Array& x) {
    return reduce_sum(concatenate({as_reduced(r), w}) * x);
  };
  auto one = [] { return ones({1}, DType::f32); };
  auto by_reduced = [&](const Array& x) { return grad([&](Array r) { return loss(r, one(), x); })(one()); };
  auto by_equal = [&](const Array& x) { return grad([&](Array w) { return loss(one(), w, x); })(one()); };
  expect_blocks(x4, {2}, counting(4, 2), by_reduced, {1}, {{12}});
  expect_blocks(x4, {2}, counting(4, 2), by_equal, {1}, {{16}});
}

}  // namespace
}  // namespace tutti
