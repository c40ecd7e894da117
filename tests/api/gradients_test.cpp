// SPDX-License-Identifier: Apache-2.0
// Gradients of functions as users write them, against central differences; inside, outside and without a
// shard_map.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/support/gradients.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Function = std::function<Array(const Arrays&)>;  // of whole arrays

const Mesh& mesh() { return example_mesh(); }
Type f64(const Shape& shape) { return {DType::f64, shape}; }

void expect_gradient(const Types& types, const Function& loss) {
  expect_slope(types, loss, gradient_of(types, loss));
}

Tensors whole_values(const Types& types, int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Tensors found;
  for (const PerDevice& value : random_values(random, types, Numbers::any)) found.push_back(value[0]);
  return found;
}

// Allows what sums of n terms in other orders differ by: n * eps times the sum of their magnitudes, per step.
void expect_close(const Tensor& a, const Tensor& b, double magnitude) {
  ASSERT_EQ(a.shape(), b.shape());
  double bound = 64 * std::numeric_limits<double>::epsilon() * magnitude;
  for (std::int64_t i = 0; i < a.elements(); ++i) EXPECT_NEAR(a.at(i), b.at(i), bound) << "element " << i;
}

// --- One function per collective ---------------------------------------------------------------------------

TEST(gradient, of_a_loss_over_a_split_batch) {
  auto body = [](const Array& x, const Array& w) { return psum(reduce_sum(exp(0.5 * matmul(x, w))), "a"); };
  expect_gradient({f64({4, 3}), f64({3})}, [&](const Arrays& x) {
    return shard_map(body, {.mesh = mesh(), .in = {P("a"), P()}, .out = P()})(x[0], x[1]);
  });
}

TEST(gradient, of_rows_that_become_columns_of_other_devices) {
  const Axis &a = mesh().axes()[0], &b = mesh().axes()[1], &c = mesh().axes()[2];
  const Sharding rows{mesh(), {{a, b}, {}}, {}, {}}, columns{mesh(), {{c}, {b, a}}, {}, {}};
  auto body = [&](const Array& x, const Array& w) {
    return psum(reduce_sum(exp(0.5 * exchange(x, {4, 4}, rows, columns)) * w), {"a", "b", "c"});
  };
  ShardMapOptions options{.mesh = mesh(),
                          .in = {P(SpecEntry{"a", "b"}), P("c", SpecEntry{"b", "a"})},
                          .out = P()};
  expect_gradient({f64({4, 4}), f64({4, 4})},
                  [&](const Arrays& x) { return shard_map(body, options)(x[0], x[1]); });
}

TEST(gradient, of_layers_split_by_columns_then_rows) {
  auto body = [](const Array& x, const Array& w1, const Array& w2) {
    return reduce_sum(square(psum(matmul(tanh(matmul(x, w1)), w2), "b")));
  };
  ShardMapOptions options{.mesh = mesh(), .in = {P(), P(none, "b"), P("b")}, .out = P()};
  expect_gradient({f64({2, 3}), f64({3, 4}), f64({4, 2})},
                  [&](const Arrays& x) { return shard_map(body, options)(x[0], x[1], x[2]); });
}

TEST(gradient, of_parameters_that_are_gathered) {
  for (State to : {varying, invariant, reduced}) {
    auto body = [to](const Array& x, const Array& part) {
      Array w = all_gather(part, {"b", "a"}, {.tiled = true, .to = to});
      return psum(reduce_sum(tanh(matmul(x, w))), to == varying ? AxisNames{"a", "b"} : AxisNames("a"));
    };
    ShardMapOptions options{.mesh = mesh(), .in = {P("a"), P(SpecEntry{"b", "a"})}, .out = P()};
    expect_gradient({f64({2, 8}), f64({8})},
                    [&](const Arrays& x) { return shard_map(body, options)(x[0], x[1]); });
  }
}

TEST(gradient, of_a_sum_that_is_scattered) {
  auto body = [](const Array& x, const Array& w) { return tanh(psum_scatter(x * w, "a", {.tiled = true})); };
  ShardMapOptions options{.mesh = mesh(), .in = {P(none, "a"), P()}, .out = P("a")};
  expect_gradient({f64({4, 2}), f64({4, 1})},
                  [&](const Arrays& x) { return reduce_sum(square(shard_map(body, options)(x[0], x[1]))); });
}

TEST(gradient, of_the_largest_over_devices) {
  auto body = [](const Array& x) { return pmax(reduce_max(x * x, 1), {"a", "c"}); };
  ShardMapOptions options{.mesh = mesh(), .in = P("a", "c"), .out = P("a")};
  ShardMapOptions equal{.mesh = mesh(), .in = P("b", SpecEntry{"a", "c"}), .out = P("b")};
  expect_gradient({f64({4, 8})},
                  [&](const Arrays& x) { return reduce_sum(exp(shard_map(body, equal)(x[0]))); });
}

TEST(gradient, of_a_softmax_over_devices) {
  auto body = [](const Array& x) {
    Array terms = exp(x - pmax(stop_gradient(x), "c"));
    return terms / psum(terms, "c");
  };
  ShardMapOptions options{.mesh = mesh(), .in = P(none, "c"), .out = P(none, "c")};
  expect_gradient({f64({2, 2}), f64({2, 2})},
                  [&](const Arrays& x) { return reduce_sum(x[1] * shard_map(body, options)(x[0])); });
}

TEST(gradient, of_a_value_that_one_device_hands_to_all) {
  auto body = [](const Array& x) {
    Array first = pbroadcast(x, {"b", "a"}, {.source = 2});
    return keep_on_one(first * first, "b", {.at = 1}) * x;
  };
  ShardMapOptions options{.mesh = mesh(), .in = P("a", "b"), .out = P("a", "b")};
  expect_gradient({f64({2, 4})}, [&](const Arrays& x) { return reduce_sum(shard_map(body, options)(x[0])); });
}

TEST(gradient, of_what_depends_on_the_position) {
  auto body = [](const Array& x, const Array& w) {
    Array here = axis_index({"a", "b"});
    Array chosen = select(equal(here, 1), exp(x), x * w);
    return pmean(reduce_sum(chosen) * convert(here + 1, DType::f64), {"a", "b"});
  };
  ShardMapOptions options{.mesh = mesh(), .in = {P("b", "a"), P()}, .out = P()};
  expect_gradient({f64({2, 4}), f64({1, 2})},
                  [&](const Arrays& x) { return shard_map(body, options)(x[0], x[1]); });
}

TEST(gradient, of_sums_that_leave_as_terms_and_enter_reduced) {
  auto terms = [](const Array& x, const Array& w) { return pcast(reduce_sum(x * x * w, 0), "a", unreduced); };
  ShardMapOptions out{.mesh = mesh(), .in = {P("a"), P().reduced({"a"})}, .out = P().unreduced({"a"})};
  expect_gradient({f64({4, 3}), f64({3})},
                  [&](const Arrays& x) { return reduce_sum(tanh(shard_map(terms, out)(x[0], x[1]))); });
}

TEST(gradient, of_the_sum_of_what_is_equal_counts_every_device) {
  auto body = [](const Array& x) { return psum(x * x, {"a", "b", "c"}); };
  ShardMapOptions options{.mesh = mesh(), .in = P(), .out = P()};
  expect_gradient({f64({})}, [&](const Arrays& x) { return shard_map(body, options)(x[0]); });
}

// --- Inside, outside, nested

Array local_loss(const Array& x, const Array& w) { return psum(reduce_sum(exp(0.5 * matmul(x, w))), "a"); }
const Types loss_types{f64({4, 3}), f64({3, 2})};

Program outside() {
  return recorded(loss_types, [](const Arrays& x) {
    auto loss = [&](const Array& w) {
      return shard_map(local_loss, {.mesh = mesh(), .in = {P("a"), P()}, .out = P()})(x[0], w);
    };
    return Arrays{grad(loss)(x[1])};
  });
}
Program inside() {
  return recorded(loss_types, [](const Arrays& x) {
    auto body = [](const Array& part, const Array& w) {
      return grad([&](const Array& u) { return local_loss(part, u); })(w);
    };
    return Arrays{shard_map(body, {.mesh = mesh(), .in = {P("a"), P()}, .out = P()})(x[0], x[1])};
  });
}
Program without_mesh() {
  return recorded(loss_types, [](const Arrays& x) {
    return Arrays{grad([&](const Array& w) { return reduce_sum(exp(0.5 * matmul(x[0], w))); })(x[1])};
  });
}

// The results in terms of the inputs: the same in whatever order and at whatever lines it was recorded. A
// scalar that all devices hold enters as it is: so does the cotangent of the loss, where the gradient is
// outside.
std::vector<std::string> expressions(const Program& program) {
  std::map<Var, std::string> text;
  for (Var var : program.inputs) text[var] = fmt::format("%{}", var);
  for (const Equation& equation : program.equations) {
    bool enters_whole = equation.op.as<Enter>() && program.type(equation.results[0]).rank() == 0;
    if (enters_whole) {
      text[equation.results[0]] = text[equation.operands[0]];
      continue;
    }
    std::string call(equation.op->name());
    for (const auto& [name, value] : equation.op->parameters()) call += fmt::format(" {}={}", name, value);
    for (Var var : equation.operands) call += fmt::format(" ({})", text[var]);
    for (Var var : equation.results) text[var] = fmt::format("{} {}", to_string(program.type(var)), call);
  }
  std::vector<std::string> results;
  for (Var var : program.outputs) results.push_back(text[var]);
  return results;
}

TEST(gradient, is_the_same_program_inside_and_outside_of_shard_map) {
  EXPECT_EQ(expressions(outside()), expressions(inside()));
}

TEST(gradient, is_the_same_with_and_without_a_mesh) {
  Tensors x = whole_values(loss_types, 12);
  Tensor with = evaluate_whole(outside(), mesh(), x)[0],
         without = evaluate_whole(without_mesh(), mesh(), x)[0];
  expect_close(with, without, 4 * 2 * std::exp(0.5 * 3 * 4));  // 4 rows, |x| <= 2, exp(0.5 * 3 * |x| * |w|)
}

// The outer shard_map splits rows over a, the inner one each part's rows over b; columns of w over c.
Array nested_loss(const Arrays& x) {
  auto inner = [](const Array& part, const Array& w) {
    return pmax(tanh(0.5 * matmul(part, w)), "b") + psum(matmul(part, w), "b");
  };
  auto outer = [&](const Array& rows, const Array& w) {
    ShardMapOptions options{.mesh = mesh(),
                            .in = {P("b"), P(none, "c")},
                            .out = P(none, "c"),
                            .axes = {"b", "c"}};
    return psum(reduce_sum(square(shard_map(inner, options)(rows, w))), "a");
  };
  ShardMapOptions options{.mesh = mesh(), .in = {P("a"), P()}, .out = P(), .axes = {"a"}};
  return shard_map(outer, options)(x[0], x[1]);
}
const Types nested_types{f64({4, 3}), f64({3, 2})};

TEST(nested_shard_map, computes_what_one_over_all_axes_does) {
  auto body = [](const Array& rows, const Array& w) {
    Array y = pmax(tanh(0.5 * matmul(rows, w)), "b") + psum(matmul(rows, w), "b");
    return psum(reduce_sum(square(y)), {"a", "c"});
  };
  ShardMapOptions options{.mesh = mesh(), .in = {P(SpecEntry{"a", "b"}), P(none, "c")}, .out = P()};
  Tensors x = whole_values(nested_types, 14);
  Program nested = recorded(nested_types, [](const Arrays& in) { return Arrays{nested_loss(in)}; });
  Program flat = recorded(nested_types,
                          [&](const Arrays& in) { return Arrays{shard_map(body, options)(in[0], in[1])}; });
  // 8 terms, each the square of at most tanh + 2 * 3 * 2 * 2.
  expect_close(evaluate_whole(nested, mesh(), x)[0], evaluate_whole(flat, mesh(), x)[0], 8 * 25 * 25);
}

TEST(nested_shard_map, has_the_gradient_of_its_loss) { expect_gradient(nested_types, nested_loss); }

TEST(nested_shard_map, refuses_an_axis_of_the_outer_one) {
  auto refused = [](const ShardMapOptions& inner) {
    auto body = [&](const Array& x) { return shard_map([](const Array& y) { return y; }, inner)(x); };
    return refusal_of([&] {
      recorded({f64({4})}, [&](const Arrays& x) {
        return Arrays{shard_map(body, {.mesh = mesh(), .in = P(), .out = P(), .axes = {"a"}})(x[0])};
      });
    });
  };
  EXPECT_EQ(refused({.mesh = mesh(), .in = P("a"), .out = P("a"), .axes = {"b"}}),
            "T013: shard_map: argument 0: the spec P(a) names axis 'a', but .axes has 'b'; drop it "
            "from the spec: an enclosing shard_map has bound it");
  EXPECT_EQ(
      refused({.mesh = mesh(), .in = P("b"), .out = P("b")}),
      "T002: shard_map: axis 'a' is bound here already by an enclosing shard_map or vmap; leave it out of "
      ".axes, or give the other one another name");
}

// --- Second derivatives ------------------------------------------------------------------------------------

TEST(second_derivative, of_a_loss_over_a_split_batch) {
  auto gradient_norm = [](const Arrays& x) {
    auto loss = [&](const Array& w) {
      return shard_map(local_loss, {.mesh = mesh(), .in = {P("a"), P()}, .out = P()})(x[0], w);
    };
    return reduce_sum(square(grad(loss)(x[1])));
  };
  expect_gradient(loss_types, gradient_norm);
}

TEST(second_derivative, of_a_gradient_inside) {
  auto body = [](const Array& part, const Array& w) {
    return reduce_sum(square(grad([&](const Array& u) { return local_loss(part, u); })(w)));
  };
  expect_gradient(loss_types, [&](const Arrays& x) {
    return shard_map(body, {.mesh = mesh(), .in = {P("a"), P()}, .out = P()})(x[0], x[1]);
  });
}

TEST(second_derivative, of_forward_over_reverse) {
  expect_gradient({f64({3}), f64({3})}, [](const Arrays& x) {
    auto f = [](const Array& y) { return reduce_sum(tanh(y) * exp(y)); };
    auto [value, tangent] =
        jvp([&](const Array& y) { return grad(f)(y); }, std::tuple{x[0]}, std::tuple{x[1]});
    return reduce_sum(value * tangent);
  });
}

}  // namespace
}  // namespace tutti
