// SPDX-License-Identifier: Apache-2.0
// Functions made of sorts. sort and argsort are in ops/sort.hpp, top_k in ops/top_k.hpp. Programs show the
// ops.
#pragma once

#include <cstdint>
#include <optional>

#include "tutti/ir/array.hpp"

namespace tutti {

/// numpy.lexsort: the indices, i32, that sort by several keys of one shape; the last key decides, equal
/// elements leave it to the one before. Throws T005 for no keys and keys of different shapes, T006, T007 for
/// complex numbers and more than 2^31 elements, T004.
Array lexsort(const Arrays& keys, int dim = -1, Where where = Where::here());

/// Options of unique and unique_counts.
struct UniqueOptions {
  std::optional<Number> fill = {};  // after the elements; none: the smallest one is repeated
};
/// jax.numpy.unique with `size`: the elements that differ, in ascending order; the first `size` of them. -0
/// and 0 are one, NaNs are one and last. x: [..] -> [size].
/// Throws T005 for a negative size, and for one without a fill where x has no elements; T007 for complex
/// numbers, T004.
Array unique(const Operand& x, std::int64_t size, const UniqueOptions& options = {});
/// The result of unique_counts: two arrays [size].
struct UniqueCounts {
  Array values, counts;
};
/// The same and how often each is there, in i32; the filled ones 0 times.
UniqueCounts unique_counts(const Operand& x, std::int64_t size, const UniqueOptions& options = {});

/// The side of equal elements on which searchsorted inserts a value.
enum class Side : std::uint8_t { left, right };
/// Options of searchsorted.
struct SearchOptions {
  Side side = Side::left;
};
/// numpy.searchsorted: where each value stands among sorted elements: how many are below it (left), or not
/// above it (right).
/// NaN is above all numbers. sorted: [n], values: [..] of its dtype -> [..] of i32.
/// Cost: log2(n) lookups. Throws T005 unless `sorted` has one dim, T007 if dtypes differ, are complex, and
/// for more than 2^31 - 1 elements, T004.
Array searchsorted(const Operand& sorted, const Operand& values, const SearchOptions& options = {});

/// Options of bincount.
struct BincountOptions {
  std::optional<Array> weights = {};  // of the shape of x; none: 1 each, in i32
};
/// jax.numpy.bincount with `length`: the sum of the weights of the elements that are 0, 1, .. length - 1.
/// Negative ones count as 0, larger ones do not count. x: [n] of integers or bools -> [length].
/// Throws T005, T007, T004.
Array bincount(const Operand& x, std::int64_t length, const BincountOptions& options = {});

/// The lowest and the highest edge of a histogram.
struct HistogramRange {
  double low, high;
};
/// Options of histogram.
struct HistogramOptions {
  std::optional<HistogramRange> range = {};  // none: from the smallest to the largest element
  std::optional<Array> weights = {};         // of the shape of x; none: 1 each
  bool density = false;                      // divided by the widths and the sum
};
/// The result of histogram: counts [bins], edges [bins + 1].
struct Histogram {
  Array counts, edges;
};
/// jax.numpy.histogram: how many elements are in each of `bins` bins of equal width, and the bins + 1 edges.
/// The last bin has its upper edge. Counts and edges have the dtype of x; of integers and bools f32. x: [..]
/// -> [bins], [bins + 1].
/// Edges are computed in f64 and rounded once.
/// Throws T005 for no bins, and without a range for no elements; T015 for a range that ends below its start;
/// T007, T004.
Histogram histogram(const Operand& x, std::int64_t bins = 10, const HistogramOptions& options = {});
/// The same with ascending edges. edges: [bins + 1], of the dtype of x.
Histogram histogram(const Operand& x, const Array& edges, const HistogramOptions& options = {});

}  // namespace tutti
