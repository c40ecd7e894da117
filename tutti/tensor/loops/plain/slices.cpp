// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/loops/plain/slices.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "tutti/base/require.hpp"
#include "tutti/tensor/loops/elementwise.hpp"

namespace tutti {
namespace {

/// Block and first row on the side where slices are disjoint.
std::pair<std::int64_t, std::int64_t> place(const RowSlice& slice, Disjoint side) {
  return side == Disjoint::sources ? std::pair(slice.source, slice.from) : std::pair(slice.target, slice.to);
}

/// True if `size` rows from `first` on lie in a block of `rows`. No sum can overflow.
bool lies_in(std::int64_t first, std::int64_t size, std::int64_t rows) {
  return first >= 0 && first <= rows && size <= rows - first;
}

}  // namespace

std::optional<WrongSlice> wrong_slice(std::span<const RowSlice> slices, std::int64_t source_rows,
                                      std::int64_t target_rows, Disjoint disjoint) {
  using Fault = WrongSlice::Fault;
  std::vector<std::size_t> order;  // of those with rows
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const RowSlice& slice = slices[i];
    if (slice.size < 0) return WrongSlice{Fault::size, i};
    if (!lies_in(slice.from, slice.size, source_rows)) return WrongSlice{Fault::from, i};
    if (!lies_in(slice.to, slice.size, target_rows)) return WrongSlice{Fault::to, i};
    if (slice.size > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return place(slices[i], disjoint); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    auto [block, first] = place(slices[order[i]], disjoint);
    auto [block_before, first_before] = place(slices[order[i - 1]], disjoint);
    if (block == block_before && first < first_before + slices[order[i - 1]].size)
      return WrongSlice{Fault::overlap, std::min(order[i - 1], order[i]), std::max(order[i - 1], order[i])};
  }
  return std::nullopt;
}

void replace_slices(const RowArrays& rows, const std::byte* before, std::vector<RowSlice> slices,
                    std::size_t element_bytes) {
  const std::size_t row_bytes = static_cast<std::size_t>(rows.row_elements) * element_bytes;
  auto bytes = [&](std::int64_t count) { return static_cast<std::size_t>(count) * row_bytes; };
  std::ranges::stable_sort(slices, {},
                           [](const RowSlice& slice) { return std::pair(slice.target, slice.to); });
  std::int64_t done = 0;  // rows of the target that are complete
  auto keep_until = [&](std::int64_t row) {
    if (before != rows.target && row > done)
      std::memcpy(rows.target + bytes(done), before + bytes(done), bytes(row - done));
    done = std::max(done, row);
  };
  for (const RowSlice& slice : slices) {
    if (slice.size == 0 || row_bytes == 0) continue;
    std::int64_t to = slice.target * rows.target_rows + slice.to;
    std::int64_t from = slice.source * rows.source_rows + slice.from;
    keep_until(to);
    std::memcpy(rows.target + bytes(to), rows.source + bytes(from), bytes(slice.size));
    done = to + slice.size;
  }
  if (row_bytes > 0) keep_until(rows.target_blocks * rows.target_rows);
}

void add_slices(const RowArrays& rows, const std::byte* before, std::span<const RowSlice> slices,
                DType dtype) {
  ensure(!is_half(dtype), "slices of {} are added in f32", name(dtype));
  const std::int64_t row_bytes = rows.row_elements * static_cast<std::int64_t>(bytes_per_element(dtype));
  const std::int64_t all = rows.target_blocks * rows.target_rows * row_bytes;
  if (all == 0) return;
  if (before != rows.target) std::memcpy(rows.target, before, static_cast<std::size_t>(all));
  ElementwiseKernel add = binary_kernel(BinaryFn::add, dtype, Stride::dense, Stride::dense);
  for (const RowSlice& slice : slices) {
    if (slice.size == 0) continue;
    std::byte* to = rows.target + (slice.target * rows.target_rows + slice.to) * row_bytes;
    const std::byte* from = rows.source + (slice.source * rows.source_rows + slice.from) * row_bytes;
    const std::byte* const terms[] = {to, from};
    add(to, terms, slice.size * rows.row_elements);
  }
}

}  // namespace tutti
