// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/shaping.hpp"

#include <algorithm>
#include <numeric>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/functions/numbers/elementary.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/dynamic_slice.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/take_from_the_start.hpp"
#include "tutti/ops/transpose.hpp"

namespace tutti {
namespace {

using Counts = std::vector<std::int64_t>;

void require_each_once(const Dims& dims, const Type& x) {
  for (auto it = dims.begin(); it != dims.end(); ++it)
    require(std::find(dims.begin(), it, *it) == it, Code::dim,
            "dim {} of {} is named twice; name each dim once", it->index, x);
}

Array without(const Array& x, const Dims& dims) {
  Shape shape = x.shape();
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) shape = shape.erased(*dim);
  return reshape(x, shape);
}

Array rolled(const Array& x, std::int64_t shift, Dim dim) {
  std::int64_t size = x.shape()[dim];
  if (size == 0 || shift % size == 0) return x;
  std::int64_t first = (size - shift % size) % size;
  Array back = slice_in_dim(x, first, {}, 1, dim.index);
  Array front = slice_in_dim(x, 0, first, 1, dim.index);
  return concatenate({back, front}, dim.index);
}

void require_shift(const Array& shift) {
  require(is_integer(shift.dtype()), Code::dtype, "the shift is {}; convert it: convert(shift, DType::i32)",
          shift.type());
  require(shift.rank() == 0, Code::shape, "the shift is {}; it is a scalar: take one with shift[i]",
          shift.type());
}

// A window as large as x in two copies of x.
Array rolled(const Array& x, const Array& shift, Dim dim) {
  std::int64_t size = x.shape()[dim];
  if (size == 0) return x;
  Array wide =
      shift.dtype() == DType::u64 ? shift : convert(shift, DType::i64);  // i64 does not hold all of u64
  Array start = size - convert(mod(wide, size), DType::i64);
  Array twice = concatenate({x, x}, dim.index);
  return dynamic_slice_in_dim(twice, start, size, dim.index);
}

void require_counts(const Counts& times) {
  for (std::int64_t n : times) require(n >= 0, Code::shape, "{} times; a number of times is at least 0", n);
}

Array repeated(const Array& x, std::int64_t times, Dim dim) {
  if (times == 1) return x;
  Array spread = insert_dim(x, Dim{dim.index + 1}, times);
  return reshape(spread, x.type().scaled(dim, times).shape());
}

// Neighbours that are repeated equally often.
struct Run {
  std::int64_t first, last, times;
};

std::vector<Run> runs_of(const Counts& times) {
  std::vector<Run> runs;
  for (std::int64_t i = 0; i < std::ssize(times); ++i) {
    std::int64_t n = times[static_cast<std::size_t>(i)];
    if (runs.empty() || runs.back().times != n) runs.push_back({i, i, n});
    runs.back().last = i + 1;
  }
  return runs;
}

// So many slices cost more than indices do.
constexpr std::size_t most_runs = 64;

Array taken(const Array& x, const Counts& times, Dim dim) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < std::ssize(times); ++i)
    rows.insert(rows.end(), static_cast<std::size_t>(times[static_cast<std::size_t>(i)]), i);
  Shape shape{std::ssize(rows)};
  return take_from_the_start(x, constant(Tensor(shape, rows)), dim);
}

Array repeated(const Array& x, const Counts& times, Dim dim) {
  std::vector<Run> runs = runs_of(times);
  if (runs.size() > most_runs) return taken(x, times, dim);
  Arrays parts;
  for (const Run& run : runs)
    if (run.times > 0)
      parts.push_back(repeated(slice_in_dim(x, run.first, run.last, 1, dim.index), run.times, dim));
  return parts.empty() ? slice_in_dim(x, 0, 0, 1, dim.index) : concatenate(parts, dim.index);
}

}  // namespace

Array squeeze(const Operand& x) {
  return front_end("squeeze", x.where(), [&] {
    Array array = as_array(x);
    Dims ones;
    for (Dim dim : dims_of(array.rank()))
      if (array.shape()[dim] == 1) ones.push_back(dim);
    return without(array, ones);
  });
}

Array squeeze(const Operand& x, const WhichDims& dims) {
  return front_end("squeeze", x.where(), [&] {
    Array array = as_array(x);
    Dims gone = dims.resolve(array.type());
    require_each_once(gone, array.type());
    for (Dim dim : gone)
      require(array.shape()[dim] == 1, Code::shape,
              "dim {} of {} has {}; only a dim of size 1 can go. Select one with index_in_dim", dim.index,
              array.type(), counted(array.shape()[dim], "element"));
    return without(array, gone);
  });
}

Array swapaxes(const Operand& x, int dim1, int dim2) {
  return front_end("swapaxes", x.where(), [&] {
    Array array = as_array(x);
    std::vector<int> order(static_cast<std::size_t>(array.rank()));
    std::iota(order.begin(), order.end(), 0);
    auto a = static_cast<std::size_t>(as_dim(dim1, array.type()).index);
    auto b = static_cast<std::size_t>(as_dim(dim2, array.type()).index);
    std::swap(order[a], order[b]);
    return transpose(array, order);
  });
}

Array moveaxis(const Operand& x, int from, int to) { return moveaxis(x, std::vector{from}, std::vector{to}); }

Array moveaxis(const Operand& x, const std::vector<int>& from, const std::vector<int>& to) {
  return front_end("moveaxis", x.where(), [&] {
    Array array = as_array(x);
    Dims sources = as_dims(from, array.type()), places = as_dims(to, array.type());
    require(from.size() == to.size(), Code::dim, "{} to move, {} to move to; give a place to each",
            counted(std::ssize(from), "dim"), counted(std::ssize(to), "place"));
    require_each_once(sources, array.type());
    require_each_once(places, array.type());
    std::vector<int> order(static_cast<std::size_t>(array.rank()));
    Dims stay = other_dims(array.rank(), sources), free = other_dims(array.rank(), places);
    for (std::size_t i = 0; i < stay.size(); ++i)
      order[static_cast<std::size_t>(free[i].index)] = stay[i].index;
    for (std::size_t i = 0; i < sources.size(); ++i)
      order[static_cast<std::size_t>(places[i].index)] = sources[i].index;
    return transpose(array, order);
  });
}

Array flip(const Operand& x, const WhichDims& dims) {
  return front_end("flip", x.where(), [&] {
    Array array = as_array(x);
    require_each_once(dims.resolve(array.type()), array.type());
    return rev(array, dims);
  });
}

Array roll(const Operand& x, std::int64_t shift) {
  return front_end("roll", x.where(), [&] {
    Array array = as_array(x);
    return reshape(rolled(reshape(array, {-1}), shift, Dim{0}), array.shape());
  });
}

Array roll(const Operand& x, std::int64_t shift, const WhichDims& dims) {
  return front_end("roll", x.where(), [&] {
    Array array = as_array(x);
    for (Dim dim : dims.resolve(array.type())) array = rolled(array, shift, dim);
    return array;
  });
}

Array roll(const Operand& x, const Array& shift) {
  return front_end("roll", x.where(), [&] {
    require_shift(shift);
    Array array = as_array(x);
    return reshape(rolled(reshape(array, {-1}), shift, Dim{0}), array.shape());
  });
}

Array roll(const Operand& x, const Array& shift, const WhichDims& dims) {
  return front_end("roll", x.where(), [&] {
    require_shift(shift);
    Array array = as_array(x);
    for (Dim dim : dims.resolve(array.type())) array = rolled(array, shift, dim);
    return array;
  });
}

Array roll(const Operand& x, const std::vector<std::int64_t>& shifts, const std::vector<int>& dims) {
  return front_end("roll", x.where(), [&] {
    Array array = as_array(x);
    require(shifts.size() == dims.size(), Code::dim, "{} and {}; give a shift for each dim",
            counted(std::ssize(shifts), "shift"), counted(std::ssize(dims), "dim"));
    Dims along = as_dims(dims, array.type());
    for (std::size_t i = 0; i < shifts.size(); ++i) array = rolled(array, shifts[i], along[i]);
    return array;
  });
}

// [a, b] -> [1, a, 1, b] repeated -> [m, a, n, b] -> [m a, n b].
Array tile(const Operand& x, const std::vector<std::int64_t>& times) {
  return front_end("tile", x.where(), [&] {
    Array array = as_array(x);
    require_counts(times);
    auto rank = std::max(static_cast<std::size_t>(array.rank()), times.size());
    Counts sizes(array.shape().begin(), array.shape().end()), counts(times);
    sizes.insert(sizes.begin(), rank - sizes.size(), 1);
    counts.insert(counts.begin(), rank - counts.size(), 1);
    if (std::ranges::all_of(counts, [](std::int64_t n) { return n == 1; }))
      return reshape(array, Shape(sizes));
    Counts spread;
    std::vector<int> places;
    for (std::size_t i = 0; i < rank; ++i) {
      spread.insert(spread.end(), {counts[i], sizes[i]});
      places.push_back(static_cast<int>(2 * i + 1));
    }
    Array copies = broadcast_in_dim(reshape(array, Shape(sizes)), Shape(spread), places);
    for (std::size_t i = 0; i < rank; ++i) sizes[i] *= counts[i];
    return reshape(copies, Shape(sizes));
  });
}

Array tile(const Operand& x, std::int64_t times) { return tile(x, std::vector{times}); }

Array repeat(const Operand& x, std::int64_t times, std::optional<int> dim) {
  return front_end("repeat", x.where(), [&] {
    Array array = as_array(x);
    require_counts({times});
    if (!dim) return repeated(reshape(array, {-1}), times, Dim{0});
    return repeated(array, times, as_dim(*dim, array.type()));
  });
}

Array repeat(const Operand& x, const std::vector<std::int64_t>& times, std::optional<int> dim) {
  return front_end("repeat", x.where(), [&] {
    Array array = as_array(x);
    if (!dim) array = reshape(array, {-1});
    Dim along = as_dim(dim.value_or(0), array.type());
    require_counts(times);
    require(std::ssize(times) == array.shape()[along], Code::shape,
            "{} for the {} of dim {} of {}; give one each", counted(std::ssize(times), "number"),
            counted(array.shape()[along], "element"), along.index, array.type());
    return repeated(array, times, along);
  });
}

Arrays broadcast_arrays(const Arrays& arrays, Where where) {
  return front_end("broadcast_arrays", where, [&] {
    Shape shape;
    for (const Array& x : arrays) shape = broadcast_shape(shape, x.shape());
    Arrays result;
    for (const Array& x : arrays) result.push_back(broadcast_to(x, shape));
    return result;
  });
}

Array atleast_1d(const Operand& x) {
  return front_end("atleast_1d", x.where(), [&] {
    Array array = as_array(x);
    return array.rank() == 0 ? reshape(array, {1}) : array;
  });
}

Array atleast_2d(const Operand& x) {
  return front_end("atleast_2d", x.where(), [&] {
    Array array = as_array(x);
    return array.rank() < 2 ? reshape(array, {1, -1}) : array;
  });
}

}  // namespace tutti
