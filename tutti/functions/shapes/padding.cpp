// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/shapes/padding.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/functions/folds/quantiles.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/functions/shapes/making.hpp"
#include "tutti/functions/shapes/shaping.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/concatenate.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/slice.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zeros_of.hpp"

namespace tutti {
namespace {

enum class End { front, back };

// `n` elements at one end of a dim, without the outermost `skipped` ones.
Array at_end(const Array& x, Dim dim, End end, std::int64_t n, std::int64_t skipped = 0) {
  std::int64_t start = end == End::front ? skipped : x.shape()[dim] - n - skipped;
  return slice_in_dim(x, start, start + n, 1, dim.index);
}

// The blocks that lie beyond one end, from there on outwards: each is the one before, mirrored.
Arrays mirrored(const Array& x, Dim dim, End end, std::int64_t width, std::int64_t skipped, bool odd) {
  // The end of a mirrored block at which its neighbour lies.
  End inner = end == End::front ? End::back : End::front;
  Array block = x;
  Arrays blocks;
  while (width > 0) {
    std::int64_t n = std::min(width, x.shape()[dim] - skipped);
    Array edge = at_end(block, dim, end, 1);
    block = rev(block, dim.index);
    if (odd) block = broadcast_to(edge * 2, block.shape()) - block;
    blocks.push_back(at_end(block, dim, inner, n, skipped));
    width -= n;
  }
  return blocks;
}

Array padded_by_mirrors(const Array& x, Dim dim, const Padding& width, std::int64_t skipped, bool odd) {
  if (x.shape()[dim] == 1) skipped = 0;
  Arrays parts = mirrored(x, dim, End::front, width.low, skipped, odd);
  std::ranges::reverse(parts);
  parts.push_back(x);
  for (const Array& block : mirrored(x, dim, End::back, width.high, skipped, odd)) parts.push_back(block);
  return concatenate(parts, dim.index);
}

Array wrapped(const Array& x, Dim dim, const Padding& width) {
  std::int64_t size = x.shape()[dim];
  Arrays parts;
  if (width.low % size > 0) parts.push_back(at_end(x, dim, End::back, width.low % size));
  std::vector<std::int64_t> times(static_cast<std::size_t>(x.rank()), 1);
  times[static_cast<std::size_t>(dim.index)] = width.low / size + 1 + width.high / size;
  parts.push_back(tile(x, times));
  if (width.high % size > 0) parts.push_back(at_end(x, dim, End::front, width.high % size));
  return concatenate(parts, dim.index);
}

// One slice repeated before x, another one after it.
Array between(const Array& front, const Array& x, const Array& back, Dim dim, const Padding& width) {
  Arrays parts;
  if (width.low > 0) parts.push_back(repeat(front, width.low, dim.index));
  parts.push_back(x);
  if (width.high > 0) parts.push_back(repeat(back, width.high, dim.index));
  return concatenate(parts, dim.index);
}

Array middle(const Array& x, Dim dim, PadMode mode) {
  return mode == PadMode::mean ? mean(x, dim.index) : median(x, dim.index);
}

Array rounded_middle(const Array& x, Dim dim, PadMode mode) {
  if (is_inexact(x.dtype())) return middle(x, dim, mode);
  DType computed = bytes_per_element(x.dtype()) >= 4 ? DType::f64 : DType::f32;
  return convert(round(middle(convert(x, computed), dim, mode)), x.dtype());
}

Array statistic(const Array& x, Dim dim, PadMode mode) {
  Array one = mode == PadMode::maximum   ? reduce_max(x, dim.index)
              : mode == PadMode::minimum ? reduce_min(x, dim.index)
                                         : rounded_middle(x, dim, mode);
  return expand_dims(one, dim.index);
}

Array with_statistics(const Array& x, Dim dim, const Padding& width, PadMode mode,
                      const PadOptions& options) {
  std::int64_t size = x.shape()[dim], n = std::min(options.stat_length.value_or(size), size);
  require(n > 0, Code::shape, "stat_length {} leaves no element; it is at least 1", n);
  Array front = statistic(at_end(x, dim, End::front, n), dim, mode);
  Array back = n == size ? front : statistic(at_end(x, dim, End::back, n), dim, mode);
  return between(front, x, back, dim, width);
}

Array with_ramps(const Array& x, Dim dim, const Padding& width, const PadOptions& options) {
  Array end = constant(as_scalar(options.end_value.value_or(std::int64_t{0}), x.dtype()));
  auto ramp = [&](End at, std::int64_t n) {
    Array edge = squeeze(at_end(x, dim, at, 1), dim.index);
    return linspace(end, edge, n, x.dtype(), {.endpoint = false, .dim = dim.index});
  };
  Arrays parts;
  if (width.low > 0) parts.push_back(ramp(End::front, width.low));
  parts.push_back(x);
  if (width.high > 0) parts.push_back(rev(ramp(End::back, width.high), dim.index));
  return concatenate(parts, dim.index);
}

Array padded(const Array& x, Dim dim, const Padding& width, PadMode mode, const PadOptions& options) {
  require(x.shape()[dim] > 0, Code::shape,
          "dim {} of {} has no element to pad with; pad with a value: PadMode::constant", dim.index,
          x.type());
  switch (mode) {
    case PadMode::constant:
    case PadMode::empty: break;  // all dims at once
    case PadMode::edge: {
      Array front = at_end(x, dim, End::front, 1);
      return between(front, x, at_end(x, dim, End::back, 1), dim, width);
    }
    case PadMode::reflect: return padded_by_mirrors(x, dim, width, 1, options.odd);
    case PadMode::symmetric: return padded_by_mirrors(x, dim, width, 0, options.odd);
    case PadMode::wrap: return wrapped(x, dim, width);
    case PadMode::linear_ramp: return with_ramps(x, dim, width, options);
    case PadMode::maximum:
    case PadMode::minimum:
    case PadMode::mean:
    case PadMode::median: return with_statistics(x, dim, width, mode, options);
  }
  return x;
}

std::string_view name(PadMode mode) {
  switch (mode) {
    case PadMode::constant: return "constant";
    case PadMode::edge: return "edge";
    case PadMode::reflect: return "reflect";
    case PadMode::symmetric: return "symmetric";
    case PadMode::wrap: return "wrap";
    case PadMode::linear_ramp: return "linear_ramp";
    case PadMode::maximum: return "maximum";
    case PadMode::minimum: return "minimum";
    case PadMode::mean: return "mean";
    case PadMode::median: return "median";
    case PadMode::empty: return "empty";
  }
  return {};
}

void require_options_of(PadMode mode, const PadOptions& options) {
  using enum PadMode;
  auto require_mode = [&](bool is_given, std::string_view option, const std::vector<PadMode>& modes) {
    std::string names;
    for (PadMode each : modes) names += (names.empty() ? "" : ", ") + std::string(name(each));
    require(!is_given || std::ranges::find(modes, mode) != modes.end(), Code::shape,
            "{} beside PadMode::{}, which does not use it; leave it out, or take a mode that does: {}",
            option, name(mode), names);
  };
  require_mode(options.constant_value.has_value(), "constant_value", {constant});
  require_mode(options.end_value.has_value(), "end_value", {linear_ramp});
  require_mode(options.stat_length.has_value(), "stat_length", {maximum, minimum, mean, median});
  require_mode(options.odd, "odd", {reflect, symmetric});
}

Array padded_by_value(const Array& x, const std::vector<Padding>& widths,
                      const std::optional<Number>& value) {
  bool is_wide = std::ranges::any_of(widths, [](const Padding& dim) { return dim.low > 0 || dim.high > 0; });
  if (!is_wide) return x;
  return pad(x, value ? constant(as_scalar(*value, x.dtype())) : zeros_of(x.type().with(Shape{})), widths);
}

}  // namespace

std::vector<Padding> PadWidths::resolve(Type x) const {
  std::vector<Padding> widths = widths_;
  if (widths.size() == 1) widths.resize(static_cast<std::size_t>(x.rank()), widths_[0]);
  require(static_cast<int>(widths.size()) == x.rank(), Code::dim,
          "{} for the {} of {}; give one for each, or one for all", counted(std::ssize(widths), "width"),
          counted(x.rank(), "dim"), x);
  for (const Padding& dim : widths) {
    require(dim.low >= 0 && dim.high >= 0, Code::shape,
            "width {{{}, {}}}; it is at least 0. To leave elements out: slice_in_dim", dim.low, dim.high);
    require(dim.interior == 0, Code::shape,
            "interior {} in a mode; between elements stands a value: pad(x, value, padding)", dim.interior);
  }
  return widths;
}

Array pad(const Operand& x, const PadWidths& widths, PadMode mode, const PadOptions& options) {
  return front_end(Pad::name, x.where(), [&] {
    Array array = as_array(x);
    std::vector<Padding> of_dims = widths.resolve(array.type());
    require_options_of(mode, options);
    if (mode == PadMode::constant) return padded_by_value(array, of_dims, options.constant_value);
    if (mode == PadMode::empty) return padded_by_value(array, of_dims, {});
    for (Dim dim : dims_of(array.rank())) {
      const Padding& width = of_dims[static_cast<std::size_t>(dim.index)];
      if (width.low > 0 || width.high > 0) array = padded(array, dim, width, mode, options);
    }
    return array;
  });
}

}  // namespace tutti
