// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/indexing/region.hpp"

#include <algorithm>
#include <cstdlib>

#include "tutti/ops/constant.hpp"
#include "tutti/ops/dynamic_update_slice.hpp"
#include "tutti/ops/pad.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

/// The box in the array's own order: from `start`, before `limit`; then turned around along `reversed`.
struct Box {
  SliceOptions of;
  Dims reversed;
  std::vector<std::int64_t> sizes;

  Shape shape() const { return Shape(sizes); }
  bool is_dense() const { return std::ranges::count(of.stride, 1) == std::ssize(of.stride); }
};

Box box_of(const IndexItems& items) {
  Box box;
  for (const IndexItem& item : items) {
    if (!item.takes_dim()) continue;
    std::int64_t beyond =
        std::max<std::int64_t>(item.count - 1, 0) * item.step;  // from the first to the last
    std::int64_t start = std::min(item.start, item.start + beyond), stride = std::abs(item.step);
    box.of.start.push_back(start);
    box.of.limit.push_back(item.count == 0 ? start : start + std::abs(beyond) + 1);
    box.of.stride.push_back(item.count <= 1 ? 1 : stride);
    if (item.step < 0 && item.count > 1) box.reversed.push_back(item.dim);
    box.sizes.push_back(item.count);
  }
  return box;
}

Array turned(const Array& x, const Dims& dims) { return dims.empty() ? x : rev(x, dims); }

/// Where a dim has no index in i32, in i64.
Operand start_at(std::int64_t start) {
  return start < most_numbered_by_i32 ? Operand(start) : Operand(constant(start));
}

/// `box` with gaps, in an array like x.
Array spread(const Array& box, const Array& value, const SliceOptions& of, const Shape& x) {
  std::vector<Padding> padding;
  for (std::size_t i = 0; i < of.start.size(); ++i)
    padding.push_back({of.start[i], x.sizes()[i] - of.limit[i], of.stride[i] - 1});
  return pad(box, value, padding);
}

}  // namespace

Shape region_shape(const IndexItems& items) {
  std::vector<std::int64_t> sizes;
  for (const IndexItem& item : items) {
    if (item.kind == IndexItem::Kind::range) sizes.push_back(item.count);
    if (item.kind == IndexItem::Kind::new_dim) sizes.push_back(1);
  }
  return Shape(std::move(sizes));
}

Array read_region(const Array& x, const IndexItems& items) {
  Box box = box_of(items);
  return reshape(turned(slice_in_dims(x, box.of), box.reversed), region_shape(items));
}

Array write_region(const Array& x, const IndexItems& items, const Array& updates) {
  Box box = box_of(items);
  if (updates.type().elements() == 0) return x;
  Array values = turned(reshape(updates, box.shape()), box.reversed);
  if (box.is_dense() && box.shape() == x.shape()) return values;
  if (box.is_dense()) {
    std::vector<Operand> starts;
    for (std::int64_t start : box.of.start) starts.push_back(start_at(start));
    return dynamic_update_slice(x, values, starts);
  }
  Array everywhere = ones(box.shape(), DType::boolean), outside = constant(false);
  Array is_inside = spread(everywhere, outside, box.of, x.shape());
  Array between = zeros_of(values.type().with(Shape{}));
  return select(is_inside, spread(values, between, box.of, x.shape()), x);
}

}  // namespace tutti
