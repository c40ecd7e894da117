// SPDX-License-Identifier: Apache-2.0
#include "tests/support/programs.hpp"

#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Axis& a() { return example_mesh().axes()[0]; }
const Axis& b() { return example_mesh().axes()[1]; }
const Axis& c() { return example_mesh().axes()[2]; }

Type f64(const Shape& shape, AxisStates states = {}) { return {DType::f64, shape, std::move(states)}; }

using Function = std::function<Arrays(const Arrays&)>;

// A function of whole arrays.
NamedProgram whole(const std::string& name, std::vector<ExampleOperand> operands, const Function& function) {
  return {name, trace(types_of(operands), function).program, std::move(operands)};
}

// The program of one device.
NamedProgram named(const std::string& name, std::vector<ExampleOperand> operands, const Function& function) {
  return whole(name, std::move(operands), [&](const Arrays& x) {
    auto bound = Builder::current().bind(example_mesh().axes());
    return function(x);
  });
}

// The layers of the digits example: images over a, columns of w1 and rows of w2 over b.
Array digits_loss(const Arrays& parameters, const Array& images, const Array& labels) {
  Array hidden = tanh(matmul(images, parameters[0]) + parameters[1]);
  Array logits = psum(matmul(hidden, parameters[2]), "b") + parameters[3];
  return pmean(cross_entropy(logits, labels), "a");
}

NamedProgram digits_step() {
  std::vector<ExampleOperand> operands{f64({5, 4}, {{b(), varying}}),
                                       f64({4}, {{b(), varying}}),
                                       f64({4, 3}, {{b(), varying}}),
                                       f64({3}),
                                       f64({6, 5}, {{a(), varying}}),
                                       {Type(DType::i32, {6}, {{a(), varying}}), 0, 2}};
  return named("digits_step", operands, [](const Arrays& x) {
    Arrays parameters(x.begin(), x.begin() + 4);
    auto [loss, gradient] =
        value_and_grad([&](const Arrays& p) { return digits_loss(p, x[4], x[5]); })(parameters);
    Arrays results{loss};
    for (std::size_t i = 0; i < 4; ++i) results.push_back(parameters[i] - 0.125 * gradient[i]);
    return results;
  });
}

NamedProgram softmax_over_devices() {
  return named("softmax_over_devices", {f64({2, 3}, {{a(), varying}, {c(), varying}})}, [](const Arrays& x) {
    Array top = pmax(stop_gradient(reduce_max(x[0], 1)), {"a", "c"});
    Array terms = exp(x[0] - expand_dims(top, 1));
    return Arrays{terms / expand_dims(psum(reduce_sum(terms, 1), {"c", "a"}), 1)};
  });
}

NamedProgram layer_norm_over_devices() {
  std::vector<ExampleOperand> operands{f64({2, 4}, {{a(), varying}, {b(), varying}}),
                                       f64({4}, {{b(), varying}}), f64({4}, {{b(), varying}})};
  return named("layer_norm_over_devices", operands, [](const Arrays& x) {
    Array mean_of_all = pmean(mean(x[0], 1), "b");
    Array away = x[0] - expand_dims(mean_of_all, 1);
    Array spread = rsqrt(pmean(mean(away * away, 1), "b") + 0.5);
    return Arrays{away * expand_dims(spread, 1) * x[1] + x[2]};
  });
}

// Each device keeps its part of the parameters, gathers them to compute and gets its part of the gradient's
// sum.
NamedProgram sharded_optimiser() {
  std::vector<ExampleOperand> operands{f64({2}, {{a(), varying}}), f64({2}, {{a(), varying}}),
                                       f64({3, 4}, {{a(), varying}})};
  return named("sharded_optimiser", operands, [](const Arrays& x) {
    auto loss = [&](const Array& part) {
      Array all = all_gather(part, "a", {.tiled = true, .to = reduced});
      return psum(reduce_sum(tanh(matmul(x[2], all))), "a");
    };
    auto [value, gradient] = value_and_grad(loss)(x[0]);
    Array momentum = 0.5 * x[1] + gradient;
    return Arrays{value, x[0] - 0.25 * momentum, momentum};
  });
}

NamedProgram attention() {
  std::vector<ExampleOperand> operands{f64({3, 4}, {{a(), varying}, {b(), varying}}),
                                       f64({4, 4}, {{b(), varying}}), f64({4, 4}, {{b(), varying}})};
  return named("attention", operands, [](const Arrays& x) {
    Array keys = all_gather(matmul(x[0], x[1]), "a", {.tiled = true});
    Array values = all_gather(matmul(x[0], x[2]), "a", {.tiled = true, .to = invariant});
    Array weights = softmax(matmul(x[0], transpose(keys)) * 0.5);
    return Arrays{psum(matmul(weights, values), "b")};
  });
}

// Sums that stay terms for a while, with reduced and equal factors.
NamedProgram delayed_sums() {
  std::vector<ExampleOperand> operands{f64({4, 2}, {{a(), varying}}), f64({2}), f64({2}, {{a(), reduced}})};
  return named("delayed_sums", operands, [](const Arrays& x) {
    Array terms = pcast(reduce_sum(exp(x[0]), 0), "a", unreduced);
    Array scaled = terms * x[1] * x[2] + mask(x[1], "a", {.at = 1});
    Array part = psum_scatter(scaled, "a");
    return Arrays{psum(scaled, "a"), part * part, pbroadcast(part, "a", {.source = 1})};
  });
}

NamedProgram positions_and_masks() {
  std::vector<ExampleOperand> operands{f64({3}, {{a(), varying}, {b(), varying}}), f64({3})};
  return named("positions_and_masks", operands, [](const Arrays& x) {
    Array here = axis_index({"b", "a"});
    Array mine = select(equal(here, 2), x[0] * x[0], x[1]);
    Array only = keep_on_one(psum(mine, {"a", "b"}), {"a", "b"}, {.at = 3});
    return Arrays{pmean(only * x[0] + convert(here, DType::f64), {"b", "a"}), mine};
  });
}

// Each device needs its neighbours' values, along a line that goes through two axes.
NamedProgram halo_exchange() {
  std::vector<ExampleOperand> operands{f64({3}, {{a(), varying}, {b(), varying}})};
  return named("halo_exchange", operands, [](const Arrays& x) {
    Array left = ppermute(x[0], {"b", "a"}, {{0, 1}, {1, 2}, {2, 3}});
    Array right = ppermute(x[0], {"b", "a"}, {{1, 0}, {2, 1}, {3, 2}});
    Array next = tanh(left * x[0] - right);
    return Arrays{next, psum(reduce_sum(next * next), {"a", "b"})};
  });
}

// Rows go to the devices of a group that know about them, and back.
NamedProgram experts() {
  std::vector<ExampleOperand> operands{f64({4, 2}, {{a(), varying}, {b(), varying}}),
                                       f64({2, 3}, {{a(), varying}})};
  return named("experts", operands, [](const Arrays& x) {
    const Groups crossed{{0, 3}, {2, 1}}, uneven{{2}, {0, 1, 3}};
    const Axes both{a(), b()};
    Array hidden = tanh(matmul(all_to_all(x[0], both, {.tiled = true}), x[1]));
    Array back = all_to_all(hidden, both, {.concat = 1, .tiled = true, .groups = crossed});
    Array shared = all_gather(hidden, both, {.dim = 1, .groups = crossed}) * 0.5;
    return Arrays{back - pmax(back, both, {.groups = uneven}), pmean(hidden, both, {.groups = uneven}),
                  psum_scatter(shared, both, {.dim = 1, .groups = crossed})};
  });
}

// From whole arrays to whole arrays, with every kind of spec.
NamedProgram borders() {
  auto body = [](const Array& x, const Array& w, const Array& scale, const Array& terms) {
    Array y = psum(matmul(x, w), "b") * scale;
    return std::tuple{y, psum(reduce_sum(y * y), {"a", "c"}),
                      terms + pcast(reduce_sum(y, 0), "a", unreduced)};
  };
  ShardMapOptions options{.mesh = example_mesh(),
                          .in = {P("a", "b"), P("b", "c"), P("c").reduced({"a"}), P("c").unreduced({"a"})},
                          .out = {P("a", "c"), P(), P("c").unreduced({"a"})}};
  return whole("borders", {f64({4, 6}), f64({6, 4}), f64({4}), f64({4})}, [&](const Arrays& x) {
    auto [y, sum, terms] = shard_map(body, options)(x[0], x[1], x[2], x[3]);
    return Arrays{sum, y, terms};
  });
}

// A recurrence over time: the state goes from trip to trip, a sum over devices in each; weights are used as
// they are equal.
NamedProgram recurrence() {
  std::vector<ExampleOperand> operands{f64({2, 2}), f64({3}), f64({3, 2}, {{a(), varying}})};
  return named("recurrence", operands, [](const Arrays& x) {
    auto trip = [&](const std::pair<Array, Array>& carry, const Array& input) {
      auto [state, sum] = carry;
      Array next = tanh(matmul(x[0], state) + input);
      Array total = psum(reduce_sum(next), "a");
      return std::pair{std::pair{next, sum + pcast(next, "a", unreduced)}, total * 0.25};
    };
    std::pair start{zeros({2}, DType::f64), mask(zeros({2}, DType::f64), "a")};
    auto [last, totals] = scan(trip, start, x[2], {.reverse = true});
    return Arrays{reduce_sum(totals * x[1]), last.first, psum(last.second, "a")};
  });
}

// Devices along b go different ways, those along a together; inside, a loop that communicates.
NamedProgram ways() {
  std::vector<ExampleOperand> operands{f64({3}), f64({3}, {{a(), varying}}), f64({2, 3})};
  return named("ways", operands, [](const Arrays& x) {
    auto looped = [&](const Array& v) {
      auto trip = [&](const Array& carry, const Array& w) {
        return std::pair{tanh(carry) * x[0] + w, psum(carry * w, "a")};
      };
      auto [last, sums] = scan(trip, v, x[2]);
      return std::tuple{reduce_sum(sums * sums), last};
    };
    auto plain = [&](const Array& v) {
      return std::tuple{reduce_sum(v * x[0]) + convert(axis_index("b"), DType::f64), v * v};
    };
    auto at_last = [&](const Array& v) { return std::tuple{reduce_sum(exp(v * 0.5)), 2.0 * v}; };
    Array index = axis_index({"c", "b"});
    auto [sum, rest] = switch_(index, std::tuple{looped, plain, at_last}, x[1]);
    return Arrays{sum, rest, cond(reduce_sum(x[0]) > 0.0, [&] { return x[1]; }, [&] { return x[0] - x[1]; })};
  });
}

// shard_map inside of a loop over steps.
NamedProgram steps_over_a_mesh() {
  auto body = [](const Array& w, const Array& x) { return psum(reduce_sum(tanh(matmul(x, w))), "a"); };
  ShardMapOptions options{.mesh = example_mesh(), .in = {P(), P("a")}, .out = P()};
  return whole("steps_over_a_mesh", {f64({2}), f64({3, 4, 2})}, [&](const Arrays& x) {
    auto trip = [&](const Array& w, const Array& input) {
      auto loss = [&](const Array& v) { return shard_map(body, options)(v, input); };
      auto [value, gradient] = value_and_grad(loss)(w);
      return std::pair{w - 0.25 * gradient, value};
    };
    auto [w, losses] = scan(trip, x[0], x[1]);
    return Arrays{reduce_sum(losses), w, losses};
  });
}

}  // namespace

const std::vector<NamedProgram>& composed_programs() {
  static const std::vector<NamedProgram> programs{digits_step(),
                                                  softmax_over_devices(),
                                                  layer_norm_over_devices(),
                                                  sharded_optimiser(),
                                                  attention(),
                                                  delayed_sums(),
                                                  positions_and_masks(),
                                                  halo_exchange(),
                                                  experts(),
                                                  borders(),
                                                  recurrence(),
                                                  ways(),
                                                  steps_over_a_mesh()};
  return programs;
}

}  // namespace tutti
