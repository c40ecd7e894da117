// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/indexing/lookup.hpp"

#include <algorithm>
#include <limits>

#include "tutti/base/require.hpp"
#include "tutti/functions/indexing/region.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/indexing.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/reshape.hpp"

namespace tutti {
namespace {

using Kind = IndexItem::Kind;

bool is_window(const IndexItem& item) {
  return item.kind == Kind::range && (item.step == 1 || item.count <= 1);
}
/// As in NumPy, a number among array indices counts as one of them.
bool is_advanced(const IndexItem& item) { return item.kind == Kind::lookup || item.kind == Kind::number; }

DType dtype_for(const IndexItems& items, const Shape& x) {
  auto is_wide = [](const IndexItem& item) {
    if (item.kind != Kind::lookup) return false;
    DType dtype = item.rows.dtype();
    return bytes_per_element(dtype) == 8 || dtype == DType::u32;
  };
  bool is_far = std::ranges::any_of(x.sizes(), [](auto size) { return size >= most_numbered_by_i32; });
  return is_far || std::ranges::any_of(items, is_wide) ? DType::i64 : DType::i32;
}

/// The indices from 0 on, in `dtype`.
Array counted_in(const Array& rows, std::int64_t size, DType dtype) {
  if (rows.dtype() == DType::u64)
    return convert(minimum(rows, std::numeric_limits<std::int64_t>::max()), dtype);
  Array wide = convert(rows, dtype);
  if (is_unsigned(rows.dtype())) return wide;
  return from_the_start(wide, size);
}

bool adjoin(const IndexItems& items) {
  auto first = std::ranges::find_if(items, is_advanced);
  auto end = std::find_if_not(first, items.end(), is_advanced);
  return std::none_of(end, items.end(), is_advanced);
}

Shape shape_of_lookups(const IndexItems& items) {
  Shape shape;
  for (const IndexItem& item : items)
    if (item.kind == Kind::lookup) shape = broadcast_shape(shape, item.rows.shape());
  return shape;
}

/// Lays out the dims of x[items]. They are dims of windows, or of the table of indices, in which each item
/// with indices has its own place.
class Planner {
 public:
  Planner(const IndexItems& items, const Shape& x)
      : items_(items), x_(x), dtype_(dtype_for(items, x)), looked_up_(shape_of_lookups(items)) {}

  Lookup plan() {
    lay_out();
    Arrays components;
    Lookup lookup;
    for (const Placed& placed : placed_) {
      const IndexItem& item = *placed.item;
      bool windowed = is_window(item);
      lookup.sizes.push_back(windowed ? item.count : std::min<std::int64_t>(x_[item.dim], 1));
      if (!windowed) lookup.dims.collapsed_slice_dims.push_back(item.dim);
      if (windowed && item.start == 0) continue;  // windows start at 0 by themselves
      lookup.dims.start_index_map.push_back(item.dim);
      components.push_back(component(item, placed.at));
    }
    lookup.dims.offset_dims = windows_;
    lookup.dims.index_vector_dim = Dim{table_.rank()};
    lookup.indices = joined(components);
    lookup.shape = Shape(shape_);
    return lookup;
  }

 private:
  struct Placed {
    const IndexItem* item;
    int at;  // the first of its dims in the table
  };

  void lay_out() {
    bool adjoining = adjoin(items_), done = false;
    auto add_lookups = [&] {
      for (std::int64_t size : looked_up_.sizes()) add_to_table(size);
      done = true;
    };
    if (!adjoining) add_lookups();
    for (const IndexItem& item : items_) {
      if (is_advanced(item) && !done) {
        lookups_at_ = table_.rank();
        add_lookups();
      }
      if (item.takes_dim()) placed_.push_back({&item, is_advanced(item) ? lookups_at_ : table_.rank()});
      if (is_window(item)) {
        windows_.push_back(Dim{static_cast<int>(shape_.size())});
        shape_.push_back(item.count);
      } else if (item.kind == Kind::range || item.kind == Kind::new_dim) {
        add_to_table(item.count);
      }
    }
  }

  void add_to_table(std::int64_t size) {
    table_ = table_.inserted(Dim{table_.rank()}, size);
    shape_.push_back(size);
  }

  Array component(const IndexItem& item, int at) const {
    if (item.kind == Kind::lookup) {
      std::vector<int> dims;
      for (int i = 0; i < item.rows.rank(); ++i)
        dims.push_back(at + looked_up_.rank() - item.rows.rank() + i);
      Array rows = counted_in(item.rows, x_[item.dim], dtype_);
      return rows.shape() == table_ ? rows : broadcast_in_dim(rows, table_, dims);
    }
    if (item.kind == Kind::number || is_window(item))
      return broadcast_to(constant(as_scalar(item.start, dtype_)), table_);
    return iota(table_, dtype_, at) * item.step + item.start;
  }

  Array joined(const Arrays& components) const {
    if (components.size() == 1) return components[0];
    Arrays columns;
    for (const Array& component : components) columns.push_back(expand_dims(component, -1));
    return concatenate(columns, -1);
  }

  const IndexItems& items_;
  const Shape& x_;
  DType dtype_;
  Shape looked_up_;                  // what the array indices broadcast to
  int lookups_at_ = 0;               // the first of those dims in the table
  Shape table_;                      // of index vectors
  std::vector<std::int64_t> shape_;  // of x[items]
  Dims windows_;
  std::vector<Placed> placed_;
};

}  // namespace

Lookup lookup_of(const IndexItems& items, const Shape& x) { return Planner(items, x).plan(); }

std::optional<Array> read_window(const Array& x, const IndexItems& items) {
  auto is_scalar = [&](const IndexItem& item) {
    return item.kind == Kind::lookup && item.rows.rank() == 0 && x.shape()[item.dim] > 0;
  };
  bool is_one_window = std::ranges::all_of(items, [&](const IndexItem& item) {
    return !item.takes_dim() || item.kind == Kind::number || is_window(item) || is_scalar(item);
  });
  if (!is_one_window) return std::nullopt;
  DType dtype = dtype_for(items, x.shape());
  std::vector<Operand> starts;
  std::vector<std::int64_t> sizes;
  for (const IndexItem& item : items) {
    if (!item.takes_dim()) continue;
    if (item.kind == Kind::lookup) starts.push_back(counted_in(item.rows, x.shape()[item.dim], dtype));
    else starts.push_back(item.start);
    sizes.push_back(item.count);
  }
  return reshape(dynamic_slice(x, starts, sizes), region_shape(items));
}

}  // namespace tutti
