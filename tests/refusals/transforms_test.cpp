// SPDX-License-Identifier: Apache-2.0
// Derivatives and batching of what has none.
#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// An op that refuses every transform.
struct Opaque {
  static constexpr std::string_view name = "opaque";
  static constexpr Refused jvp{"its derivative is not known"}, transpose{"it is not linear"},
      batch{"it takes one row at a time"}, lower{"no program text has it"};

  Mixing mixing() const { return Mixing::alike; }
  Types infer(const Types& operands) const { return operands; }
  Kernel kernel(const Layout&) const { return View{}; }
  static std::vector<Example> examples() { return {}; }
  bool operator==(const Opaque&) const = default;
};

// Its tangent is what it computes, which it does not know how to transpose.
struct Forward : Opaque {
  static constexpr std::string_view name = "forward";
  Jvp jvp(const Arrays& operands, const Tangents& tangents) const {
    return linear_jvp(*this, operands, tangents);
  }
};

Array opaque(Operand x) { return apply_one(Opaque{}, {*x.array()}, x.where()); }
Array forward(Operand x) { return apply_one(Forward{}, {*x.array()}, x.where()); }

TEST(grad, is_of_a_scalar) {
  expect_refused(traced([](Array x) {
                   return grad([](Array y) { return y * y; })(x);  // refused
                 }),
                 "?");
}

TEST(grad, is_of_a_float) {
  expect_refused(traced([](Array x) {
                   return grad([](Array y) { return convert(reduce_sum(y), DType::i32); })(x);  // refused
                 }),
                 "?");
}

TEST(grad, is_of_something) {
  expect_refused(traced([](Array x) {
                   return grad([](Array) { return std::vector<Array>{}; })(x);  // refused
                 }),
                 "?");
}

TEST(grad, is_by_floats) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array i) { return reduce_sum(convert(i, DType::f32)); };
                   return value_and_grad(loss)(convert(x, DType::i32)).second;  // refused
                 }),
                 "?");
}

TEST(grad, names_the_leaf_that_has_no_derivative) {
  struct Params {
    Array w, steps;
  };
  expect_refused(traced([](Array x) {
                   auto loss = [](Params p) { return reduce_sum(p.w); };
                   return grad(loss)(Params{x, convert(x, DType::i32)}).w;  // refused
                 }),
                 "?");
}

TEST(grad, of_an_op_without_a_derivative_says_why) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     return reduce_sum(opaque(y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "?");
}

TEST(grad, of_an_op_without_a_transpose_says_why) {
  expect_refused(traced([](Array x) {
                   auto loss = [](Array y) {
                     return reduce_sum(forward(y));  // refused
                   };
                   return grad(loss)(x);
                 }),
                 "?");
}

TEST(jvp, of_an_op_without_a_derivative_says_why) {
  expect_refused(traced([](Array x) {
                   auto f = [](Array y) {
                     return opaque(y);  // refused
                   };
                   return jvp(f, std::tuple{x}, std::tuple{x}).second;
                 }),
                 "?");
}

TEST(jvp, takes_tangents_like_the_arguments) {
  auto square = [](Array y) { return y * y; };
  expect_refused(traced([&](Array x) {
                   return jvp(square, std::tuple{x}, std::tuple{reduce_sum(x)}).second;  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   auto first = [](std::vector<Array> y) { return y[0]; };
                   std::vector<Array> one{x}, two{x, x};
                   return jvp(first, std::tuple{one}, std::tuple{two}).second;  // refused
                 }),
                 "?");
  expect_refused(on_devices([&](Array x) {
                   return jvp(square, std::tuple{ones_like(x)}, std::tuple{x}).second;  // refused
                 }),
                 "?");
}

TEST(vjp, takes_cotangents_like_the_results) {
  auto square = [](Array y) { return y * y; };
  expect_refused(traced([&](Array x) {
                   auto [y, pullback] = vjp(square, std::tuple{x});
                   return std::get<0>(pullback(reduce_sum(x)));  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   auto [y, pullback] = vjp([](Array z) { return std::vector{z, z}; }, std::tuple{x});
                   return std::get<0>(pullback(std::vector{x}));  // refused
                 }),
                 "?");
  expect_refused(on_devices([&](Array x) {
                   auto [y, pullback] = vjp(square, std::tuple{ones_like(x)});
                   return std::get<0>(pullback(x));  // refused
                 }),
                 "?");
}

TEST(vjp, of_an_op_without_a_transpose_says_why) {
  expect_refused(traced([](Array x) {
                   auto f = [](Array y) {
                     return forward(y);  // refused
                   };
                   return vjp(f, std::tuple{x}).first;
                 }),
                 "?");
}

TEST(vmap, of_an_op_that_has_no_batch_rule_says_why) {
  expect_refused(traced([](Array x) {
                   auto f = [](Array y) {
                     return opaque(y);  // refused
                   };
                   return vmap(f)(x);
                 }),
                 "?");
}

TEST(vmap, maps_dims_of_one_size) {
  auto sum = [](Array x, Array y) { return x + y; };
  expect_refused(traced([&](Array x) {
                   return vmap(sum)(x, ones({3}, DType::f32));  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   return vmap(sum, {.size = 3})(x, x);  // refused
                 }),
                 "?");
}

TEST(vmap, maps_dims_that_are_there) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same)(reduce_sum(x));  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {1}})(x);  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.out = 1})(x);  // refused
                 }),
                 "?");
}

TEST(vmap, has_an_in_dim_per_argument) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {0, none}})(x);  // refused
                 }),
                 "?");
}

TEST(vmap, has_lanes) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {none}})(x);  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.in = {none}, .size = 0})(x);  // refused
                 }),
                 "?");
  expect_refused(traced([&](Array) {
                   return vmap(same)(zeros({0}, DType::f32));  // refused
                 }),
                 "?");
}

TEST(vmap, gives_results_that_differ_an_out_dim) {
  auto same = [](Array x) { return x; };
  expect_refused(traced([&](Array x) {
                   return vmap(same, {.out = none})(x);  // refused
                 }),
                 "?");
}

}  // namespace
}  // namespace tutti
