// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/windows/plain_convolution.hpp"
#include "tutti/base/inside.hpp"

#include <array>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/types/half.hpp"

namespace tutti {
namespace {

constexpr std::size_t most_dims = 3;
using Index = std::array<std::int64_t, most_dims>;

/// Calls f with every index below `sizes`.
template <class F>
void for_each_index(const Index& sizes, const F& f) {
  Index i;
  for (i[0] = 0; i[0] < sizes[0]; ++i[0])
    for (i[1] = 0; i[1] < sizes[1]; ++i[1])
      for (i[2] = 0; i[2] < sizes[2]; ++i[2]) f(i);
}

struct Loops {
  explicit Loops(ConvolutionShape s) : shape(std::move(s)) {
    ensure(shape.windows.size() <= most_dims, "a plain convolution of {} dims", shape.windows.size());
    while (shape.windows.size() < most_dims) {
      shape.windows.push_back({1, 1, 1});
      for (ConvolutionDims* strides : {&shape.input, &shape.kernel, &shape.result})
        strides->spatial.push_back(0);
    }
    for (std::size_t i = 0; i < most_dims; ++i) {
      out[i] = shape.windows[i].out;
      kernel[i] = shape.windows[i].kernel;
    }
  }

  static std::int64_t at(const ConvolutionDims& strides, const Index& index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < most_dims; ++i) at += index[i] * strides.spatial[i];
    return at;
  }
  /// Where the input has the element that the kernel's element k sees at p; none: in the padding.
  std::optional<std::int64_t> seen(const Index& p, const Index& k) const {
    Index index{};
    for (std::size_t i = 0; i < most_dims; ++i) {
      const ConvolutionShape::Window& w = shape.windows[i];
      const std::int64_t q = p[i] * w.stride + k[i] * w.kernel_dilation - w.low;
      index[i] = q / w.in_dilation;
      if (q < 0 || q % w.in_dilation != 0 || index[i] >= w.in) return std::nullopt;
    }
    return at(shape.input, index);
  }
  std::int64_t in_kernel(Index k) const {
    for (std::size_t i = 0; i < most_dims; ++i)
      if (shape.windows[i].reversed) k[i] = kernel[i] - 1 - k[i];
    return at(shape.kernel, k);
  }

  ConvolutionShape shape;
  Index out{}, kernel{};
};

template <class T>
void convolve(const Loops& loops, T* result, const T* input, const T* kernel) {
  const ConvolutionShape& s = loops.shape;
  const auto one = [&](std::int64_t g, std::int64_t n, std::int64_t o, const Index& p) {
    float sum = 0;
    const T* const image = input + g * s.input.group + n * s.input.outer;
    const T* const weights = kernel + g * s.kernel.group + o * s.kernel.outer;
    for_each_index(loops.kernel, [&](const Index& k) {
      const std::optional<std::int64_t> at = loops.seen(p, k);
      if (!at) return;
      for (std::int64_t c = 0; c < s.in_features; ++c)
        sum += static_cast<float>(image[*at + c * s.input.feature]) *
               static_cast<float>(weights[loops.in_kernel(k) + c * s.kernel.feature]);
    });
    result[g * s.result.group + n * s.result.outer + o * s.result.feature + Loops::at(s.result, p)] =
        static_cast<T>(sum);
  };
  for (std::int64_t g = 0; g < s.groups; ++g)
    for (std::int64_t n = 0; n < s.batch; ++n)
      for (std::int64_t o = 0; o < s.out_features; ++o)
        for_each_index(loops.out, [&](const Index& p) { one(g, n, o, p); });
}

}  // namespace

void convolve_plainly(DType dtype, ConvolutionShape shape, std::byte* result, const std::byte* input,
                      const std::byte* kernel) {
  const Loops loops(std::move(shape));
  const auto run = [&]<class T>(T) {
    convolve(loops, reinterpret_cast<T*>(result), reinterpret_cast<const T*>(input),
             reinterpret_cast<const T*>(kernel));
  };
  if (dtype == DType::f32) run(0.0F);
  else run(bf16{});
}

}  // namespace tutti
