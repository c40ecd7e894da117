// SPDX-License-Identifier: Apache-2.0
// The twins of jax_control.py.
#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x");
const Pairs ring{{0, 1}, {1, 2}, {2, 3}, {3, 0}};

Array sum(const Array& x) { return reduce_sum(x); }
Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }

// --- Loops -------------------------------------------------------------------------------------------------

Array scan_over_layers(const Arrays& a) {
  auto layer = [](const Array& x, const Array& w) { return std::pair{tanh(matmul(x, w)), mean(x)}; };
  auto [last, means] = scan(layer, a[1], a[0]);
  return psum(sum(last * last) + sum(means * means), "x");
}

Array scan_with_a_sum_in_every_trip(const Arrays& a) {
  auto trip = [&](const Array& c, const Array& x) {
    Array total = over_devices(c * x);
    return std::pair{tanh(c * a[0] + 0.1 * total), total};
  };
  auto [last, totals] = scan(trip, a[0], a[1], {.reverse = true});
  return over_devices(last) + over_devices(totals * totals) / 4.0;
}

Array scan_in_a_scan(const Arrays& a) {
  Array first = index_in_dim(a[1], 0), second = index_in_dim(a[1], 1);
  auto inner = [&](const Array& c, const Array& v) { return std::pair{sin(c + v * first), c * v}; };
  auto outer = [&](const Array& c, const Array& row) {
    auto [next, products] = scan(inner, c, row);
    return std::pair{next + sum(products) * 0.1, sum(next)};
  };
  auto [last, sums] = scan(outer, second, a[0]);
  return over_devices(last * last) + over_devices(sums);
}

Array scan_around_a_ring(const Arrays& a) {
  const Array& x = a[0];
  auto trip = [&](const std::pair<Array, Array>& carry, const Array& scale) {
    auto [here, total] = carry;
    Array more = reduce_sum(exp(matmul(x, transpose(here))) * scale, 1);
    return std::pair{std::pair{ppermute(here, "x", ring), total + more}, mean(here)};
  };
  auto [carry, means] = scan(trip, std::pair{x, zeros({2}, DType::f64)}, a[1]);
  auto [last, total] = carry;
  Array column = index_in_dim(last, 0, 1);
  return over_devices(log(2.0 + total * total) + sum(column * slice_in_dim(means, 0, 2)));
}

Array scan_that_gathers_its_layers(const Arrays& a) {
  auto layer = [](const Array& h, const Array& part) {
    return std::pair{tanh(matmul(h, all_gather(part, "x", {.tiled = true}))), std::tuple<>{}};
  };
  return over_devices(scan(layer, a[1], a[0]).first);
}

Array scan_of_branches(const Arrays& a) {
  auto trip = [&](const Array& c, const Array& v) {
    auto yes = [&](const Array& x) { return tanh(x * v); };
    auto no = [&](const Array& x) { return sin(x) - a[1]; };
    Array next = cond(sum(c * v) > 0.0, yes, no, c);
    return std::pair{next, reduce_max(next)};
  };
  auto [last, tops] = scan(trip, a[1], a[0]);
  return over_devices(last) + over_devices(tops * tops);
}

Array loop_between(const Operand& lower, const Operand& upper, const Array& x, const Array& w) {
  auto body = [&](const Array& i, const Array& c) { return tanh(c + x * convert(i, DType::f64) * 0.25) * w; };
  return over_devices(fori_loop(lower, upper, body, x));
}

Array halved_by_each_device_until_small(const Arrays& a) {
  using Carry = std::pair<Array, Array>;
  auto test = [](const Carry& c) { return sum(c.first * c.first) > 0.1; };
  auto body = [&](const Carry& c) { return Carry{c.first * 0.5 + a[1] * 0.01, c.second + 1}; };
  auto [last, trips] = while_loop(test, body, Carry{a[0] * a[1] * 3.0, constant(0)});
  return over_devices(last) + convert(psum(trips, "x"), DType::f64);
}

Array doubled_until_the_sum_is_large(const Arrays& a) {
  using Carry = std::pair<Array, Array>;
  auto test = [](const Carry& c) { return over_devices(c.first * c.first) < 20.0; };
  auto body = [&](const Carry& c) { return Carry{c.first * 1.5 + a[1] * 0.1, c.second + 1}; };
  auto [last, trips] = while_loop(test, body, Carry{a[0], constant(0)});
  return over_devices(last) + convert(trips, DType::f64);
}

std::vector<Function> loops() {
  return {
      {"scan_over_layers", {everywhere, by_x}, {{3, 4, 4}, {8, 4}}, scan_over_layers},
      {"scan_with_a_sum_in_every_trip", {everywhere, by_x}, {{4}, {8, 4}}, scan_with_a_sum_in_every_trip},
      {"scan_in_a_scan", {P(none, "x"), everywhere}, {{3, 8}, {2}}, scan_in_a_scan},
      {"scan_around_a_ring", {by_x, everywhere}, {{8, 3}, {4}}, scan_around_a_ring},
      {"scan_that_gathers_its_layers",
       {P(none, "x"), by_x},
       {{3, 4, 4}, {8, 4}},
       scan_that_gathers_its_layers},
      {"scan_of_branches", {by_x, everywhere}, {{12, 2}, {2}}, scan_of_branches},
      {"loop_with_numbers_for_bounds",
       {everywhere, by_x},
       {{4}, {8, 4}},
       [](const Arrays& a) { return loop_between(1, 4, a[1], a[0]); }},
      {"loop_with_arrays_for_bounds",
       {by_x, everywhere},
       {{8, 4}, {4}},
       [](const Arrays& a) { return loop_between(axis_index("x"), 1 + 2 * axis_index("x"), a[0], a[1]); },
       Derivatives::refused},
      {"halved_by_each_device_until_small",
       {by_x, everywhere},
       {{8, 3}, {3}},
       halved_by_each_device_until_small,
       Derivatives::refused},
      {"doubled_until_the_sum_is_large",
       {by_x, everywhere},
       {{8, 3}, {3}},
       doubled_until_the_sum_is_large,
       Derivatives::refused},
  };
}

// --- Branches ----------------------------------------------------------------------------------------------

Array branch_chosen_by_each_device(const Arrays& a) {
  auto yes = [&](const Array& x) { return sum(exp(x * a[0])); };
  auto no = [&](const Array& x) { return sum(x * x - a[0]); };
  return psum(cond(sum(a[1]) > 0.0, yes, no, a[1]), "x");
}

Array branches_that_communicate(const Arrays& a) {
  auto yes = [&](const Array& x) { return psum(tanh(x * a[1]), "x"); };
  auto no = [&](const Array& x) { return pmean(x * x - a[1], "x"); };
  Array positive = over_devices(a[0]) > 0.0;
  return sum(sin(cond(positive, yes, no, a[0])) + cond(positive, no, yes, a[0]));
}

Array branch_chosen_by_position(const Arrays& a) {
  auto one = [&](const Array& x) { return exp(x * a[1]); };
  auto two = [&](const Array& x) { return a[1] - x * x; };
  auto three = [&](const Array& x) { return sin(x) / (2.0 + a[1]); };
  return over_devices(switch_(axis_index("x"), std::tuple{one, two, three}, a[0]) * a[0]);
}

Array branch_of_three_in_a_scan(const Arrays& a) {
  auto trip = [&](const Array& c, const Array& w) {
    Array index = convert(sum(w) * 2.0, DType::i32) + 1;
    auto one = [&](const Array& x) { return tanh(x) * sum(w); };
    auto two = [&](const Array& x) { return x * x * 0.3; };
    auto three = [&](const Array& x) { return logistic(x) - over_devices(x) * 0.1; };
    Array next = switch_(index, std::tuple{one, two, three}, c);
    return std::pair{next, sum(next)};
  };
  auto [last, sums] = scan(trip, a[0], a[1]);
  return psum(sum(last) + sum(sums * sums), "x");
}

Array branch_in_a_branch(const Arrays& a) {
  auto outer = [&](const Array& x) {
    return cond(reduce_max(x) > 0.5, [&] { return x * a[1]; }, [&] { return x - cos(a[1]); });
  };
  auto other = [&](const Array& x) { return exp(x) * a[1]; };
  Array corner = reshape(slice_in_dims(a[0], {.start = {0, 0}, .limit = {1, 1}}), {});
  return over_devices(cond(corner < 0.2, outer, other, a[0]));
}

std::vector<Function> branches() {
  return {
      {"branch_chosen_by_each_device", {everywhere, by_x}, {{4}, {8, 4}}, branch_chosen_by_each_device},
      {"branches_that_communicate", {by_x, everywhere}, {{8, 3}, {3}}, branches_that_communicate},
      {"branch_chosen_by_position", {by_x, everywhere}, {{8, 3}, {3}}, branch_chosen_by_position},
      {"branch_of_three_in_a_scan", {by_x, everywhere}, {{8}, {6, 2}}, branch_of_three_in_a_scan},
      {"branch_in_a_branch", {by_x, everywhere}, {{8, 3}, {3}}, branch_in_a_branch},
  };
}

// --- Rules of one's own ------------------------------------------------------------------------------------

Array computed_again_for_the_gradient(const Arrays& a) {
  auto layer = remat([](const Array& x, const Array& w) { return tanh(psum(sin(x * w), "x") * x); });
  return over_devices(layer(layer(a[0], a[1]), a[1] * a[1]));
}

Array products_kept_for_the_gradient(const Arrays& a) {
  auto layer =
      remat([](const Array& x, const Array& w) { return tanh(matmul(x, w)); }, {.policy = RematPolicy::dots});
  auto trip = [&](const Array& x, const Array& w) { return std::pair{layer(x, w), std::tuple<>{}}; };
  return over_devices(scan(trip, a[1], a[0]).first);
}

Array derivative_of_ones_own(const Arrays& a) {
  auto steps = [](const Array& x) { return floor(3.0 * x); };
  auto rule = [&](const std::tuple<Array>& x, const std::tuple<Array>& t) {
    return std::pair{steps(std::get<0>(x)), std::get<0>(t) * cos(std::get<0>(x))};
  };
  return over_devices(custom_jvp(steps, rule)(a[0] * a[1]) * a[0]);
}

/// The sum over devices; the gradient of each is multiplied by its sign.
Array signed_sum(const Array& terms) {
  auto sum_of = [](const Array& x) { return psum(x, "x"); };
  auto forward = [](const Array& x) { return std::pair{psum(x, "x"), x}; };
  auto backward = [](const Array& x, const Array& g) { return std::tuple{g * sign(x)}; };
  return custom_vjp(sum_of, forward, backward)(terms);
}

Array gradient_of_ones_own_in_a_scan(const Arrays& a) {
  auto trip = [&](const Array& c, const Array& v) {
    return std::pair{sin(c + signed_sum(a[0] * v)), std::tuple<>{}};
  };
  return over_devices(scan(trip, a[0], a[1]).first);
}

std::vector<Function> rules() {
  return {
      {"computed_again_for_the_gradient", {by_x, everywhere}, {{8, 3}, {3}}, computed_again_for_the_gradient},
      {"products_kept_for_the_gradient",
       {everywhere, by_x},
       {{3, 4, 4}, {8, 4}},
       products_kept_for_the_gradient},
      {"derivative_of_ones_own", {by_x, everywhere}, {{8, 3}, {3}}, derivative_of_ones_own},
      {"gradient_of_ones_own",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) { return sum(tanh(signed_sum(a[0] * a[1]) * a[1])); }},
      {"gradient_of_ones_own_in_a_scan",
       {by_x, everywhere},
       {{8, 3}, {2, 3}},
       gradient_of_ones_own_in_a_scan},
  };
}

}  // namespace

std::vector<Function> control_functions() {
  std::vector<Function> functions = loops();
  for (const auto& more : {branches(), rules()}) functions.insert(functions.end(), more.begin(), more.end());
  return functions;
}

}  // namespace tutti
