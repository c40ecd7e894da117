// SPDX-License-Identifier: Apache-2.0
// The twins of the first half of jax_local_ops.py.
#include "tests/support/functions.hpp"
#include "tests/support/pointwise_functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x");

Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }
/// (step i + the device's position) modulo n.
Array rows_by_position(int rows, int step, int n) {
  return (arange(rows, DType::i32) * step + axis_index("x")) % n;
}
/// One row of the array per index.
const GatherDims whole_rows{.offset_dims = {Dim{1}},
                            .collapsed_slice_dims = {Dim{0}},
                            .start_index_map = {Dim{0}},
                            .index_vector_dim = Dim{1}};

Array functions_of_one_number(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = 2.0 + x * w;
  Array smooth = exp(y) / 4.0 + log(y) * w + tanh(y) + sin(y) * x + cos(y);
  return over_devices(smooth + sqrt(y) * w + rsqrt(y) + logistic(x) * w + abs(x) * sign(w));
}

Array a_window_that_moves(const Arrays& a) {
  const Array &x = a[0], &w = a[1], start = axis_index("x");
  Array window = dynamic_slice_in_dim(w, start, 2);
  Array written = dynamic_update_slice(w, tanh(x * window), {start + 1, 0});
  return over_devices(written * written * w);
}

Array cut_and_joined(const Arrays& a) {
  Array padded = pad(a[0], 0.5, {{.low = 1, .high = 2, .interior = 1}, {.high = -1}});
  Array joined = concatenate({padded, slice_in_dim(a[1], 0, 2, 1, 1) * 2.0, rev(padded, {0, 1})});
  return over_devices(exp(slice_in_dim(joined, 1, 15, 3) / 2.0) * reduce_sum(slice_in_dim(joined, -1, {})));
}

Array turned_and_spread(const Arrays& a) {
  const Array& w = a[1];
  Array turned = transpose(reshape(a[0], {2, 3, 2}), {2, 0, 1});
  Array stacked = stack({turned * w, broadcast_to(w, {2, 2, 3})}, 1);
  Array one = reshape(slice_in_dims(stacked, {.start = {0, 1, 0, 2}, .limit = {1, 2, 1, 3}}), {});
  return over_devices(sin(stacked) * expand_dims(turned, 1) * one);
}

Array spread_around_the_mean(const Arrays& a) {
  const Array& x = a[0];
  return over_devices(tanh(standardize(x, 1, 0.25) * a[1]) * variance(x));
}

Array normalised_over_devices(const Arrays& a) {
  Array away = a[0] - expand_dims(pmean(mean(a[0], 1), "x"), 1);
  Array spread = rsqrt(pmean(mean(away * away, 1), "x") + 0.5);
  return over_devices(tanh(away * expand_dims(spread, 1) * a[1]));
}

Array classified(const Arrays& a) {
  Array logits = matmul(a[0], a[1]);
  Array loss = cross_entropy(logits, rows_by_position(3, 2, 5));
  return pmean(loss + reduce_sum(softmax(logits, 0) * logits) * 0.1, "x") +
         over_devices(logsumexp(logits, 1));
}

Array products_in_batches(const Arrays& a) {
  const Array& x = a[0];
  Array mixed =
      dot_general(x, x, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contract = {2}, .rhs_contract = {2}});
  return over_devices(tanh(matmul(x, a[1])) * mixed);
}

Array attention_to_all_rows(const Arrays& a) {
  Array keys = all_gather(matmul(a[0], a[1]), "x", {.tiled = true});
  Array values = all_gather(matmul(a[0], a[2]), "x", {.tiled = true});
  return over_devices(sin(matmul(softmax(matmul(a[0], transpose(keys)) * 0.5), values)));
}

Array complex_between_real(const Arrays& a) {
  Array z = complex(a[1], 0.5 * a[1] * a[1]);
  Array terms = exp(z) * complex(a[0], tanh(a[0])) / (z + 3.0);
  Array total = psum(reduce_sum(terms, 0), "x");
  Array real_part = real(total * conj(total)) + abs(total);
  return reduce_sum(real_part + imag(log(z + 3.0)) + real(tanh(z) * sqrt(z + 2.0)));
}

std::vector<Function> elementwise() {
  return {
      {"functions_of_one_number", {by_x, everywhere}, {{8, 3}, {3}}, functions_of_one_number},
      {"complex_between_real", {by_x, everywhere}, {{8, 4}, {4}}, complex_between_real},
      {"functions_near_zero",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1], y = x * w / 2.0;
         return over_devices(log1p(y) * x + expm1(y) * w + erf(y) * x);
       }},
      {"powers_and_angles",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1], y = 2.0 + x;
         return over_devices(pow(y, w) + atan2(x, 2.0 + w) * w + rem(3.0 * y, 2.0 + w * 0.25));
       }},
      {"rounded",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1];
         return over_devices(x * floor(4.0 * w * x) + w * ceil(3.0 * x) + x * round(2.3 * x));
       }},
      {"bounded",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1];
         Array y = maximum(x, w * 0.5) * minimum(x * x, 0.7) + clamp(-0.4, x, 0.6) * w;
         return over_devices(y * relu(x * w) + where(x > w, x * w, exp(x)));
       }},
      {"counted",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1];
         Array positive = reduce_sum(convert(x > 0.0, DType::f64), 0);
         Array hot = one_hot(argmax(stop_gradient(x), 1), 3, DType::f64);
         return over_devices(positive * sin(w) + reduce_sum(hot * x * w, 0));
       }},
      {"held_and_stopped",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         auto [y, v] = optimization_barrier(std::pair{a[0] * a[1], sin(a[1])});
         return over_devices(y * stop_gradient(y * v) + v * a[0]);
       }},
  };
}

std::vector<Function> of_places() {
  return {
      {"sorted_by_value",
       {by_x, everywhere},
       {{16, 2}, {2}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1], order = argsort(-x, 0);
         return over_devices(tanh(sort(x, 0)) * w + take_along_axis(x * x, order, 0) * w * w);
       }},
      {"running_sums",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         return over_devices(sin(cumsum(a[0] * a[1])) * cumsum(a[0], 1, Order::backward));
       }},
      {"rows_taken",
       {by_x, everywhere},
       {{8, 2}, {4, 2}},
       [](const Arrays& a) {
         Array columns = take(a[0], constant(Tensor(Shape{3}, std::vector<std::int32_t>{1, 0, 1})), 1);
         return over_devices(exp(take(a[1], rows_by_position(3, 2, 4), 0) * transpose(columns)));
       }},
      {"rows_added",
       {by_x, everywhere},
       {{8, 3}, {4, 3}},
       [](const Arrays& a) {
         Array sums = psum(scatter_add(a[1], rows_by_position(2, 3, 4), a[0] * a[0], whole_rows), "x");
         return reduce_sum(tanh(sums) * a[1]);
       }},
      {"rows_put",
       {by_x, everywhere},
       {{8, 3}, {4, 3}},
       [](const Arrays& a) {
         return over_devices(sin(scatter(a[1], rows_by_position(2, 2, 4), a[0], whole_rows)) * a[1]);
       }},
      {"a_window_that_moves", {by_x, everywhere}, {{8, 3}, {6, 3}}, a_window_that_moves},
      {"cut_and_joined", {by_x, everywhere}, {{8, 3}, {4, 3}}, cut_and_joined},
      {"turned_and_spread", {by_x, everywhere}, {{8, 6}, {3}}, turned_and_spread},
  };
}

std::vector<Function> folds_and_products() {
  return {
      {"largest_and_smallest",
       {by_x, everywhere},
       {{8, 3}, {3}},
       [](const Arrays& a) {
         const Array &x = a[0], &w = a[1];
         return over_devices(reduce_max(x * w, 1) * reduce_min(x, 1)) + psum(reduce_max(x * x), "x");
       }},
      {"spread_around_the_mean", {by_x, everywhere}, {{8, 3}, {3}}, spread_around_the_mean},
      {"normalised_over_devices", {P(none, "x"), everywhere}, {{2, 8}, {2}}, normalised_over_devices},
      {"classified", {by_x, everywhere}, {{12, 4}, {4, 5}}, classified},
      {"products_in_batches", {by_x, everywhere}, {{8, 3, 4}, {2, 4, 3}}, products_in_batches},
      {"attention_to_all_rows",
       {by_x, everywhere, everywhere},
       {{8, 3}, {3, 3}, {3, 2}},
       attention_to_all_rows},
  };
}

}  // namespace

std::vector<Function> local_functions() {
  std::vector<Function> functions = elementwise();
  for (const auto& more : {of_places(), folds_and_products(), pointwise_functions()})
    functions.insert(functions.end(), more.begin(), more.end());
  return functions;
}

}  // namespace tutti
