// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/folds/sorting.hpp"

#include <bit>

#include "tutti/base/require.hpp"
#include "tutti/functions/numbers/spaced.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/cumulative.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/sort.hpp"
#include "tutti/ops/take_from_the_start.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

// The indices are numbers of elements of an array of one dim.
GatherDims single_elements() {
  return {.offset_dims = {},
          .collapsed_slice_dims = {Dim{0}},
          .start_index_map = {Dim{0}},
          .index_vector_dim = Dim{1}};
}

void require_numbered(std::int64_t elements, const Array& x) {
  require(elements < most_numbered_by_i32, Code::dtype,
          "{} has more than 2^31 - 1 elements, beyond the numbers of i32", x.type());
}

}  // namespace

Array lexsort(const Arrays& keys, int dim, Where where) {
  return front_end("lexsort", where, [&] {
    require(!keys.empty(), Code::shape, "nothing to sort by; give a key at least");
    Arrays operands(keys.rbegin(), keys.rend());
    const Dim along = as_dim(dim, operands[0].type());
    require_numbered(operands[0].shape()[along], operands[0]);
    operands.push_back(iota(operands[0].shape(), DType::i32, along.index));
    return sort(operands, along.index, {.num_keys = static_cast<int>(keys.size())}).back();
  });
}

namespace {

struct Runs {
  Array sorted;  // [n], n > 0
  Array starts;  // bool [n]: differs from the one before
  Array number;  // i32 [n]: of the run that an element is in
};

Runs runs_of(const Array& x) {
  const Array sorted = sort(reshape(x, {-1}), 0);
  const std::int64_t n = sorted.dim(0);
  Array before = slice_in_dim(sorted, 0, n - 1), after = slice_in_dim(sorted, 1, n);
  Array differs = not_equal(before, after);
  if (is_float(x.dtype())) differs = differs & equal(before, before);  // a NaN is followed by NaNs
  const Array starts = concatenate({ones({1}, DType::boolean), differs});
  return {sorted, starts, cumsum(convert(starts, DType::i32)) - 1};
}

Array unique_values(const Array& x, std::int64_t size, const Runs& runs, const UniqueOptions& options) {
  const std::int64_t n = x.type().elements();
  const Array places = select(runs.starts, runs.number, size);  // beyond the end: left out
  const Array none = zeros({size}, DType::i32);
  const Array first = scatter(none, places, iota({n}, DType::i32, 0), single_elements());
  Array values = take_from_the_start(runs.sorted, first, Dim{0});
  if (!options.fill) return values;
  const Array last = slice_in_dim(runs.number, n - 1, n);
  const Array is_there = iota({size}, DType::i32, 0) <= last;
  return select(is_there, values, full({}, *options.fill, x.dtype()));
}

void require_unique(const Array& x, std::int64_t size, const UniqueOptions& options) {
  require(size >= 0, Code::shape, "size = {}; the number of elements of the result is 0 or more", size);
  require(size == 0 || x.type().elements() > 0 || options.fill, Code::shape,
          "{} has no elements to fill {} with; give a fill: {{.fill = 0}}", x.type(), size);
  require_numbered(x.type().elements(), x);
  require_numbered(size, x);
}

Array nothing_but_fill(const Array& x, std::int64_t size, const UniqueOptions& options) {
  return options.fill ? full({size}, *options.fill, x.dtype()) : zeros({size}, x.dtype());
}

}  // namespace

Array unique(const Operand& x, std::int64_t size, const UniqueOptions& options) {
  return front_end("unique", x.where(), [&] {
    const Array array = as_array(x);
    require_unique(array, size, options);
    if (array.type().elements() == 0) return nothing_but_fill(array, size, options);
    return unique_values(array, size, runs_of(array), options);
  });
}

UniqueCounts unique_counts(const Operand& x, std::int64_t size, const UniqueOptions& options) {
  return front_end("unique_counts", x.where(), [&] {
    const Array array = as_array(x);
    require_unique(array, size, options);
    if (array.type().elements() == 0) {
      const Array values = nothing_but_fill(array, size, options);
      return UniqueCounts{values, zeros({size}, DType::i32)};
    }
    const Runs runs = runs_of(array);
    const Array values = unique_values(array, size, runs, options);
    return UniqueCounts{values, bincount(runs.number, size)};
  });
}

namespace {

// In the order of sort: NaN is above all numbers.
Array is_below(const Array& a, const Array& b) {
  Array below = a < b;
  if (!is_float(a.dtype())) return below;
  const Array b_is_nan = not_equal(b, b), a_is_number = equal(a, a);
  return below | (b_is_nan & a_is_number);
}

// Halves the range of places of every value, as jax.numpy.searchsorted does.
Array places_among(const Array& sorted, const Array& values, Side side) {
  const std::int64_t n = sorted.dim(0);
  Array low = zeros(values.shape(), DType::i32), high = low + n;
  for (int steps = std::bit_width(static_cast<std::uint64_t>(n)); steps > 0; --steps) {
    const Array middle = low + (high - low) / 2, element = take_from_the_start(sorted, middle, Dim{0});
    const Array goes_left = side == Side::left ? ~is_below(element, values) : is_below(values, element);
    low = select(goes_left, low, middle);
    high = select(goes_left, middle, high);
  }
  return high;
}

}  // namespace

Array searchsorted(const Operand& sorted, const Operand& values, const SearchOptions& options) {
  return front_end("searchsorted", values.where(), [&] {
    const Array elements = as_array(sorted, {values}), wanted = as_array(values, {sorted});
    require(elements.rank() == 1, Code::shape,
            "{} is not one row of sorted elements; search one row at a time", elements.type());
    require(elements.dtype() == wanted.dtype(), Code::dtype,
            "values {} among elements {}; convert one: convert(x, DType::{})", wanted.type(), elements.type(),
            name(elements.dtype()));
    require_numbered(elements.dim(0), elements);
    if (elements.dim(0) == 0) return zeros(wanted.shape(), DType::i32);
    return places_among(elements, wanted, options.side);
  });
}

namespace {

// Integers that index an array of `length` elements; larger ones may become `length`.
Array as_places(const Array& x, std::int64_t length) {
  switch (x.dtype()) {
    case DType::i32:
    case DType::i64: return x;
    case DType::u32: return convert(x, DType::i64);
    case DType::u64: return convert(minimum(x, length), DType::i64);
    default: return convert(x, DType::i32);
  }
}

void require_one_for_each(const Array& weights, const Array& x) {
  require(weights.shape() == x.shape(), Code::shape, "weights {} beside {}; there is one for each element",
          weights.type(), x.type());
}

// How the weights of the elements at each place sum up.
Array sums_at(const Array& places, const Array& weights, std::int64_t length) {
  const Array none = zeros_of(weights.type().with(Shape{length}));
  return scatter_add(none, places, weights, single_elements());
}

}  // namespace

Array bincount(const Operand& x, std::int64_t length, const BincountOptions& options) {
  return front_end("bincount", x.where(), [&] {
    const Array array = as_array(x);
    require(length >= 0, Code::shape, "length = {}; the number of counts is 0 or more", length);
    require(array.rank() == 1, Code::shape,
            "{} is not one row of numbers to count; make it one: reshape(x, {{-1}})", array.type());
    require(is_integer(array.dtype()) || array.dtype() == DType::boolean, Code::dtype,
            "{} is not of integers, so it has no counts; convert it, or use histogram", array.type());
    if (options.weights) require_one_for_each(*options.weights, array);
    const Array places = maximum(as_places(array, length), 0);
    return sums_at(places, options.weights ? *options.weights : ones(array.shape(), DType::i32), length);
  });
}

namespace {

Array edges_of_range(const HistogramRange& range, std::int64_t bins, DType dtype) {
  require(range.low <= range.high, Code::argument, "range {{{}, {}}}; the lower end is first", range.low,
          range.high);
  const double around = range.low == range.high ? 0.5 : 0;
  return convert(spaced(dtype, range.low - around, range.high + around, bins + 1), dtype);
}

Array edges_of(const Array& x, std::int64_t bins, const HistogramOptions& options) {
  if (options.range) return edges_of_range(*options.range, bins, x.dtype());
  require(x.type().elements() > 0, Code::shape, "{} has no elements, so no range; give one: {{.range = ..}}",
          x.type());
  const Array low = convert(reduce_min(x), DType::f64), high = convert(reduce_max(x), DType::f64);
  const Array is_point = equal(low, high);
  const Array lower = select(is_point, low - 0.5, low), upper = select(is_point, high + 0.5, high);
  return convert(spaced(x.dtype(), lower, upper, bins + 1), x.dtype());
}

Histogram counted(const Array& x, const Array& edges, const HistogramOptions& options) {
  const std::int64_t n = edges.dim(0);
  const Array last = index_in_dim(edges, -1);
  const Array found = searchsorted(edges, x, {.side = Side::right});
  const Array bin = select(equal(x, last), static_cast<std::int32_t>(n - 1), found);
  const Array weights = options.weights ? reshape(*options.weights, {-1}) : ones(x.shape(), x.dtype());
  // Bin 0 is below all edges; beyond the last one nothing counts.
  Array counts = slice_in_dim(sums_at(bin, weights, n), 1, {});
  if (options.density) {
    const Array upper = slice_in_dim(edges, 1, {}), widths = upper - slice_in_dim(edges, 0, -1);
    const Array per_width = counts / widths;
    counts = per_width / reduce_sum(counts);
  }
  return {counts, edges};
}

// In f32 if it is of integers, as one row.
Array row_of_floats(const Array& array) {
  require(!is_complex(array.dtype()), Code::dtype, "{} is complex, which has no order; take its parts",
          array.type());
  return reshape(is_float(array.dtype()) ? array : convert(array, DType::f32), {-1});
}

}  // namespace

Histogram histogram(const Operand& x, std::int64_t bins, const HistogramOptions& options) {
  return front_end("histogram", x.where(), [&] {
    const Array array = as_array(x), row = row_of_floats(array);
    if (options.weights) require_one_for_each(*options.weights, array);
    require(bins > 0, Code::shape, "{} bins; there is one at least", bins);
    require_numbered(bins, row);
    return counted(row, edges_of(row, bins, options), options);
  });
}

Histogram histogram(const Operand& x, const Array& edges, const HistogramOptions& options) {
  return front_end("histogram", x.where(), [&] {
    require(edges.rank() == 1 && edges.dim(0) > 1, Code::shape,
            "edges {}; they are one row of two or more ascending numbers", edges.type());
    const Array array = as_array(x);
    if (options.weights) require_one_for_each(*options.weights, array);
    return counted(row_of_floats(array), edges, options);
  });
}

}  // namespace tutti
