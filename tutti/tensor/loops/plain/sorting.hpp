// SPDX-License-Identifier: Apache-2.0
// Sorting along one dim, and the largest elements along one. Elements become unsigned keys of the same order;
// long lines are sorted by the digits of their keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tutti/base/inside.hpp"
#include "tutti/tensor/loops/plain/scans.hpp"

namespace tutti {

/// Keys of one line: they lie `stride` elements apart.
struct SortKeys {
  const std::byte* keys;
  std::int64_t stride;
  DType dtype;
};

/// Sorts stably: order[k] = index of the k-th smallest line position. The first keys decide; equal ones leave
/// it to the next. There are order.size() keys of each. -0 and +0 are equal. NaNs of either sign are equal,
/// and come last.
/// `scratch` has sorting_scratch_bytes(order.size(), ..) bytes for keys of at most `key_bytes` bytes.
void sorted_order(std::span<std::int64_t> order, std::span<const SortKeys> keys, std::byte* scratch);
/// Sorts the lines of one array in the same order, where nothing else follows them. `scratch` is 64-byte
/// aligned and has sort_lines_scratch_bytes bytes.
void sort_lines(std::byte* to, const std::byte* from, const AlongDim& shape, DType dtype, std::byte* scratch);
std::size_t sort_lines_scratch_bytes(const AlongDim& shape, std::size_t element_bytes);
std::size_t sorting_scratch_bytes(std::int64_t n, std::size_t key_bytes);

/// The k largest elements along the dim, in descending order, and their indices in i32. Among equal elements
/// the first one comes first. NaNs of either sign are equal, and come first; +0 comes before -0. Not for
/// complex numbers.
/// The results are [outer, k, stride].
/// `scratch` has largest_elements_scratch_bytes bytes for elements of `element_bytes` bytes.
void largest_elements(std::byte* values, std::byte* indices, const std::byte* in, const AlongDim& shape,
                      std::int64_t k, DType dtype, std::byte* scratch);
std::size_t largest_elements_scratch_bytes(std::int64_t n, std::int64_t k, std::size_t element_bytes);

}  // namespace tutti
