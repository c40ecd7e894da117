// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/windows/convolution_shape.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <cstring>

namespace tutti {
namespace {

std::int64_t rounded_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Strides of a dense array; `inner`: the innermost dim, `middle` the next one.
ConvolutionDims dense(const ConvolutionDims& sizes, std::int64_t ConvolutionDims::* inner,
                      std::int64_t ConvolutionDims::* middle, std::int64_t ConvolutionDims::* outermost) {
  ConvolutionDims strides;
  strides.*inner = 1;
  strides.*middle = sizes.*inner;
  std::int64_t next = sizes.*inner * sizes.*middle;
  strides.spatial.resize(sizes.spatial.size());
  for (std::size_t i = sizes.spatial.size(); i-- > 0; next *= sizes.spatial[i]) strides.spatial[i] = next;
  strides.*outermost = next;
  return strides;
}

template <class SizeOf>
ConvolutionDims sizes(const ConvolutionShape& shape, std::int64_t outer, std::int64_t feature,
                      const SizeOf& size_of) {
  ConvolutionDims sizes{shape.groups, outer, feature, {}};
  for (const auto& window : shape.windows) sizes.spatial.push_back(size_of(window));
  return sizes;
}

}  // namespace

std::int64_t ConvolutionDims::elements() const {
  std::int64_t product = group * outer * feature;
  for (std::int64_t size : spatial) product *= size;
  return product;
}

ConvolutionDims ConvolutionShape::input_sizes() const {
  return sizes(*this, batch, in_features, [](const Window& window) { return window.in; });
}

ConvolutionDims ConvolutionShape::kernel_sizes() const {
  return sizes(*this, out_features, in_features, [](const Window& window) { return window.kernel; });
}

ConvolutionDims ConvolutionShape::result_sizes() const {
  return sizes(*this, batch, out_features, [](const Window& window) { return window.out; });
}

double ConvolutionShape::multiplications() const {
  double product = static_cast<double>(result_sizes().elements()) * static_cast<double>(in_features);
  for (const Window& window : windows) product *= static_cast<double>(window.kernel);
  return product;
}

ConvolutionDims features_last(const ConvolutionDims& sizes) {
  return dense(sizes, &ConvolutionDims::feature, &ConvolutionDims::group, &ConvolutionDims::outer);
}

ConvolutionDims outer_last(const ConvolutionDims& sizes) {
  return dense(sizes, &ConvolutionDims::outer, &ConvolutionDims::group, &ConvolutionDims::feature);
}

ConvolutionDims matrices_by_group(const ConvolutionDims& sizes) {
  return dense(sizes, &ConvolutionDims::outer, &ConvolutionDims::feature, &ConvolutionDims::group);
}

bool lie_equally(const ConvolutionDims& sizes, const ConvolutionDims& a, const ConvolutionDims& b) {
  const auto is_equal = [](std::int64_t size, std::int64_t x, std::int64_t y) { return size == 1 || x == y; };
  for (std::size_t i = 0; i < sizes.spatial.size(); ++i)
    if (!is_equal(sizes.spatial[i], a.spatial[i], b.spatial[i])) return false;
  return is_equal(sizes.group, a.group, b.group) && is_equal(sizes.outer, a.outer, b.outer) &&
         is_equal(sizes.feature, a.feature, b.feature);
}

std::vector<CopyLoop> copy_loops(const ConvolutionDims& sizes, const ConvolutionDims& to,
                                 const ConvolutionDims& from, std::size_t element_bytes) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  std::vector<CopyLoop> loops;
  const auto add = [&](std::int64_t size, std::int64_t to_stride, std::int64_t from_stride) {
    loops.push_back({size, to_stride * bytes, from_stride * bytes});
  };
  add(sizes.group, to.group, from.group);
  add(sizes.outer, to.outer, from.outer);
  add(sizes.feature, to.feature, from.feature);
  for (std::size_t i = 0; i < sizes.spatial.size(); ++i)
    add(sizes.spatial[i], to.spatial[i], from.spatial[i]);
  std::ranges::stable_sort(loops, std::ranges::greater(), &CopyLoop::to_stride);
  return loops;
}

void PackedInput::pack(std::byte* copy, const std::byte* input, std::size_t element_bytes) const {
  if (has_zeros) std::memset(copy, 0, bytes);
  strided_copy(copy + to, input + from, loops, element_bytes);
}

PackedInput packed_input(ConvolutionShape& shape, ConvolutionDims (*strides)(const ConvolutionDims&),
                         std::size_t element_bytes) {
  ConvolutionDims kept = shape.input_sizes(), from = shape.input, first = kept, at = kept;
  std::vector<std::int64_t> steps;
  for (std::size_t i = 0; i < shape.windows.size(); ++i) {
    ConvolutionShape::Window& window = shape.windows[i];
    const std::int64_t reach = window.reach(), step = window.in_dilation;
    first.spatial[i] = window.low < 0 ? rounded_up(-window.low, step) : 0;
    at.spatial[i] = window.low + first.spatial[i] * step;
    const std::int64_t end = reach <= window.low ? 0 : rounded_up(reach - window.low, step);
    kept.spatial[i] = std::max<std::int64_t>(0, std::min(window.in, end) - first.spatial[i]);
    steps.push_back(step);
    window.in = reach;
    window.low = 0;
    window.in_dilation = 1;
  }
  const ConvolutionDims sizes = shape.input_sizes();
  shape.input = strides(sizes);
  ConvolutionDims to = shape.input, spread = to;  // spread: between neighbours of the input
  for (std::size_t i = 0; i < steps.size(); ++i) spread.spatial[i] *= steps[i];
  PackedInput packed{copy_loops(kept, spread, from, element_bytes), 0, 0,
                     static_cast<std::size_t>(sizes.elements()) * element_bytes,
                     kept.elements() != sizes.elements()};
  for (std::size_t i = 0; i < shape.windows.size(); ++i) {
    if (kept.elements() == 0) break;
    packed.to += at.spatial[i] * to.spatial[i] * static_cast<std::int64_t>(element_bytes);
    packed.from += first.spatial[i] * from.spatial[i] * static_cast<std::int64_t>(element_bytes);
  }
  return packed;
}

PackedInput packed_kernel(ConvolutionShape& shape, ConvolutionDims (*strides)(const ConvolutionDims&),
                          std::size_t element_bytes) {
  const ConvolutionDims sizes = shape.kernel_sizes();
  ConvolutionDims from = shape.kernel;
  std::int64_t start = 0;
  for (std::size_t i = 0; i < shape.windows.size(); ++i) {
    ConvolutionShape::Window& window = shape.windows[i];
    if (!window.reversed) continue;
    start += (window.kernel - 1) * from.spatial[i];
    from.spatial[i] = -from.spatial[i];
    window.reversed = false;
  }
  shape.kernel = strides(sizes);
  return {copy_loops(sizes, shape.kernel, from, element_bytes), 0,
          start * static_cast<std::int64_t>(element_bytes),
          static_cast<std::size_t>(sizes.elements()) * element_bytes, false};
}

}  // namespace tutti
