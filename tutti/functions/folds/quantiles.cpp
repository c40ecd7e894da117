// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/quantiles.hpp"

#include <cmath>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/functions/folds/folded_dims.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/sort.hpp"
#include "tutti/ops/take_from_the_start.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Joins the dims into one last dim and sorts along it. If an element is NaN, all are; for no elements one
// NaN.
Array sorted_along(const Array& x, const Dims& dims) {
  if (folded_elements(x, dims) == 0) return expand_dims(reduce_max(x, dims) + nan, -1);
  const Array hit = spread_along(reduce_max(is_nan_in(x), dims), x, dims);
  const Array all_nan = select(hit, nan, x);
  std::vector<int> order;
  std::vector<std::int64_t> sizes;
  for (Dim dim : other_dims(x.rank(), dims)) {
    order.push_back(dim.index);
    sizes.push_back(x.shape()[dim]);
  }
  for (Dim dim : dims) order.push_back(dim.index);
  sizes.push_back(folded_elements(x, dims));
  return sort(reshape(transpose(all_nan, order), Shape(std::move(sizes))), -1);
}

// Both by their weights. At weight 0 it is `low` itself: 0 times an infinite element would be NaN.
Array weighted(const Array& low, const Array& high, double weight) {
  if (weight == 0) return low;
  const Array of_low = low * (1.0 - weight);
  return of_low + high * weight;
}

Array weighted(const Array& low, const Array& high, const Array& weight) {
  const Array is_low = equal(weight, 0);
  const Array finite_low = select(is_low, 0, low), finite_high = select(is_low, 0, high);
  const Array of_low = finite_low * (1.0 - weight);
  return select(is_low, low, of_low + finite_high * weight);
}

// Between two elements; `weight` is a number or an array.
template <class Weight>
Array between(QuantileMethod method, const Array& low, const Array& high, const Weight& weight) {
  switch (method) {
    case QuantileMethod::linear: return weighted(low, high, weight);
    case QuantileMethod::lower: return low;
    case QuantileMethod::higher: return high;
    case QuantileMethod::midpoint: return (low + high) * 0.5;
    case QuantileMethod::nearest: break;
  }
  if constexpr (std::is_same_v<Weight, double>) return weight <= 0.5 ? low : high;
  else return select(weight <= 0.5, low, high);
}

Array at_number(const Array& sorted, double q, QuantileMethod method) {
  require(0 <= q && q <= 1, Code::number, "q = {}; a quantile is from 0 to 1", q);
  const double place = q * static_cast<double>(sorted.dim(-1) - 1), low = std::floor(place);
  const Array below = index_in_dim(sorted, static_cast<std::int64_t>(low), -1);
  const Array above = index_in_dim(sorted, static_cast<std::int64_t>(std::ceil(place)), -1);
  return between(method, below, above, place - low);
}

// Indices of elements that are not there are brought inside by take.
Array at_array(const Array& sorted, const Array& given, QuantileMethod method) {
  const Array q = is_half(given.dtype()) ? convert(given, DType::f32) : given;
  require(q.rank() <= 1, Code::shape,
          "q is {}; a quantile is of a number, or of a list of them: reshape(q, {{-1}})", q.type());
  require(q.dtype() == sorted.dtype(), Code::dtype, "q is {} beside {}; convert it: convert(q, DType::{})",
          q.type(), sorted.type(), name(sorted.dtype()));
  const Array place = q * (sorted.dim(-1) - 1), low = floor(place);
  const Dim last{sorted.rank() - 1};
  const Array below = take_from_the_start(sorted, convert(low, DType::i32), last);
  const Array above = take_from_the_start(sorted, convert(ceil(place), DType::i32), last);
  const Array found = between(method, below, above, place - low);
  return q.rank() == 0 ? found : move_dim(found, Dim{found.rank() - 1}, Dim{0});
}

double as_double(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

Array in_shape(const Array& found, const Array& x, const Dims& dims, const Array* q, bool keepdims) {
  if (!keepdims || !q || q->rank() == 0) return with_kept_dims(found, x, dims, keepdims);
  Shape kept = x.shape();
  for (Dim dim : dims) kept = kept.with(dim, 1);
  return reshape(found, kept.inserted(Dim{0}, q->dim(0)));
}

}  // namespace

Array quantile(const Operand& x, const Operand& q, const WhichDims& dims, const QuantileOptions& options) {
  return front_end("quantile", x.where(), [&] {
    const Array given = as_array(x);
    const Dims over = folded_dims(given, dims);
    require(!is_complex(given.dtype()), Code::dtype, "{} is complex, which has no order; take its parts",
            given.type());
    require(folded_elements(given, over) <= most_numbered_by_i32, Code::dtype,
            "{} has more than 2^31 elements over dims {}, beyond the indices of i32", given.type(), over);
    const Array sorted = sorted_along(as_computed(given), over);
    Array found = q.array() ? at_array(sorted, *q.array(), options.method)
                            : at_number(sorted, as_double(*q.number()), options.method);
    if (is_half(given.dtype())) found = convert(found, given.dtype());
    return in_shape(found, given, over, q.array(), options.keepdims);
  });
}

Array median(const Operand& x, const WhichDims& dims, const MedianOptions& options) {
  return front_end("median", x.where(),
                   [&] { return quantile(x, 0.5, dims, {.keepdims = options.keepdims}); });
}

}  // namespace tutti
