// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/require.hpp"
#include "tutti/functions/indexing/at.hpp"
#include "tutti/functions/indexing/index_items.hpp"
#include "tutti/functions/indexing/lookup.hpp"
#include "tutti/functions/indexing/region.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/gather.hpp"

namespace tutti {
namespace {

Where place_of(const std::vector<Index>& indices, Where otherwise = {}) {
  return indices.empty() ? otherwise : indices[0].where();
}

Array read(const Array& x, const std::vector<Index>& indices, IndexMode mode) {
  IndexItems items = index_items(indices, x.type());
  if (!looks_up(items)) return read_region(x, items);
  if (mode == IndexMode::clip)
    if (std::optional<Array> window = read_window(x, items)) return *window;
  Lookup lookup = lookup_of(items, x.shape());
  return gather(x, lookup.indices, lookup.dims, lookup.sizes,
                mode == IndexMode::clip ? GatherMode::clip : GatherMode::fill_or_drop);
}

Array combined(ScatterKind kind, const Array& x, const Array& updates) {
  switch (kind) {
    case ScatterKind::replace: return updates;
    case ScatterKind::add: return x + updates;
    case ScatterKind::multiply: return x * updates;
    case ScatterKind::min: return minimum(x, updates);
    case ScatterKind::max: return maximum(x, updates);
  }
  return updates;
}

Array scattered(ScatterKind kind, const Array& x, const Lookup& lookup, const Array& updates,
                const ScatterOptions& options) {
  auto by = [&](auto function) { return function(x, lookup.indices, updates, lookup.dims, options); };
  switch (kind) {
    case ScatterKind::replace: return by(scatter);
    case ScatterKind::add: return by(scatter_add);
    case ScatterKind::multiply: return by(scatter_multiply);
    case ScatterKind::min: return by(scatter_min);
    case ScatterKind::max: return by(scatter_max);
  }
  return x;
}

bool broadcasts_to(const Shape& to, const Shape& from) {
  int missing = to.rank() - from.rank();
  for (int i = 0; i < from.rank(); ++i)
    if (missing < 0 || (from[Dim{i}] != 1 && from[Dim{i}] != to[Dim{i + missing}])) return false;
  return missing >= 0;
}

/// The updates in the shape of x[indices].
Array spread(const Operand& updates, const Array& x, const Shape& shape) {
  Array values = as_array(updates, {x});
  require_same_dtype(x.type(), values.type());
  require(broadcasts_to(shape, values.shape()), Code::shape,
          "the updates are {}, the indices name elements of the shape [{}]; they do not broadcast to it",
          values.type(), shape);
  return broadcast_to(values, shape);
}

Array written(std::string_view name, ScatterKind kind, const Array& x, const std::vector<Index>& indices,
              const Operand& updates, const AtOptions& options) {
  return front_end(name, place_of(indices, updates.where()), [&] {
    require_taken(kind, x.type());
    IndexItems items = index_items(indices, x.type());
    if (!looks_up(items)) {
      Array values = spread(updates, x, region_shape(items));
      if (kind == ScatterKind::replace) return write_region(x, items, values);
      return write_region(x, items, combined(kind, read_region(x, items), values));
    }
    Lookup lookup = lookup_of(items, x.shape());
    bool clips = options.mode == IndexMode::clip;
    return scattered(kind, x, lookup, spread(updates, x, lookup.shape),
                     {.mode = clips ? GatherMode::clip : GatherMode::fill_or_drop,
                      .unique_indices = options.unique_indices});
  });
}

}  // namespace

Array Array::operator[](const Index& index) const { return (*this)[std::initializer_list<Index>{index}]; }

Array Array::operator[](std::initializer_list<Index> indices) const {
  std::vector<Index> listed(indices);
  if (!Builder::current_or_null() && data() != nullptr)
    throw Error(Code::trace, place_of(listed),
                "index: nothing is traced here; call it in a function that a machine compiles: auto run = "
                "machine.compile([](Array x) { return x[0]; }, x); Array y = run(x). Elements of a finished "
                "array are "
                "read by x.values<float>()[0]");
  return front_end("index", place_of(listed), [&] { return read(*this, listed, IndexMode::clip); });
}

At Array::at(const Index& index) const { return {*this, {index}}; }

At Array::at(std::initializer_list<Index> indices) const { return {*this, indices}; }

Array At::get(const AtOptions& options) const {
  return front_end("at.get", place_of(indices_),
                   [&] { return read(x_, indices_, options.mode.value_or(IndexMode::clip)); });
}

Array At::set(const Operand& updates, const AtOptions& options) const {
  return written("at.set", ScatterKind::replace, x_, indices_, updates, options);
}

Array At::add(const Operand& updates, const AtOptions& options) const {
  return written("at.add", ScatterKind::add, x_, indices_, updates, options);
}

Array At::multiply(const Operand& updates, const AtOptions& options) const {
  return written("at.multiply", ScatterKind::multiply, x_, indices_, updates, options);
}

Array At::min(const Operand& updates, const AtOptions& options) const {
  return written("at.min", ScatterKind::min, x_, indices_, updates, options);
}

Array At::max(const Operand& updates, const AtOptions& options) const {
  return written("at.max", ScatterKind::max, x_, indices_, updates, options);
}

}  // namespace tutti
