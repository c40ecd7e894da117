// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/windows/convolution.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/dims.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/tensor/windows/convolution_product.hpp"

namespace tutti::ops {
namespace {

using Sizes = std::vector<std::int64_t>;

template <class Member>
Sizes of_windows(const std::vector<ConvolutionWindow>& windows, Member member) {
  Sizes all;
  for (const ConvolutionWindow& window : windows) all.push_back(static_cast<std::int64_t>(window.*member));
  return all;
}

std::int64_t windows_along(const ConvolutionWindow& window, std::int64_t input, std::int64_t kernel) {
  const std::int64_t padded = window.low + dilated(input, window.input_dilation) + window.high,
                     seen = dilated(kernel, window.kernel_dilation);
  return padded <= 0 || seen > padded ? 0 : (padded - seen) / window.stride + 1;
}

void require_roles(const ConvolutionRoles& roles, std::size_t windows, Type x, std::string_view what,
                   std::string_view count_label, std::string_view dims_label) {
  require(roles.spatial.size() == windows, Code::dim, "{} of the {} for {} ({})",
          counted(std::ssize(roles.spatial), "spatial dim"), what,
          counted(static_cast<std::int64_t>(windows), "window"), count_label);
  Dims all{roles.outer, roles.feature};
  all.insert(all.end(), roles.spatial.begin(), roles.spatial.end());
  require_in_range(all, x, dims_label);
  require_distinct(all, x, dims_label);
}

void require_divisible(std::int64_t size, std::int64_t groups, std::string_view what,
                       std::string_view label) {
  require(size % groups == 0, Code::shape, "{} of {} do not split into {} ({}); use another number of groups",
          size, what, counted(groups, "group"), label);
}

void require_window(const ConvolutionWindow& w, std::size_t dim) {
  const auto positive = [&](std::int64_t number, std::string_view what, std::string_view label) {
    require(number > 0, Code::shape, "the {} of spatial dim {} is {}; it is at least 1 ({})", what, dim,
            number, label);
  };
  positive(w.stride, "stride", "convolution_c3");
  positive(w.input_dilation, "dilation of the input", "convolution_c6");
  positive(w.kernel_dilation, "dilation of the kernel", "convolution_c8");
  constexpr double most = 0x1p58;  // as of any shape
  for (const std::int64_t number : {w.stride, w.low, w.high, w.input_dilation, w.kernel_dilation})
    require(std::abs(static_cast<double>(number)) < most, Code::shape,
            "a window of spatial dim {} has {}, which is beyond 2^58; make it smaller", dim, number);
}

/// The input may be copied with its padding and dilation, so that copy has sizes as of any shape.
void require_countable(const Convolution& op, Type input, Type kernel) {
  constexpr double most = 0x1p58;  // as of any shape
  const auto spread = [](std::int64_t size, std::int64_t dilation) {
    return size == 0 ? 0 : (static_cast<double>(size) - 1) * static_cast<double>(dilation) + 1;
  };
  double elements = static_cast<double>(input.shape()[op.dims.input.outer]) *
                    static_cast<double>(input.shape()[op.dims.input.feature]);
  for (std::size_t i = 0; i < op.windows.size(); ++i) {
    const ConvolutionWindow& w = op.windows[i];
    const double of_input = spread(input.shape()[op.dims.input.spatial[i]], w.input_dilation),
                 of_kernel = spread(kernel.shape()[op.dims.kernel.spatial[i]], w.kernel_dilation),
                 padded = static_cast<double>(w.low) + of_input + static_cast<double>(w.high);
    require(
        std::max({of_input, of_kernel, padded}) < most, Code::shape,
        "spatial dim {} of {} or of the kernel {} has more than 2^58 elements after padding and dilation; "
        "pad and dilate less",
        i, input, kernel);
    elements *= std::max(padded, 1.0);
  }
  require(elements < most, Code::shape,
          "{} has more than 2^58 elements after padding and dilation; pad and dilate less", input);
}

ConvolutionDims strides_of(Type x, const ConvolutionRoles& roles) {
  Sizes all(static_cast<std::size_t>(x.rank()));
  std::int64_t stride = 1;
  for (int i = x.rank(); i-- > 0; stride *= x.shape()[i]) all[static_cast<std::size_t>(i)] = stride;
  const auto of = [&](Dim dim) { return all[static_cast<std::size_t>(dim.index)]; };
  ConvolutionDims strides{0, of(roles.outer), of(roles.feature), {}};
  for (const Dim dim : roles.spatial) strides.spatial.push_back(of(dim));
  return strides;
}

ConvolutionShape shape_of(const Convolution& op, Type input, Type kernel, Type result) {
  const auto& [of_input, of_kernel, of_result] = op.dims;
  const std::int64_t groups = op.feature_groups * op.batch_groups;  // one of them is 1
  ConvolutionShape shape{groups,
                         input.shape()[of_input.outer] / op.batch_groups,
                         kernel.shape()[of_kernel.feature],
                         kernel.shape()[of_kernel.outer] / groups,
                         {},
                         strides_of(input, of_input),
                         strides_of(kernel, of_kernel),
                         strides_of(result, of_result)};
  const ConvolutionDims in = shape.input;
  shape.input.group = op.batch_groups > 1 ? shape.batch * in.outer : shape.in_features * in.feature;
  shape.kernel.group = shape.out_features * shape.kernel.outer;
  shape.result.group = shape.out_features * shape.result.feature;
  for (std::size_t i = 0; i < op.windows.size(); ++i) {
    const ConvolutionWindow& window = op.windows[i];
    shape.windows.push_back({.in = input.shape()[of_input.spatial[i]],
                             .kernel = kernel.shape()[of_kernel.spatial[i]],
                             .out = result.shape()[of_result.spatial[i]],
                             .stride = window.stride,
                             .low = window.low,
                             .in_dilation = window.input_dilation,
                             .kernel_dilation = window.kernel_dilation,
                             .reversed = window.reversed});
  }
  if (!op.windows.empty()) return shape;
  shape.windows.push_back({.in = 1, .kernel = 1, .out = 1});
  for (ConvolutionDims* strides : {&shape.input, &shape.kernel, &shape.result}) strides->spatial = {0};
  return shape;
}

/// The lines of a product as workers share them.
kernel::Opaque::Shared shared_by(const ConvolutionProduct::Lines& lines, const Convolution& op, Type result) {
  using Along = ConvolutionProduct::Lines::Along;
  const ConvolutionRoles& roles = op.dims.result;
  if (lines.along == Along::rows && roles.spatial.empty()) return {};
  const Dim dim = lines.along == Along::images     ? roles.outer
                  : lines.along == Along::features ? roles.feature
                                                   : roles.spatial.front();
  std::int64_t before = 1;
  for (int i = 0; i < dim.index; ++i) before *= result.shape()[i];
  return {lines.count, before, lines.block};
}

}  // namespace

Parameters Convolution::parameters() const {
  const auto bracketed_of = [&](auto member) { return bracketed(of_windows(windows, member)); };
  return {{"dims", layout_of(dims)},
          {"strides", bracketed_of(&ConvolutionWindow::stride)},
          {"low", bracketed_of(&ConvolutionWindow::low)},
          {"high", bracketed_of(&ConvolutionWindow::high)},
          {"input_dilation", bracketed_of(&ConvolutionWindow::input_dilation)},
          {"kernel_dilation", bracketed_of(&ConvolutionWindow::kernel_dilation)},
          {"reversed", bracketed_of(&ConvolutionWindow::reversed)},
          {"feature_groups", std::to_string(feature_groups)},
          {"batch_groups", std::to_string(batch_groups)}};
}

Types Convolution::infer(const Types& operands) const {
  const Type &input = operands[0], &kernel = operands[1];
  if (input.dtype() != kernel.dtype())
    fail(Code::dtype, "{} and {} have different dtypes (convolution_c27); convert one of them: {}",
         to_string(input), to_string(kernel), conversion_to(std::max(input.dtype(), kernel.dtype())));
  if (input.dtype() == DType::boolean)
    fail(Code::dtype, "{} is bool, which has no convolution; convert it: convert(x, DType::f32)",
         to_string(input));
  const int rank = static_cast<int>(windows.size()) + 2;
  require(
      input.rank() == kernel.rank(), Code::dim,
      "{} and {} have different ranks (convolution_c1); an image alone needs a dim of size 1 for the batch: "
      "expand_dims(x, 0)",
      input, kernel);
  require(input.rank() == rank, Code::dim, "{} for {}; one per spatial dim (convolution_c2)",
          counted(std::ssize(windows), "window"), input);
  require_roles(dims.input, windows.size(), input, "input", "convolution_c12", "convolution_c13");
  require_roles(dims.kernel, windows.size(), kernel, "kernel", "convolution_c17", "convolution_c18");
  require_roles(dims.result, windows.size(), input, "result", "convolution_c19", "convolution_c20");
  require(feature_groups > 0, Code::shape, "{} groups of features; at least 1 (convolution_c21)",
          feature_groups);
  require(batch_groups > 0, Code::shape, "{} groups of the batch; at least 1 (convolution_c22)",
          batch_groups);
  require(feature_groups == 1 || batch_groups == 1, Code::shape,
          "{} groups of features and {} of the batch; one of them is 1 (convolution_c23)", feature_groups,
          batch_groups);
  for (std::size_t i = 0; i < windows.size(); ++i) require_window(windows[i], i);
  require_countable(*this, input, kernel);
  const std::int64_t batch = input.shape()[dims.input.outer], features = input.shape()[dims.input.feature],
                     out = kernel.shape()[dims.kernel.outer];
  require_divisible(batch, batch_groups, "the batch", "convolution_c10");
  require_divisible(features, feature_groups, "the features of the input", "convolution_c11");
  require(kernel.shape()[dims.kernel.feature] == features / feature_groups, Code::shape,
          "the kernel {} has {} input features in dim {}, {} has {} of them in {} (convolution_c14); "
          "features are the last dim unless .layout says otherwise: \"NCHW,OIHW->NCHW\"",
          kernel, kernel.shape()[dims.kernel.feature], dims.kernel.feature.index, input, features,
          counted(feature_groups, "group"));
  require_divisible(out, batch_groups, "the output features", "convolution_c15");
  require_divisible(out, feature_groups, "the output features", "convolution_c16");
  Sizes sizes(static_cast<std::size_t>(rank));
  const auto size = [&](Dim dim) -> std::int64_t& { return sizes[static_cast<std::size_t>(dim.index)]; };
  size(dims.result.outer) = batch / batch_groups;
  size(dims.result.feature) = out;
  for (std::size_t i = 0; i < windows.size(); ++i)
    size(dims.result.spatial[i]) = windows_along(windows[i], input.shape()[dims.input.spatial[i]],
                                                 kernel.shape()[dims.kernel.spatial[i]]);
  return {Type(input.dtype(), Shape(std::move(sizes)), agreed_states(operands, mixing()))};
}

Kernel Convolution::kernel(const Layout& layout) const {
  const Type input = layout.operands()[0], kernel = layout.operands()[1], result = layout.results()[0];
  if (input.elements() == 0 || kernel.elements() == 0 || result.elements() == 0)
    return kernel::Opaque{.nanoseconds = 0.02 * static_cast<double>(result.bytes()),
                          .run = [bytes = result.bytes()](const kernel::Unit& unit) {
                            std::memset(unit.results[0], 0, bytes);
                          }};
  const auto product =
      std::make_shared<const ConvolutionProduct>(input.dtype(), shape_of(*this, input, kernel, result));
  return kernel::Opaque{.nanoseconds = product->nanoseconds(),
                        .scratch_bytes = product->scratch_bytes(),
                        .run =
                            [product](const kernel::Unit& unit) {
                              product->run(unit.results[0], unit.operands[0], unit.operands[1], unit.scratch,
                                           unit.lines.begin, unit.lines.end);
                            },
                        .shared = shared_by(product->lines(), *this, result)};
}

Jvp Convolution::jvp(const Arrays& operands, const Tangents& tangents) const {
  return bilinear_jvp(*this, operands, tangents);
}

// XLA's CPU has its fast code for kernels that are not reversed.
Lowered Convolution::lower(Emitter& emitter, const Lowered& operands) const {
  Lowered in = operands;
  Dims reversed;
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (windows[i].reversed) reversed.push_back(dims.kernel.spatial[i]);
  if (!reversed.empty())
    in[1] = emitter.emit("stablehlo.reverse", {in[1]}, emitter.operand_types()[1],
                         {{"dimensions", stablehlo::integers(indices(reversed))}});
  Sizes padding;
  for (const ConvolutionWindow& window : windows) padding.insert(padding.end(), {window.low, window.high});
  const auto count = static_cast<std::int64_t>(windows.size());
  const auto all = [&](auto member) { return stablehlo::integers(of_windows(windows, member)); };
  return {emitter.emit("stablehlo.convolution", in, emitter.result_types()[0],
                       {{"batch_group_count", {stablehlo::Integer{batch_groups, "i64"}}},
                        {"dimension_numbers",
                         {stablehlo::Verbatim{fmt::format("#stablehlo.conv<{}>", to_string(dims))}}},
                        {"feature_group_count", {stablehlo::Integer{feature_groups, "i64"}}},
                        {"lhs_dilation", all(&ConvolutionWindow::input_dilation)},
                        {"padding", stablehlo::dense_i64({count, 2}, padding)},
                        {"rhs_dilation", all(&ConvolutionWindow::kernel_dilation)},
                        {"window_strides", all(&ConvolutionWindow::stride)}})};
}

}  // namespace tutti::ops
