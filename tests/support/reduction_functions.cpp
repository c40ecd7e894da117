// SPDX-License-Identifier: Apache-2.0
// The twins of jax_reductions.py.
#include <limits>

#include "tests/support/functions.hpp"

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

const P everywhere, by_x("x");

Array over_devices(const Array& x) { return psum(reduce_sum(x), "x"); }
/// Row 0 is 0, exactly.
Array with_a_row_of_zeros(const Array& x) { return x - slice_in_dim(x, 0, 1); }
Array twice(const Array& x) { return concatenate({x, x * 1.0}); }

Array products(const Arrays& a) {
  const Array &x = a[0], &w = a[1], z = with_a_row_of_zeros(x);
  const Array one_zero = prod(z * w + z, 0), two_zeros = prod(twice(z), 0);
  return over_devices(sin(prod(1.5 + x * w, 1)) + prod(x, all_dims, {.keepdims = true})) +
         over_devices(one_zero * w + two_zeros + prod(x, 0, {.where = x > 0.0}));
}

Array running_products(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  const Array z = slice_in_dim(x, 3, 4) - x;  // row 3 is 0
  return over_devices(cumprod(z) * w + cumprod(2.0 * x * w, 1, Order::backward));
}

Array running_extremes(const Arrays& a) {
  const Array &x = a[0], &w = a[1], ties = twice(x);
  const Array weights = iota(ties.shape(), DType::f64, 0) - 3.0;
  return over_devices(cummax(ties) * weights + cummin(ties, -1, Order::backward) * w);
}

Array running_logarithms(const Arrays& a) {
  const Array terms = 3.0 * a[0] * a[1];
  return over_devices(sin(logcumsumexp(terms)) + cumlogsumexp(terms, 1, Order::backward));
}

struct Affine {
  Array slope, offset;
};

Array a_recurrence(const Arrays& a) {
  auto after = [](const Affine& first, const Affine& second) {
    const Array scaled = second.slope * first.offset;
    return Affine{first.slope * second.slope, scaled + second.offset};
  };
  const Affine steps{a[0], sin(a[0] * a[1])};
  const Array forward = associative_scan(after, steps).offset;
  return over_devices(forward * a[1] + associative_scan(after, steps, {.reverse = true}).offset);
}

Array the_largest_few(const Arrays& a) {
  const TopKResult rows = top_k(a[0] * a[1], 3, 0), columns = top_k(a[0], 2);
  const Array places = 1.0 + convert(rows.indices, DType::f64);
  return over_devices(tanh(rows.values) * places) + over_devices(columns.values * columns.values);
}

Array sorted_by_two_keys(const Arrays& a) {
  const Array &x = a[0], coarse = round(2.0 * x);
  const Arrays sorted = sort({coarse, -x, x * a[1]}, 0, {.num_keys = 2});
  const Array weights = iota(x.shape(), DType::f64, 0);
  const Array order = lexsort({x, -coarse}, 0);
  return over_devices(sorted[1] * sorted[2] * weights + take_along_axis(x, order, 0) * weights);
}

Array spreads(const Arrays& a) {
  const Array y = a[0] * a[1], kept = variance(y, 0, {.ddof = 1, .keepdims = true});
  return over_devices(stddev(y, 1) * stddev(y, all_dims, {.ddof = 0.5})) + over_devices(y * kept);
}

Array averages(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  const Array holes = where(x > 0.8, std::numeric_limits<double>::quiet_NaN(), x * w);
  const Array weighed = average(x * x, 1, {.weights = 2.0 + w});
  const Array of_each = average(x, 0, {.weights = exp(x), .keepdims = true});
  return over_devices(sin(nanmean(holes, 0)) * nansum(holes, 0)) + over_devices(weighed) +
         over_devices(of_each * w);
}

Array norms(const Arrays& a) {
  const Array &x = a[0], &w = a[1], y = x * w;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Array columns = norm(y, 0, {.ord = 1}) + norm(x, 0, {.ord = 3}) * norm(y, 0, {.ord = -infinity});
  const Array rows =
      norm(y, 1) * norm(x, 1, {.ord = infinity}) + norm(x, -1, {.ord = 0}) * norm(x, 1, {.ord = 2});
  const Array matrices = stack({x, y * y});
  Array of_matrices = matrix_norm(matrices);
  for (double ord : {1.0, -1.0, infinity, -infinity})
    of_matrices = of_matrices + matrix_norm(matrices, {.ord = ord});
  const Array of_vectors =
      over_devices(columns * w) + over_devices(rows) + over_devices(norm(x, all_dims, {.keepdims = true}));
  return of_vectors + over_devices(of_matrices);
}

Array quantiles(const Arrays& a) {
  const Array &x = a[0], &w = a[1], q = 0.5 + 0.45 * w;
  Array all = median(x, 1) * quantile(x, 0.3, 1);
  const Array of_all = index_in_dim(quantile(x, q, all_dims, {.keepdims = true}), 0, 1);  // [q, 1]
  all = over_devices(all) + over_devices(quantile(x * w, q, 0) * of_all);
  for (QuantileMethod method :
       {QuantileMethod::lower, QuantileMethod::higher, QuantileMethod::midpoint, QuantileMethod::nearest}) {
    const Array of_numbers = quantile(x, 0.35, 0, {.method = method, .keepdims = true});
    all = all + over_devices(of_numbers * quantile(x, q, 0, {.method = method}));
  }
  return all;
}

Array extremes_and_counts(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  const Array count = convert(count_nonzero(x > 0.2, 0), DType::f64),
              seen = convert(any(x > 0.9, 1), DType::f64);
  return over_devices(amax(x * w, 0, {.keepdims = true}) * amin(x, 0) * count) +
         over_devices(ptp(x, 1) * seen) + over_devices(sum(x * w, 1, {.where = x > 0.0}) * x.dim(0));
}

Array unique_elements(const Arrays& a) {
  const Array both = twice(a[0]);
  const UniqueCounts found = unique_counts(both, 30);
  const Array filled = unique(both, 30, {.fill = 0.5});
  const Array weights = iota({30}, DType::f64, 0) / 30.0;
  return over_devices(found.values * convert(found.counts, DType::f64) * weights) +
         over_devices(filled * weights * reduce_sum(a[1]));
}

Array places_of_values(const Arrays& a) {
  const Array &x = a[0], &w = a[1];
  const Array sorted = sort(reshape(x, {24}), 0);
  const Array left = searchsorted(sorted, w * x), right = searchsorted(sorted, x, {.side = Side::right});
  return over_devices(convert(left, DType::f64) * x * w + convert(right, DType::f64) * x);
}

Array histograms(const Arrays& a) {
  const Array &x = a[0], &w = a[1], row = reshape(x, {24});
  const Array bins = convert(floor(3.0 * row + 2.0), DType::i32);
  const Array counts = bincount(bins, 4, {.weights = row});
  const Histogram of_range = histogram(x, 5, {.range = {{-0.7, 0.9}}, .weights = x * w});
  const Histogram of_all = histogram(x, 4, {.density = true});
  return over_devices(counts * counts) + over_devices(of_range.counts * of_range.counts) +
         over_devices(of_all.counts * slice_in_dim(of_all.edges, 1, {}));
}

Array segments(const Arrays& a) {
  const Array &x = a[0], &w = a[1], both = twice(x);                        // ties
  const Array of = (arange(16, DType::i32) * 5 + axis_index("x")) % 8 - 1;  // segments -1 to 6
  const Array large = segment_max(both * w, of, 5), small = segment_min(x, slice_in_dim(of, 0, 8), 8);
  const Array seen = where(abs(large) < 10.0, large, 0.0), found = where(abs(small) < 10.0, small, 0.0);
  return over_devices(sin(segment_sum(both * w, of, 6))) + over_devices(seen * w) +
         over_devices(found * found);
}

}  // namespace

std::vector<Function> reduction_functions() {
  std::vector<Function> functions;
  auto add = [&](const char* name, Array (*body)(const Arrays&)) {
    functions.push_back({name, {by_x, everywhere}, {{32, 3}, {3}}, body});
  };
  add("products", products);
  add("running_products", running_products);
  add("running_extremes", running_extremes);
  add("running_logarithms", running_logarithms);
  add("a_recurrence", a_recurrence);
  add("the_largest_few", the_largest_few);
  add("sorted_by_two_keys", sorted_by_two_keys);
  add("spreads", spreads);
  add("averages", averages);
  add("norms", norms);
  add("quantiles", quantiles);
  add("extremes_and_counts", extremes_and_counts);
  add("unique_elements", unique_elements);
  add("places_of_values", places_of_values);
  add("histograms", histograms);
  add("segments", segments);
  return functions;
}

}  // namespace tutti
