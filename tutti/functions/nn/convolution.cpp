// SPDX-License-Identifier: Apache-2.0
#include "tutti/functions/nn/convolution.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/reverse.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/windows/convolution.hpp"

namespace tutti {
namespace {

using Sizes = std::vector<std::int64_t>;

[[noreturn]] void refuse_layout(std::string_view layout, Type x, std::string_view why) {
  fail(Code::shape, "the layout \"{}\" of {}: {}; for two spatial dims it is \"NHWC,HWIO->NHWC\"", layout, x,
       why);
}

std::string features_last_layout(int rank) {
  constexpr std::string_view spatial = "DHW";
  if (rank < 2 || rank > 5) return {};
  const std::string letters(spatial.substr(static_cast<std::size_t>(5 - rank)));
  return "N" + letters + "C," + letters + "IO->N" + letters + "C";
}

/// The dims of one array: spatial dims in the order of the letters of `spatial`.
ConvolutionRoles roles_of(std::string_view words, char outer, char feature, std::string_view spatial,
                          std::string_view layout, Type x) {
  const auto dim = [&](char letter) {
    const std::size_t at = words.find(letter);
    if (at == std::string_view::npos || words.find(letter, at + 1) != std::string_view::npos)
      refuse_layout(layout, x, fmt::format("'{}' has the letter {} not once", words, letter));
    return Dim{static_cast<int>(at)};
  };
  if (static_cast<int>(words.size()) != x.rank())
    refuse_layout(layout, x, fmt::format("'{}' has not one letter per dim", words));
  ConvolutionRoles roles{dim(outer), dim(feature), {}};
  for (const char letter : spatial) roles.spatial.push_back(dim(letter));
  return roles;
}

ConvolutionNumbers numbers_of(const std::string& given, Type x) {
  const std::string layout = given.empty() ? features_last_layout(x.rank()) : given;
  if (layout.empty()) refuse_layout(layout, x, "there is none for this rank; give one");
  const std::string_view text = layout;
  const std::size_t comma = text.find(','), arrow = text.find("->");
  if (comma == std::string_view::npos || arrow == std::string_view::npos || comma > arrow)
    refuse_layout(layout, x, "it is not three words");
  const std::string_view input = text.substr(0, comma), kernel = text.substr(comma + 1, arrow - comma - 1),
                         result = text.substr(arrow + 2);
  std::string spatial(kernel);
  std::erase_if(spatial, [](char letter) { return letter == 'I' || letter == 'O'; });
  return {roles_of(input, 'N', 'C', spatial, layout, x), roles_of(kernel, 'O', 'I', spatial, layout, x),
          roles_of(result, 'N', 'C', spatial, layout, x)};
}

/// One number per spatial dim.
Sizes one_each(const Sizes& given, std::size_t dims, std::string_view what, std::string_view label) {
  if (given.empty()) return Sizes(dims, 1);
  require(given.size() == dims, Code::dim, "{} of {} for {} ({})", counted(std::ssize(given), "number"), what,
          counted(static_cast<std::int64_t>(dims), "spatial dim"), label);
  for (const std::int64_t number : given)
    require(number > 0, Code::shape, "{} are {}; each is at least 1 ({})", what, bracketed(given), label);
  return given;
}

/// Input and kernel, which have one rank and fit the layout.
struct Operands {
  Operands(const Operand& of_x, const Operand& of_kernel, const std::string& layout)
      : x(as_array(of_x, {of_kernel})), kernel(as_array(of_kernel, {of_x})) {
    require(x.rank() == kernel.rank(), Code::dim, "{} and {} have different ranks (convolution_c1)", x.type(),
            kernel.type());
    dims = numbers_of(layout, x.type());
  }
  Sizes input_sizes() const {
    Sizes sizes;
    for (const Dim dim : dims.input.spatial) sizes.push_back(x.shape()[dim]);
    return sizes;
  }
  Sizes kernel_sizes(const Sizes& dilation) const {
    Sizes sizes;
    for (std::size_t i = 0; i < dilation.size(); ++i)
      sizes.push_back(dilated(kernel.shape()[dims.kernel.spatial[i]], dilation[i]));
    return sizes;
  }

  Array x, kernel;
  ConvolutionNumbers dims;
};

/// The padding that makes a transposed convolution: jax.lax.conv_transpose.
PaddingPair transposed_padding(std::int64_t kernel, std::int64_t stride, bool is_same) {
  const std::int64_t all = kernel + stride - 2 + (is_same ? 0 : std::max<std::int64_t>(kernel - stride, 0));
  const std::int64_t low = !is_same || stride > kernel - 1 ? kernel - 1 : (all + 1) / 2;
  return {low, all - low};
}

}  // namespace

Array convolution(const Operand& x, const Operand& kernel, const ConvolutionOptions& options) {
  return front_end(Convolution::name, x.where(), [&] {
    const Operands given(x, kernel, options.layout);
    const std::size_t n = given.dims.input.spatial.size();
    const Sizes strides = one_each(options.strides, n, "strides", "convolution_c2"),
                input_dilation =
                    one_each(options.input_dilation, n, "dilations of the input", "convolution_c5"),
                kernel_dilation =
                    one_each(options.kernel_dilation, n, "dilations of the kernel", "convolution_c7");
    Sizes inputs = given.input_sizes();
    for (std::size_t i = 0; i < n; ++i) inputs[i] = dilated(inputs[i], input_dilation[i]);
    const std::vector<PaddingPair> padding =
        options.padding.resolve(inputs, given.kernel_sizes(kernel_dilation), strides, "convolution_c4");
    Convolution op{given.dims, {}, options.feature_groups, options.batch_groups};
    for (std::size_t i = 0; i < n; ++i)
      op.windows.push_back(
          {strides[i], padding[i].low, padding[i].high, input_dilation[i], kernel_dilation[i]});
    return apply_one(op, {given.x, given.kernel});
  });
}

Array conv_transpose(const Operand& x, const Operand& kernel, const ConvTransposeOptions& options) {
  return front_end("conv_transpose", x.where(), [&] {
    const Operands given(x, kernel, options.layout);
    const std::size_t n = given.dims.input.spatial.size();
    const Sizes strides = one_each(options.strides, n, "strides", "convolution_c2"),
                dilation = one_each(options.kernel_dilation, n, "dilations of the kernel", "convolution_c7"),
                kernels = given.kernel_sizes(dilation);
    const bool is_same = options.padding == WindowPadding::same,
               is_valid = options.padding == WindowPadding::valid;
    require(options.padding != WindowPadding::same_lower, Code::shape,
            "the padding of a transposed convolution is same, valid, or pairs");
    std::vector<PaddingPair> padding;
    if (!is_same && !is_valid)
      padding = options.padding.resolve(given.input_sizes(), kernels, strides, "convolution_c4");
    Convolution op{given.dims, {}};
    for (std::size_t i = 0; i < n; ++i) {
      const PaddingPair pair =
          padding.empty() ? transposed_padding(kernels[i], strides[i], is_same) : padding[i];
      op.windows.push_back({1, pair.low, pair.high, strides[i], dilation[i], options.transpose_kernel});
    }
    if (options.transpose_kernel) op.dims.kernel = op.dims.kernel.swapped();
    return apply_one(op, {given.x, given.kernel});
  });
}

Array convolve(const Operand& a, const Operand& v, ConvolveMode mode) {
  return front_end("convolve", a.where(), [&] {
    Array x = as_array(a, {v}), y = as_array(v, {a});
    for (const Array& each : {x, y})
      require(each.rank() == 1 && each.type().elements() > 0, Code::shape,
              "{} is no vector with elements; for other arrays: convolution", each.type());
    if (x.shape()[0] < y.shape()[0]) std::swap(x, y);
    const std::int64_t m = x.shape()[0], n = y.shape()[0];
    const std::array<PaddingPair, 3> paddings{{{n - 1, n - 1}, {n / 2, n - n / 2 - 1}, {0, 0}}};
    const PaddingPair& padding = paddings[static_cast<std::size_t>(mode)];
    const ConvolutionRoles roles{Dim{0}, Dim{1}, {Dim{2}}};
    Convolution op{{roles, roles, roles}, {{.low = padding.low, .high = padding.high, .reversed = true}}};
    const Array z = apply_one(op, {reshape(x, Shape{1, 1, m}), reshape(y, Shape{1, 1, n})});
    return reshape(z, Shape{z.shape()[2]});
  });
}

}  // namespace tutti
