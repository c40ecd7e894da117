// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/odd_even_scan.hpp"

#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/slice.hpp"

namespace tutti {
namespace {

template <class F>
Arrays each(const Arrays& arrays, const F& f) {
  Arrays results;
  for (const Array& array : arrays) results.push_back(f(array));
  return results;
}

Arrays slices(const Arrays& arrays, Dim dim, std::int64_t start, std::int64_t limit, std::int64_t stride) {
  return each(arrays, [&](const Array& x) { return slice_in_dim(x, start, limit, stride, dim.index); });
}

// even[0], odd[0], even[1], .. There are as many of both, or one more of `even`.
Array interleaved(const Array& even, const Array& odd, Dim dim) {
  const std::int64_t pairs = odd.shape()[dim];
  const Array both = stack({slice_in_dim(even, 0, pairs, 1, dim.index), odd}, dim.index + 1);
  const Array joined = reshape(both, odd.shape().with(dim, 2 * pairs));
  if (even.shape()[dim] == pairs) return joined;
  return concatenate({joined, slice_in_dim(even, pairs, {}, 1, dim.index)}, dim.index);
}

Arrays scanned(const Combine& combine, const Arrays& elements, Dim dim) {
  const std::int64_t n = elements[0].shape()[dim], pairs = n / 2;
  if (n < 2) return elements;
  const Arrays first = slices(elements, dim, 0, n - 1, 2), second = slices(elements, dim, 1, n, 2);
  const Arrays odd = scanned(combine, combine(first, second), dim);
  Arrays even = slices(elements, dim, 0, 1, 1);
  if (n > 2) {
    const Arrays before = n % 2 == 0 ? slices(odd, dim, 0, pairs - 1, 1) : odd,
                 behind = slices(elements, dim, 2, n, 2), later = combine(before, behind);
    for (std::size_t i = 0; i < even.size(); ++i) even[i] = concatenate({even[i], later[i]}, dim.index);
  }
  Arrays results;
  for (std::size_t i = 0; i < even.size(); ++i) results.push_back(interleaved(even[i], odd[i], dim));
  return results;
}

}  // namespace

Arrays odd_even_scan(const Combine& combine, const Arrays& elements, Dim dim, Order order) {
  if (order == Order::forward) return scanned(combine, elements, dim);
  auto turned = [&](const Array& x) { return rev(x, dim.index); };
  return each(scanned(combine, each(elements, turned), dim), turned);
}

}  // namespace tutti
