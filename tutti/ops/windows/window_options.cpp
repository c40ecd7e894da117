// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/window_options.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes each(const WindowsAlong& windows, std::int64_t WindowAlong::* member) {
  Sizes values;
  for (const WindowAlong& window : windows) values.push_back(window.*member);
  return values;
}

/// So large that no array has it, so small that products fit.
constexpr std::int64_t most = std::int64_t{1} << 29;

void require_positive(std::int64_t value, std::string_view what, std::size_t dim, const std::string& label) {
  require(1 <= value && value <= most, Code::shape, "{} {} along dim {}; it is at least 1, at most 2^29 ({})",
          what, value, dim, label);
}

Sizes filled(const Sizes& given, int rank, std::string_view what, const std::string& label) {
  if (given.empty()) return Sizes(static_cast<std::size_t>(rank), 1);
  require(static_cast<int>(given.size()) == rank, Code::dim, "{} {} for {} ({}); give one for each", what,
          bracketed(given), counted(rank, "dim"), label);
  return given;
}

}  // namespace

Parameters ops::parameters_of(const WindowsAlong& windows) {
  Parameters all{{"window", bracketed(each(windows, &WindowAlong::size))},
                 {"strides", bracketed(each(windows, &WindowAlong::stride))},
                 {"low", bracketed(each(windows, &WindowAlong::low))},
                 {"high", bracketed(each(windows, &WindowAlong::high))}};
  const auto add = [&](std::string_view name, std::int64_t WindowAlong::* member) {
    const Sizes values = each(windows, member);
    if (std::ranges::any_of(values, [](std::int64_t value) { return value != 1; }))
      all.emplace_back(name, bracketed(values));
  };
  add("base_dilation", &WindowAlong::base_dilation);
  add("window_dilation", &WindowAlong::window_dilation);
  return all;
}

void ops::require_windows(const WindowsAlong& windows, Type x, const std::string& label) {
  require(static_cast<int>(windows.size()) == x.rank(), Code::dim,
          "windows along {} for {}, which has {}; give a size for each ({}4)",
          counted(std::ssize(windows), "dim"), x, counted(x.rank(), "dim"), label);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const WindowAlong& window = windows[i];
    require_positive(window.size, "a window of", i, label + "5");
    require_positive(window.stride, "stride", i, label + "7");
    require_positive(window.base_dilation, "base dilation", i, label + "9");
    require_positive(window.window_dilation, "window dilation", i, label + "11");
    const auto is_small = [](std::int64_t pad) { return -2 * most <= pad && pad <= 2 * most; };
    require(is_small(window.low) && is_small(window.high), Code::shape,
            "padding {} and {} along dim {}; each is at most 2^30 ({}12)", window.low, window.high, i, label);
    const std::int64_t elements = x.shape().sizes()[i];
    require(static_cast<double>(elements) * static_cast<double>(window.base_dilation) < 0x1p58, Code::shape,
            "dim {} of {}, dilated by {}, is beyond 2^58 ({}9)", i, x, window.base_dilation, label);
    require(window.places(elements) >= 0, Code::shape,
            "padding {} and {} leave {} elements along dim {} of {}; take away less ({}12)", window.low,
            window.high, window.places(elements), i, x, label);
  }
}

Shape ops::shape_of_windows(const WindowsAlong& windows, const Shape& x) {
  Sizes sizes;
  for (std::size_t i = 0; i < windows.size(); ++i) sizes.push_back(windows[i].windows(x.sizes()[i]));
  return Shape(std::move(sizes));
}

WindowsAlong ops::with_batch_dim(const WindowsAlong& windows) {
  WindowsAlong all = windows;
  all.insert(all.begin(), WindowAlong{});
  return all;
}

WindowsAlong ops::windows_along(Type x, const Sizes& window, const ReduceWindowOptions& options) {
  require(static_cast<int>(window.size()) == x.rank(), Code::dim,
          "window {} for {}, which has {}; give a size for each (reduce_window_c4)", bracketed(window), x,
          counted(x.rank(), "dim"));
  const Sizes strides = filled(options.strides, x.rank(), "strides", "reduce_window_c6"),
              base = filled(options.base_dilation, x.rank(), "base_dilation", "reduce_window_c8"),
              dilation = filled(options.window_dilation, x.rank(), "window_dilation", "reduce_window_c10");
  WindowsAlong all;
  for (std::size_t i = 0; i < window.size(); ++i)
    all.push_back({window[i], strides[i], 0, 0, base[i], dilation[i]});
  require_windows(all, x, "reduce_window_c");
  Sizes places, extents;
  for (std::size_t i = 0; i < window.size(); ++i) {
    places.push_back(all[i].places(x.shape().sizes()[i]));
    extents.push_back(all[i].extent());
  }
  const auto pairs = options.padding.resolve(places, extents, strides, "reduce_window_c12");
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].low = pairs[i].low;
    all[i].high = pairs[i].high;
  }
  return all;
}

stablehlo::Attributes ops::window_attributes(const WindowsAlong& windows) {
  Sizes padding;
  for (const WindowAlong& window : windows) padding.insert(padding.end(), {window.low, window.high});
  return {{"window_dimensions", stablehlo::integers(each(windows, &WindowAlong::size))},
          {"window_strides", stablehlo::integers(each(windows, &WindowAlong::stride))},
          {"base_dilations", stablehlo::integers(each(windows, &WindowAlong::base_dilation))},
          {"window_dilations", stablehlo::integers(each(windows, &WindowAlong::window_dilation))},
          {"padding", stablehlo::dense_i64({std::ssize(windows), 2}, padding)}};
}

}  // namespace tutti
