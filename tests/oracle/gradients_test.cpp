// SPDX-License-Identifier: Apache-2.0
// Values and gradients of small SPMD functions against JAX's own, with its type checks on; see jax_functions.py.
#include <gtest/gtest.h>

#include <functional>

#include "tests/oracle/agree.hpp"
#include "tests/support/oracle.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Body = std::function<Array(const Arrays&)>;

struct Function {
  std::string name;  // in jax_functions.py
  std::vector<P> specs;
  std::vector<Shape> shapes;
  Body body;  // what one device does
};

const Mesh mesh({{"x", 4}, {"y", 2}});

Array sum(const Array& x) { return reduce_sum(x); }

const std::vector<Function>& functions() {
  static const P all, by_x("x"), by_both(SpecEntry{"x", "y"}), by_both_turned(SpecEntry{"y", "x"});
  static const std::vector<Function> table{
      {"parameter_beside_data",
       {all, by_x},
       {{4, 3}, {8, 4}},
       [](const Arrays& a) { return psum(sum(tanh(matmul(a[1], a[0]))), "x"); }},
      {"hidden_units_split",
       {P(none, "y"), P("y", none), by_x},
       {{4, 8}, {8, 3}, {8, 4}},
       [](const Arrays& a) {
         Array logits = psum(matmul(tanh(matmul(a[2], a[0])), a[1]), "y");
         return pmean(mean(logits * logits), "x");
       }},
      {"gathered_and_weighted",
       {by_x, all},
       {{8, 2}, {2, 4, 2}},
       [](const Arrays& a) {
         Array blocks = all_gather(a[0], "x", {.dim = 1});
         return psum(sum(blocks * blocks * a[1]) * convert(1 + axis_index("x"), DType::f64), "x");
       }},
      {"gathered_in_tiles",
       {by_x, all},
       {{8, 2}, {8, 2}},
       [](const Arrays& a) {
         Array whole = all_gather(a[0], "x", {.dim = 0, .tiled = true});
         return psum(sum(exp(whole * a[1])) * sum(a[0]), "x");
       }},
      {"scattered_sum",
       {by_x, all},
       {{8, 4}, {4, 4}},
       [](const Arrays& a) {
         Array own = psum_scatter(matmul(a[0], a[1]), "x", {.dim = 1, .tiled = true});
         return psum(sum(own * own * own), "x");
       }},
      {"softmax_over_devices",
       {by_x, by_x},
       {{8}, {8}},
       [](const Arrays& a) {
         Array e = exp(a[0] - pmax(stop_gradient(reduce_max(a[0])), "x"));
         return psum(sum(e / psum(sum(e), "x") * a[1]), "x");
       }},
      {"parameter_used_three_times",
       {all, by_x},
       {{3}, {8, 3}},
       [](const Arrays& a) {
         const Array &w = a[0], &x = a[1];
         return psum(sum(w * x + w * w * x * x - w / (2.0 + x * x)), "x");
       }},
      {"summed_over_both_axes",
       {by_both, all},
       {{8, 3}, {3}},
       [](const Arrays& a) { return sum(tanh(psum(a[0] * a[1], {"x", "y"}))); }},
      {"gathered_over_both_axes",
       {by_both_turned, all},
       {{8, 2}, {8, 2}},
       [](const Arrays& a) {
         Array whole = all_gather(a[0], {"y", "x"}, {.dim = 0, .tiled = true});
         return psum(sum(tanh(whole) * a[1]) * sum(a[0]), {"x", "y"});
       }},
      {"parameter_cast_by_hand",
       {all, by_x},
       {{3}, {8, 3}},
       [](const Arrays& a) { return pmean(sum(exp(-a[1] * pcast(a[0], "x", varying))), "x"); }},
      {"product_contracted_over_devices",
       {P("x", "y"), P("y", none)},
       {{8, 4}, {4, 3}},
       [](const Arrays& a) { return psum(sum(tanh(psum(matmul(a[0], a[1]), "y"))), "x"); }},
      {"scan_over_layers",
       {all, by_x},
       {{3, 4, 4}, {8, 4}},
       [](const Arrays& a) {
         auto layer = [](const Array& x, const Array& w) { return std::pair{tanh(matmul(x, w)), mean(x)}; };
         auto [last, means] = scan(layer, a[1], a[0]);
         return psum(sum(last * last) + sum(means * means), "x");
       }},
      {"scan_with_a_sum_in_every_trip",
       {all, by_x},
       {{4}, {8, 4}},
       [](const Arrays& a) {
         auto trip = [&](const Array& c, const Array& x) {
           Array total = psum(sum(c * x), "x");
           return std::pair{tanh(c * a[0] + 0.1 * total), total};
         };
         auto [last, totals] = scan(trip, a[0], a[1], {.reverse = true});
         return psum(sum(last), "x") + psum(sum(totals * totals), "x") / 4.0;
       }},
      {"branch_chosen_by_each_device",
       {all, by_x},
       {{4}, {8, 4}},
       [](const Arrays& a) {
         auto yes = [&](const Array& x) { return sum(exp(x * a[0])); };
         auto no = [&](const Array& x) { return sum(x * x - a[0]); };
         return psum(cond(sum(a[1]) > 0.0, yes, no, a[1]), "x");
       }},
      {"branch_of_three_in_a_scan",
       {by_x, all},
       {{8}, {6, 2}},
       [](const Arrays& a) {
         auto trip = [&](const Array& c, const Array& w) {
           Array index = convert(sum(w) * 2.0, DType::i32) + 1;
           auto one = [&](const Array& x) { return tanh(x) * sum(w); };
           auto two = [&](const Array& x) { return x * x * 0.3; };
           auto three = [&](const Array& x) { return logistic(x) - psum(sum(x), "x") * 0.1; };
           Array next = switch_(index, std::tuple{one, two, three}, c);
           return std::pair{next, sum(next)};
         };
         auto [last, sums] = scan(trip, a[0], a[1]);
         return psum(sum(last) + sum(sums * sums), "x");
       }},
      {"loop_with_numbers_for_bounds",
       {all, by_x},
       {{4}, {8, 4}},
       [](const Arrays& a) {
         auto body = [&](const Array& i, const Array& c) {
           return tanh(c + a[1] * convert(i, DType::f64) * 0.25) * a[0];
         };
         return psum(sum(fori_loop(1, 4, body, a[1])), "x");
       }},
  };
  return table;
}

Specs specs_of(const Function& function) {
  return Specs(std::vector<Specs>(function.specs.begin(), function.specs.end()));
}

// The value, then the gradient by every argument, taken outside of the shard_map.
Tensors computed(const Function& function, const Tensors& arguments) {
  auto body = [&](const Arrays& parts) { return function.body(parts); };
  auto whole = shard_map(body, {.mesh = mesh, .in = Specs{specs_of(function)}, .out = P()});
  auto both = [&](const Arrays& all) { return value_and_grad(whole)(all); };
  Arrays given(arguments.begin(), arguments.end());
  auto [value, gradients] = open_local(mesh).compile(both, given)(given);
  Tensors results{value.tensor()};
  for (const Array& gradient : gradients) results.push_back(gradient.tensor());
  return results;
}

class gradients : public OracleTest, public ::testing::WithParamInterface<Function> {};

TEST_P(gradients, equal_those_of_jax) {
  Tensors arguments = arguments_of(GetParam().shapes);
  Verdict jax = Oracle::shared().run_jax(GetParam().name, arguments);
  ASSERT_EQ(jax.failure, "");
  EXPECT_TRUE(agree(computed(GetParam(), arguments), jax.results));
}

INSTANTIATE_TEST_SUITE_P(of, gradients, ::testing::ValuesIn(functions()),
                         [](const auto& row) { return row.param.name; });

using planted_gradient = OracleTest;

TEST_F(planted_gradient, that_misses_the_sum_over_devices_is_caught) {
  Function wrong = functions()[0];
  wrong.body = [](const Arrays& a) { return psum(sum(tanh(matmul(a[1], stop_gradient(a[0])))), "x"); };
  Tensors arguments = arguments_of(wrong.shapes);
  EXPECT_FALSE(agree(computed(wrong, arguments), Oracle::shared().run_jax(wrong.name, arguments).results));
}

}  // namespace
}  // namespace tutti
