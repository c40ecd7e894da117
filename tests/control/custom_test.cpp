// SPDX-License-Identifier: Apache-2.0
// remat, and functions with derivatives of their own.
#include <gtest/gtest.h>

#include "tests/support/recorded.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/tracing.hpp"
#include "tests/support/values.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/control/wrapped/remat.hpp"
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

// Two layers; the result of the first tanh, or of the first product, has a name.
Array named_layers(const Arrays& a) {
  Array first = checkpoint_name(matmul(a[0], a[1]), "product");
  Array hidden = checkpoint_name(tanh(first), "hidden");
  return reduce_sum(tanh(matmul(hidden, a[1])));
}

Program named_gradient(const RematOptions& options) {
  return recorded({f64({2, 3}), f64({3, 3})}, [&](const Arrays& a) {
    return grad([&](const Arrays& b) { return remat(named_layers, options)(b); })(a);
  });
}

TEST(remat, keeps_what_has_a_kept_name) {
  EXPECT_EQ(count(named_gradient({}), "tanh"), 4);
  EXPECT_EQ(count(named_gradient({}), "dot_general"), 8);
  // The first tanh, and so its product, are not computed again.
  EXPECT_EQ(count(named_gradient({.keep = {"hidden"}}), "tanh"), 3);
  EXPECT_EQ(count(named_gradient({.keep = {"hidden"}}), "dot_general"), 7);
  // The product is not, but the tanh is.
  EXPECT_EQ(count(named_gradient({.keep = {"product"}}), "tanh"), 4);
  EXPECT_EQ(count(named_gradient({.keep = {"product"}}), "dot_general"), 7);
  EXPECT_EQ(count(named_gradient({.keep = {"product", "hidden"}}), "tanh"), 3);
  EXPECT_EQ(count(named_gradient({.policy = RematPolicy::dots, .keep = {"hidden"}}), "dot_general"), 6);
  EXPECT_EQ(named_gradient({.keep = {"nobody"}}).equations.size(), named_gradient({}).equations.size());
}

TEST(remat, has_the_same_bits_whatever_it_keeps) {
  Random random(3);
  Tensors x;
  for (const PerDevice& value : random_values(random, Types{f64({2, 3}), f64({3, 3})}, Numbers::any))
    x.push_back(value[0]);
  Tensors expected = evaluate_whole(named_gradient({.policy = RematPolicy::everything}), mesh(), x);
  for (const RematOptions& options :
       {RematOptions{}, {.keep = {"hidden"}}, {.keep = {"product"}}, {.keep = {"product", "hidden"}}})
    EXPECT_EQ(evaluate_whole(named_gradient(options), mesh(), x), expected);
}

TEST(remat, needs_no_copy_of_an_operand_with_a_kept_name) {
  auto gradient = [](const RematOptions& options) {
    return recorded({f64({3})}, [&](const Arrays& a) {
      auto f = [](const Array& x) { return reduce_sum(exp(sin(checkpoint_name(x, "x")))); };
      return Arrays{grad(remat(f, options))(a[0])};
    });
  };
  std::vector<std::size_t> results;
  for (const Equation& equation : gradient({.keep = {"x"}}).equations)
    if (equation.op.as<Remat>()) results.push_back(equation.results.size());
  EXPECT_EQ(results, (std::vector<std::size_t>{1, 1}));  // the value; the gradient
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

// Row `index` of a table; the rule says so in its own way: integers have no derivative.
Array looked_up(const Array& index, const Array& table) {
  using Arguments = std::tuple<Array, Array>;
  auto row_of = [](const Array& i, const Array& t) { return dynamic_index_in_dim(t, i); };
  auto rule = [&](const Arguments& at, const Arguments& moved) {
    const auto& [i, t] = at;
    const auto& [no_tangent, dt] = moved;
    EXPECT_EQ(no_tangent.type(), i.type());
    return std::pair{row_of(i, t), 10.0 * row_of(i, dt)};
  };
  return custom_jvp(row_of, rule)(index, table);
}

TEST(custom_jvp, takes_integers_which_have_no_tangent) {
  Program program = recorded({Type(DType::i32, {}), f64({3, 2})}, [](const Arrays& a) {
    auto sum = [&](const Array& t) { return reduce_sum(looked_up(a[0], t)); };
    auto by_second = grad<1>([](const Array& i, const Array& t) { return reduce_sum(looked_up(i, t)); });
    auto [value, moved] = jvp([](const Array& i, const Array& t) { return looked_up(i, t); },
                              std::tuple{a[0], a[1]}, std::tuple{a[0], a[1]});
    Array indices = concatenate({reshape(a[0], {1}), zeros({1}, DType::i32)});
    Array lanes = vmap(by_second, {.in = {0, none}})(indices, a[1]);
    return Arrays{value, moved, grad(sum)(a[1]), by_second(a[0], a[1]), lanes};
  });
  const Tensor table({3, 2}, std::vector<double>{1, 2, 3, 4, 5, 6});
  Tensors found = evaluate_whole(program, mesh(), {Tensor::scalar(std::int32_t{2}), table});
  EXPECT_EQ(found[0], row({5, 6}));
  EXPECT_EQ(found[1], row({50, 60}));
  const Tensor gradient({3, 2}, std::vector<double>{0, 0, 0, 0, 10, 10});
  EXPECT_EQ(found[2], gradient);
  EXPECT_EQ(found[3], gradient);
  EXPECT_EQ(found[4], Tensor({2, 3, 2}, std::vector<double>{0, 0, 0, 0, 10, 10, 10, 10, 0, 0, 0, 0}));
}

TEST(custom_jvp, gives_integers_which_have_no_tangent) {
  Program program = recorded({f64({3})}, [](const Arrays& a) {
    auto best = [](const Array& x) { return std::tuple{argmax(x), x * x}; };
    auto rule = [&](const std::tuple<Array>& at, const std::tuple<Array>& moved) {
      auto [index, square] = best(std::get<0>(at));
      return std::pair{std::tuple{index, square}, std::tuple{Array(), 5.0 * std::get<0>(moved)}};
    };
    auto f = [&](const Array& x) { return custom_jvp(best, rule)(x); };
    auto [value, moved] = jvp(f, std::tuple{a[0]}, std::tuple{a[0]});
    auto sum = [&](const Array& x) { return reduce_sum(std::get<1>(f(x))); };
    return Arrays{std::get<0>(value), std::get<0>(moved), std::get<1>(moved), grad(sum)(a[0])};
  });
  Tensors found = evaluate_whole(program, mesh(), {row({1, 3, 2})});
  EXPECT_EQ(found[0], Tensor::scalar(std::int32_t{1}));
  EXPECT_EQ(found[1], Tensor::scalar(std::int32_t{0}));
  EXPECT_EQ(found[2], row({5, 15, 10}));
  EXPECT_EQ(found[3], row({5, 5, 5}));
}

TEST(custom_vjp, takes_and_gives_integers_which_have_no_cotangent) {
  Program program = recorded({f64({3}), Type(DType::i32, {}), f64({})}, [](const Arrays& a) {
    auto scaled = [](const Array& i, const Array& x, const Array& s) {
      return std::pair{x * s * convert(i, DType::f64), i + 1};
    };
    auto forward = [&](const Array& i, const Array& x, const Array& s) {
      return std::pair{scaled(i, x, s), std::tuple{i, x, s}};
    };
    auto backward = [](const std::tuple<Array, Array, Array>& kept, const std::pair<Array, Array>& ct) {
      const auto& [i, x, s] = kept;
      EXPECT_EQ(ct.second.type(), Type(DType::i32, {}));
      Array by_x = ct.first * s * convert(i, DType::f64), by_s = reduce_sum(100.0 * ct.first * x);
      return std::tuple{Array(), by_x, by_s};  // nobody reads the first one
    };
    auto loss = [&](const Array& x, const Array& i, const Array& s) {
      return reduce_sum(custom_vjp(scaled, forward, backward)(i, x, s).first);
    };
    auto [by_x, by_s] = grad<0, 2>(loss)(a[0], a[1], a[2]);
    auto f = [&](const Array& x) { return custom_vjp(scaled, forward, backward)(a[1], x, a[2]); };
    auto [value, moved] = jvp(f, std::tuple{a[0]}, std::tuple{a[0]});  // backward is linear
    return Arrays{by_x, by_s, value.second, moved.first, moved.second};
  });
  Tensors found =
      evaluate_whole(program, mesh(), {row({1, 2, 4}), Tensor::scalar(std::int32_t{3}), Tensor::scalar(2.0)});
  EXPECT_EQ(found[0], row({6, 6, 6}));
  EXPECT_EQ(found[1], Tensor::scalar(700.0));
  EXPECT_EQ(found[2], Tensor::scalar(std::int32_t{4}));
  EXPECT_EQ(found[3], row({6, 12, 24}));
  EXPECT_EQ(found[4], Tensor::scalar(std::int32_t{0}));
}

TEST(custom_rules, of_integers_alone_have_no_derivative_to_ask_for) {
  Program program = recorded({Type(DType::i32, {})}, [](const Arrays& a) {
    auto next = [](const Array& i) { return i + 1; };
    auto rule = [](const std::tuple<Array>& at, const std::tuple<Array>&) {
      return std::pair{std::get<0>(at) + 1, Array()};
    };
    auto forward = [](const Array& i) { return std::pair{i + 1, std::tuple<>{}}; };
    auto backward = [](const std::tuple<>&, const Array&) { return std::tuple{Array()}; };
    Array first = custom_jvp(next, rule)(a[0]);
    return Arrays{custom_vjp(next, forward, backward)(first)};
  });
  EXPECT_EQ(evaluate_whole(program, mesh(), {Tensor::scalar(std::int32_t{3})})[0],
            Tensor::scalar(std::int32_t{5}));
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
    return grad([&](const Array& v) { return reduce_sum(custom_vjp(product, forward, backward)(v)); })(w);
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
