// SPDX-License-Identifier: Apache-2.0
// remat, and functions with derivatives of their own.
#include <gtest/gtest.h>

#include "tests/support/recorded.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tests/support/values.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh& mesh() { return example_mesh(); }
Type f64(const Shape& shape) { return {DType::f64, shape}; }

Tensor row(const std::vector<double>& values) {
  return {Shape{static_cast<std::int64_t>(values.size())}, values};
}

Array layers(const Arrays& a) { return reduce_sum(tanh(matmul(tanh(matmul(a[0], a[1])), a[1]))); }

Program gradient_with(RematPolicy policy) {
  return recorded({f64({2, 3}), f64({3, 3})}, [&](const Arrays& a) {
    return grad([&](const Arrays& b) { return remat(layers, {.policy = policy})(b); })(a);
  });
}

TEST(remat, computes_again_what_its_policy_does_not_keep) {
  EXPECT_EQ(count(gradient_with(RematPolicy::everything), "tanh"), 2);
  EXPECT_EQ(count(gradient_with(RematPolicy::nothing), "tanh"), 4);
  EXPECT_EQ(count(gradient_with(RematPolicy::dots), "tanh"), 4);
  // Two products forwards and four backwards; without any kept, both again.
  EXPECT_EQ(count(gradient_with(RematPolicy::everything), "dot_general"), 6);
  EXPECT_EQ(count(gradient_with(RematPolicy::dots), "dot_general"), 6);
  EXPECT_EQ(count(gradient_with(RematPolicy::nothing), "dot_general"), 8);
}

TEST(remat, has_the_bits_of_the_function_without) {
  Random random(3);
  Tensors x;
  for (const PerDevice& value : random_values(random, Types{f64({2, 3}), f64({3, 3})}, Numbers::any))
    x.push_back(value[0]);
  Tensors expected = evaluate_whole(gradient_with(RematPolicy::everything), mesh(), x);
  EXPECT_EQ(evaluate_whole(gradient_with(RematPolicy::nothing), mesh(), x), expected);
  EXPECT_EQ(evaluate_whole(gradient_with(RematPolicy::dots), mesh(), x), expected);
}

TEST(remat, of_every_trip_of_a_scan_stacks_only_carries) {
  Program gradient = recorded({f64({3}), f64({4, 3})}, [](const Arrays& a) {
    auto loss = [](const Array& start, const Array& xs) {
      auto trip = [](const Array& c, const Array& x) {
        auto inside = [](const Array& v, const Array& w) { return tanh(tanh(v * w) + exp(v)); };
        return std::pair{remat(inside)(c, x), std::tuple<>{}};
      };
      return reduce_sum(scan(trip, start, xs).first);
    };
    return Arrays{grad(loss)(a[0], a[1])};
  });
  std::vector<std::size_t> results;
  for (const Equation& equation : gradient.equations)
    if (equation.op.as<Scan>()) results.push_back(equation.results.size());
  EXPECT_EQ(results, (std::vector<std::size_t>{2, 1})) << to_string(gradient);  // the carry, and its stack
}

Array clipped_square(const Array& x) {
  auto square_of = [](const Array& v) { return v * v; };
  auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>& moved) {
    const Array &v = std::get<0>(at), &t = std::get<0>(moved);
    return std::pair{v * v, t * minimum(2.0 * v, 1.0)};
  };
  return custom_jvp(square_of, rule)(x);
}

TEST(custom_jvp, is_the_derivative_in_both_modes_and_in_lanes) {
  Program program = recorded({f64({3})}, [](const Arrays& a) {
    auto [value, moved] =
        jvp([](const Array& x) { return clipped_square(x); }, std::tuple{a[0]}, std::tuple{ones_like(a[0])});
    auto sum = [](const Array& x) { return reduce_sum(clipped_square(x)); };
    return Arrays{value, moved, grad(sum)(a[0]),
                  vmap(grad([](const Array& x) { return clipped_square(x); }))(a[0])};
  });
  Tensors found = evaluate_whole(program, mesh(), {row({-1, 0.25, 3})});
  EXPECT_EQ(found[0], row({1, 0.0625, 9}));
  for (std::size_t i : {1, 2, 3}) EXPECT_EQ(found[i], row({-2, 0.5, 1}));
}

// Gradients are clipped on their way back, which is not linear.
Array with_clipped_gradient(const Array& x, const Array& limit) {
  auto same = [](const Array& v) { return v * 1.0; };
  auto forward = [](const Array& v) { return std::pair{v * 1.0, std::tuple<>{}}; };
  auto backward = [&](const std::tuple<>&, const Array& ct) {
    return std::tuple{maximum(-limit, minimum(ct, limit))};
  };
  return custom_vjp(same, forward, backward)(x);
}

TEST(custom_vjp, is_the_gradient) {
  Program program = recorded({f64({3}), f64({})}, [](const Arrays& a) {
    auto loss = [&](const Array& x) {
      return reduce_sum(with_clipped_gradient(x, broadcast_to(a[1], {3})) * x);
    };
    return Arrays{grad(loss)(a[0])};
  });
  Tensors found = evaluate_whole(program, mesh(), {row({-5, 0.25, 3}), Tensor::scalar(2.0)});
  EXPECT_EQ(found[0], row({-5 - 2, 0.25 + 0.25, 3 + 2}));
}

TEST(custom_vjp, whose_gradient_is_not_linear_has_no_forward_derivative) {
  auto traced_jvp = [] {
    recorded({f64({2})}, [](const Arrays& a) {
      auto f = [&](const Array& v) { return with_clipped_gradient(v, ones({2}, DType::f64)); };
      return Arrays{jvp(f, std::tuple{a[0]}, std::tuple{a[0]}).second};
    });
  };
  EXPECT_EQ(refusal_of(traced_jvp), "T010: jvp: the tangent of a custom_vjp needs its backward to be linear; "
                                    "maximum: transpose is refused: it is not linear");
}

TEST(custom_vjp, refuses_a_cotangent_that_is_not_summed_over_the_devices) {
  std::string said = refusal_of(on_devices([](Array x) {
    Array w = ones({2}, DType::f32);  // equal on all devices: its cotangent must be
    auto product = [&](const Array& v) { return v * x; };
    auto forward = [&](const Array& v) { return std::pair{v * x, v * 1.0F}; };
    auto backward = [&](const Array&, const Array& ct) { return std::tuple{ct * x}; };
    return custom_vjp(product, forward, backward)(w);
  }));
  EXPECT_EQ(said, "T004: custom_vjp: backward's cotangent 0 is f32[2]{V:data}, expected f32[2]: it is "
                  "different on each device along 'data'; make it equal with psum, pmax or pbroadcast");
}

TEST(optimization_barrier, is_its_operands) {
  Program program = recorded({f64({2}), f64({})}, [](const Arrays& a) {
    auto [x, y] = optimization_barrier(std::pair{a[0], a[1]});
    return Arrays{x + y};
  });
  EXPECT_EQ(evaluate_whole(program, mesh(), {row({1, 2}), Tensor::scalar(3.0)})[0], row({4, 5}));
}

}  // namespace
}  // namespace tutti
