// SPDX-License-Identifier: Apache-2.0
// The twins of jax_collectives.py.
#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x"), by_both(SpecEntry{"x", "y"}), by_both_turned(SpecEntry{"y", "x"});
const Pairs ring{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, ring_back{{1, 0}, {2, 1}, {3, 2}, {0, 3}};

Array sum(const Array& x) { return reduce_sum(x); }
Array position(const AxisNames& axes) { return convert(axis_index(axes), DType::f64); }

Array product_along_a_ring(const Arrays& arguments) {
  Array a = arguments[0], here = axis_index("x"), total;
  for (int step = 0; step < 4; ++step) {
    Array block = (here - step + 4) % 4;
    Array part = sum(tanh(matmul(a, arguments[1]) * convert(1 + block, DType::f64)));
    total = step == 0 ? part : total + part;
    a = ppermute(a, "x", ring);
  }
  return psum(total, "x");
}

std::vector<Function> sums() {
  return {
      {"parameter_beside_data",
       {everywhere, by_x},
       {{4, 3}, {8, 4}},
       [](const Arrays& a) { return psum(sum(tanh(matmul(a[1], a[0]))), "x"); }},
      {"hidden_units_split",
       {P(none, "y"), P("y", none), by_x},
       {{4, 8}, {8, 3}, {8, 4}},
       [](const Arrays& a) {
         Array logits = psum(matmul(tanh(matmul(a[2], a[0])), a[1]), "y");
         return pmean(mean(logits * logits), "x");
       }},
      {"parameter_used_three_times",
       {everywhere, by_x},
       {{3}, {8, 3}},
       [](const Arrays& a) {
         const Array &w = a[0], &x = a[1];
         return psum(sum(w * x + w * w * x * x - w / (2.0 + x * x)), "x");
       }},
      {"summed_over_both_axes",
       {by_both, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) { return sum(tanh(psum(a[0] * a[1], {"x", "y"}))); }},
      {"product_contracted_over_devices",
       {P("x", "y"), P("y", none)},
       {{8, 4}, {4, 3}},
       [](const Arrays& a) { return psum(sum(tanh(psum(matmul(a[0], a[1]), "y"))), "x"); }},
      {"parameter_cast_by_hand",
       {everywhere, by_x},
       {{3}, {8, 3}},
       [](const Arrays& a) { return pmean(sum(exp(-a[1] * pcast(a[0], "x", varying))), "x"); }},
      {"sum_of_equal_values",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return psum(sum(sin(psum(a[1], "x") * 0.5)), "y") + psum(sum(a[0] * a[1]), "x");
       }},
      {"mean_of_one_axis_then_of_the_other",
       {by_both, P("y")},
       {{8, 3}, {2, 3}},
       [](const Arrays& a) {
         Array rows = pmean(tanh(a[0] * a[1]), "x");
         return pmean(sum(exp(rows) * a[1]), "y");
       }},
      {"mean_of_both_axes",
       {by_both_turned, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) { return sum(sin(pmean(a[0] * a[1], {"y", "x"}))); }},
      {"summed_in_groups",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array y = a[0] * a[1], t = tanh(psum(y, "x", {.groups = {{0, 2}, {3, 1}}}));
         return psum(sum(t * t * y), "x");
       }},
      {"mean_of_uneven_groups",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return psum(sum(exp(pmean(a[0], "x", {.groups = {{2, 0, 1}, {3}}}) * a[1]) * a[0]), "x");
       }},
      {"sum_taken_at_last",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array terms = pcast(reduce_sum(exp(a[0]), 0), "x", unreduced);
         return sum(psum(terms * a[1], "x")) + sum(psum(terms * sin(a[1]), "x"));
       }},
      {"kept_on_one_device",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array w = psum(mask(a[1], "x", {.at = 2}), "x");
         Array kept = keep_on_one(exp(a[1]), "x", {.at = 1});
         return sum(w * psum(reduce_sum(tanh(a[0]), 0), "x")) + psum(sum(kept * a[0]), "x");
       }},
  };
}

std::vector<Function> extremes() {
  return {
      {"softmax_over_devices",
       {by_x, by_x},
       {{8}, {8}},
       [](const Arrays& a) {
         Array e = exp(a[0] - pmax(stop_gradient(reduce_max(a[0])), "x"));
         return psum(sum(e / psum(sum(e), "x") * a[1]), "x");
       }},
      {"largest_of_devices",
       {by_x, everywhere},
       {{8, 3}, {2, 3}},
       [](const Arrays& a) { return sum(pmax(a[0] * a[0], "x") * a[1]); }},
      {"smallest_of_both_axes",
       {by_both, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) { return sum(exp(pmin(a[0] * a[1], {"x", "y"}))); }},
      {"largest_of_groups",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return psum(sum(sin(pmax(a[0], "x", {.groups = {{0, 1}, {2, 3}}}) * a[1])), "x");
       }},
      {"place_of_the_largest",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return convert(pargmax(sum(a[0] * a[1]), "x") * 10 + pargmin(reduce_max(a[0]), "x"), DType::f64);
       },
       Derivatives::refused},
  };
}

std::vector<Function> gathers() {
  return {
      {"gathered_and_weighted",
       {by_x, everywhere},
       {{8, 2}, {2, 4, 2}},
       [](const Arrays& a) {
         Array blocks = all_gather(a[0], "x", {.dim = 1});
         return psum(sum(blocks * blocks * a[1]) * (1.0 + position("x")), "x");
       }},
      {"gathered_in_tiles",
       {by_x, everywhere},
       {{8, 2}, {8, 2}},
       [](const Arrays& a) {
         Array whole = all_gather(a[0], "x", {.dim = 0, .tiled = true});
         return psum(sum(exp(whole * a[1])) * sum(a[0]), "x");
       }},
      {"gathered_over_both_axes",
       {by_both_turned, everywhere},
       {{8, 2}, {8, 2}},
       [](const Arrays& a) {
         Array whole = all_gather(a[0], {"y", "x"}, {.dim = 0, .tiled = true});
         return psum(sum(tanh(whole) * a[1]) * sum(a[0]), {"x", "y"});
       }},
      {"gathered_against_the_order_of_the_mesh",
       {by_both, everywhere},
       {{8, 2}, {2, 8}},
       [](const Arrays& a) {
         Array whole = all_gather(a[0], {"y", "x"}, {.dim = -1});
         return pmean(sum(sin(whole * a[1])) * sum(a[0] * a[0]), {"x", "y"});
       }},
      {"gathered_to_equal_values",
       {P("x", "y"), everywhere},
       {{8, 4}, {4}},
       [](const Arrays& a) {
         Array rows = all_gather(a[0], "y", {.dim = 1, .tiled = true, .to = invariant});
         return psum(sum(tanh(rows * a[1])), "x");
       }},
      {"gathered_to_reduced_values",
       {by_x, everywhere},
       {{8, 2}, {8, 2}},
       [](const Arrays& a) {
         Array whole = all_gather(a[0], "x", {.tiled = true, .to = reduced});
         return psum(sum(tanh(whole * (1.0 + position("x"))) * a[1] * sum(a[0])), "x");
       }},
      {"gathered_in_groups",
       {by_x, everywhere},
       {{8, 2}, {2, 2, 2}},
       [](const Arrays& a) {
         Array pair = all_gather(a[0], "x", {.groups = {{0, 2}, {3, 1}}});
         return psum(sum(exp(pair * a[1])) * sum(a[0]), "x");
       }},
      {"scattered_sum",
       {by_x, everywhere},
       {{8, 4}, {4, 4}},
       [](const Arrays& a) {
         Array own = psum_scatter(matmul(a[0], a[1]), "x", {.dim = 1, .tiled = true});
         return psum(sum(own * own * own), "x");
       }},
      {"scattered_sum_of_rows",
       {by_x, everywhere},
       {{16, 3}, {3}},
       [](const Arrays& a) {
         return psum(sum(sin(psum_scatter(a[0] * a[1], "x")) * (2.0 + position("x"))), "x");
       }},
      {"scattered_over_both_axes",
       {P(none, SpecEntry{"x", "y"}), everywhere},
       {{8, 16}, {8, 2}},
       [](const Arrays& a) {
         Array own = psum_scatter(tanh(a[0] * a[1]), {"y", "x"}, {.dim = 0, .tiled = true});
         return psum(sum(own * own), {"x", "y"});
       }},
      {"scattered_in_groups",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array own = psum_scatter(a[0] * a[1], "x", {.tiled = true, .groups = {{1, 0}, {2, 3}}});
         return psum(sum(exp(own)), "x");
       }},
  };
}

std::vector<Function> exchanges() {
  return {
      {"exchanged_in_tiles",
       {by_x, by_x},
       {{8, 4}, {32, 1}},
       [](const Arrays& a) {
         return psum(sum(tanh(all_to_all(a[0], "x", {.split = 1, .tiled = true})) * a[1]), "x");
       }},
      {"exchanged_to_another_dim",
       {by_x, everywhere},
       {{16, 3}, {3, 4}},
       [](const Arrays& a) {
         Array swapped = all_to_all(a[0], "x", {.split = 0, .concat = 1});
         return psum(sum(sin(swapped * a[1]) * (1.0 + position("x"))), "x");
       }},
      {"exchanged_over_both_axes",
       {by_both, everywhere},
       {{8, 8}, {8}},
       [](const Arrays& a) {
         Array swapped = all_to_all(a[0], {"y", "x"}, {.split = 1, .concat = 1, .tiled = true});
         return psum(sum(tanh(swapped * a[1]) * sum(a[0])), {"x", "y"});
       }},
      {"exchanged_in_groups",
       {by_x, everywhere},
       {{8, 2}, {2, 2}},
       [](const Arrays& a) {
         Array own = all_to_all(a[0], "x", {.tiled = true, .groups = {{2, 0}, {3, 1}}});
         return psum(sum(exp(own * a[1]) * (1.0 + position("x"))), "x");
       }},
      {"swapped_with_a_dim",
       {by_x, everywhere},
       {{16, 3}, {4, 3}},
       [](const Arrays& a) { return psum(sum(sin(pswapaxes(a[0], "x", 0) * a[1])) * sum(a[0]), "x"); }},
      {"sent_around_a_ring",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array before = ppermute(a[0], "x", ring), after = ppermute(a[0], "x", ring_back);
         return psum(sum(tanh(before * a[1] - after) * a[0]), "x");
       }},
      {"sent_to_some",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return psum(sum(cos(ppermute(a[0] * a[1], "x", {{3, 0}, {1, 2}, {0, 3}}) + a[0])), "x");
       }},
      {"sent_along_both_axes",
       {by_both, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array got = ppermute(a[0] * a[1], {"x", "y"}, {{0, 1}, {1, 6}, {7, 0}, {2, 4}});
         return psum(sum(exp(got) * a[0]), {"x", "y"});
       }},
      {"shuffled",
       {P("x", "y"), everywhere},
       {{8, 4}, {2}},
       [](const Arrays& a) {
         return psum(sum(pshuffle(a[0], "x", {2, 0, 3, 1}) * pshuffle(a[0] * a[1], "y", {1, 0})), {"x", "y"});
       }},
      {"broadcast_from_one",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return psum(sum(tanh(pbroadcast(a[0], "x", {.source = 2}) * a[1]) * a[0]), "x");
       }},
      {"broadcast_over_both_axes",
       {by_both, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array got = pbroadcast(a[0] * a[1], {"y", "x"}, {.source = 5});
         return psum(sum(got * got * a[0]), {"x", "y"});
       }},
      {"weighted_by_position",
       {by_both, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         Array joint = axis_index({"y", "x"}) * axis_size("x") + 3 * axis_index("x");
         return psum(sum(sin(a[0] * a[1]) * convert(joint, DType::f64)), {"x", "y"}) / axis_size({"x", "y"});
       }},
      {"product_along_a_ring", {by_x, P(none, "x")}, {{8, 3}, {3, 8}}, product_along_a_ring},
  };
}

}  // namespace

std::vector<Function> collective_functions() {
  std::vector<Function> functions = sums();
  for (const auto& more : {extremes(), gathers(), exchanges()})
    functions.insert(functions.end(), more.begin(), more.end());
  return functions;
}

}  // namespace tutti
