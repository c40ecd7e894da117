// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/odd_even_scan.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/ops/apply.hpp"
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
  Array joined = reshape(both, odd.shape().with(dim, 2 * pairs));
  if (even.shape()[dim] == pairs) return joined;
  return concatenate({joined, slice_in_dim(even, pairs, {}, 1, dim.index)}, dim.index);
}

// The results at even places. The first is elements[0]. Result 2i combines the result at 2i - 1, which is
// odd[i - 1], with element 2i.
Arrays even_results(const Combine& combine, const Arrays& elements, const Arrays& odd,
                    const OddEvenScan& scan) {
  const std::int64_t n = elements[0].shape()[scan.dim], pairs = n / 2;
  auto part = [&](const Arrays& arrays, std::int64_t start, std::int64_t limit, std::int64_t stride) {
    return front_end(scan.name, scan.where, [&] { return slices(arrays, scan.dim, start, limit, stride); });
  };
  Arrays even = part(elements, 0, 1, 1);
  if (n == 2) return even;
  const Arrays before = n % 2 == 0 ? part(odd, 0, pairs - 1, 1) : odd, behind = part(elements, 2, n, 2),
               later = combine(before, behind);
  return front_end(scan.name, scan.where, [&] {
    for (std::size_t i = 0; i < even.size(); ++i) even[i] = concatenate({even[i], later[i]}, scan.dim.index);
    return even;
  });
}

Arrays scanned(const Combine& combine, const Arrays& elements, const OddEvenScan& scan) {
  const std::int64_t n = elements[0].shape()[scan.dim];
  if (n < 2) return elements;
  auto every_second = [&](std::int64_t start, std::int64_t limit) {
    return front_end(scan.name, scan.where, [&] { return slices(elements, scan.dim, start, limit, 2); });
  };
  const Arrays first = every_second(0, n - 1), second = every_second(1, n);
  const Arrays odd = scanned(combine, combine(first, second), scan);
  const Arrays even = even_results(combine, elements, odd, scan);
  return front_end(scan.name, scan.where, [&] {
    Arrays results;
    for (std::size_t i = 0; i < even.size(); ++i) results.push_back(interleaved(even[i], odd[i], scan.dim));
    return results;
  });
}

}  // namespace

Arrays ops::odd_even_scan(const Combine& combine, const Arrays& elements, const OddEvenScan& scan) {
  if (scan.order == Order::forward) return scanned(combine, elements, scan);
  auto turned = [&](const Arrays& arrays) {
    return front_end(scan.name, scan.where,
                     [&] { return each(arrays, [&](const Array& x) { return rev(x, scan.dim.index); }); });
  };
  const Arrays backward = turned(elements);
  return turned(scanned(combine, backward, scan));
}

}  // namespace tutti
