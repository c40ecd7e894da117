// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/windows/float_convolution.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "tutti/base/in_lines.hpp"
#include "tutti/tensor/loops/elementwise.hpp"
#include "tutti/tensor/windows/onednn_convolution.hpp"

namespace tutti {
namespace {

using Form = OneDnnConvolution::Form;

Form form_of(const ConvolutionShape& shape) {
  if (FloatConvolution::sums_positions(shape)) return Form::kernel_gradient;
  const bool is_dilated = std::ranges::any_of(shape.windows, [](const ConvolutionShape::Window& w) {
    return w.in_dilation > 1 && w.in > 1;
  });
  return is_dilated && OneDnnConvolution::is_input_gradient(shape) ? Form::input_gradient : Form::forward;
}

auto strides_for(Form form) { return form == Form::kernel_gradient ? outer_last : features_last; }

// oneDNN takes padding that is not negative; windows may end less than a step before the end of the input. A
// gradient by the kernel steps by the dilation of our kernel.
bool has_plain_windows(const ConvolutionShape& shape, Form form) {
  return std::ranges::all_of(shape.windows, [&](const ConvolutionShape::Window& w) {
    const std::int64_t high = w.reach() - w.in - w.low,
                       step = form == Form::kernel_gradient ? w.kernel_dilation : w.stride;
    return w.low >= 0 && high > -step && (w.in_dilation == 1 || w.in == 1);
  });
}

/// Makes the kernel one that is read the other way round.
void turn(ConvolutionShape& shape) {
  for (ConvolutionShape::Window& window : shape.windows) window.reversed = !window.reversed;
}

// oneDNN counts in int.
bool has_small_sizes(const ConvolutionShape& s) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return std::max({s.batch, s.groups * s.in_features, s.groups * s.out_features}) <= most &&
         std::ranges::all_of(s.windows, [](const ConvolutionShape::Window& w) {
           return std::max({w.in, w.low, w.reach(), w.stride, w.kernel_dilation}) <= most;
         });
}

bool is_reversed(const ConvolutionShape& shape) {
  return std::ranges::any_of(shape.windows, [](const auto& w) { return w.reversed && w.kernel > 1; });
}

/// A copy of the input that lies features_last. `shape` becomes the convolution of the copy.
PackedInput laid_input(ConvolutionShape& shape, std::size_t element_bytes) {
  const ConvolutionDims sizes = shape.input_sizes(), from = shape.input;
  shape.input = features_last(sizes);
  return {copy_loops(sizes, shape.input, from, element_bytes), 0, 0,
          static_cast<std::size_t>(sizes.elements()) * element_bytes, false};
}

/// An operand on its way to oneDNN: copied if it has to lie otherwise, then widened.
struct Way {
  std::optional<PackedInput> packing;
  std::size_t elements;

  std::size_t scratch_bytes(bool widens) const {
    return (packing ? in_lines(packing->bytes) : 0) + (widens ? in_lines(elements * sizeof(float)) : 0);
  }
  const std::byte* go(const std::byte* operand, std::byte*& scratch, DType dtype, bool widens) const {
    if (packing) {
      packing->pack(scratch, operand, bytes_per_element(dtype));
      operand = scratch;
      scratch += in_lines(packing->bytes);
    }
    if (!widens) return operand;
    std::byte* const wide = scratch;
    scratch += in_lines(elements * sizeof(float));
    convert_kernel(dtype, DType::f32)(wide, &operand, static_cast<std::int64_t>(elements));
    return wide;
  }
};

}  // namespace

bool FloatConvolution::takes(DType dtype, const ConvolutionShape& shape) {
  return (dtype == DType::f32 || is_half(dtype)) && shape.windows.size() <= 3 && has_small_sizes(shape);
}

bool FloatConvolution::sums_positions(const ConvolutionShape& shape) {
  double kernel = 1, result = 1;
  for (const ConvolutionShape::Window& window : shape.windows) {
    kernel *= static_cast<double>(window.kernel);
    result *= static_cast<double>(window.out);
  }
  return kernel > result;
}

struct FloatConvolution::Prepared {
  Prepared(DType d, const ConvolutionShape& given);

  DType dtype;
  bool widens = false;
  double multiplications;
  Way input, kernel;
  // The result if it has to lie otherwise, and before it is rounded.
  std::vector<CopyLoop> unpacking = {};
  std::size_t result_elements;
  std::unique_ptr<const OneDnnConvolution> convolution;

  std::size_t packed_result_bytes() const {
    return unpacking.empty() ? 0 : in_lines(result_elements * bytes_per_element(dtype));
  }
  std::size_t wide_result_bytes() const { return widens ? in_lines(result_elements * sizeof(float)) : 0; }
};

FloatConvolution::Prepared::Prepared(DType d, const ConvolutionShape& given)
    : dtype(d), multiplications(given.multiplications()) {
  const std::size_t element_bytes = bytes_per_element(dtype);
  const Form form = form_of(given);
  ConvolutionShape shape = given;
  if (form == Form::input_gradient)  // reads no zeros
    for (const ConvolutionShape::Window& w : given.windows)
      multiplications /= static_cast<double>(w.in_dilation);
  widens = dtype == DType::f16;
  const auto lies_so = [&](const ConvolutionDims& sizes, const ConvolutionDims& strides) {
    return lie_equally(sizes, strides, strides_for(form)(sizes));
  };
  const auto plan = [&] {
    const bool takes_windows = form == Form::input_gradient || has_plain_windows(shape, form);
    if (widens || !takes_windows || !lies_so(shape.input_sizes(), shape.input)) {
      if (form == Form::input_gradient) input.packing = laid_input(shape, element_bytes);
      else input.packing = packed_input(shape, strides_for(form), element_bytes);
    }
    if (form == Form::input_gradient) turn(shape);  // oneDNN reads it backwards
    const bool kernel_lies = form != Form::kernel_gradient || lies_so(shape.kernel_sizes(), shape.kernel);
    if (widens || is_reversed(shape) || !kernel_lies)
      kernel.packing =
          packed_kernel(shape, form == Form::kernel_gradient ? outer_last : matrices_by_group, element_bytes);
    for (ConvolutionShape::Window& window : shape.windows) window.reversed = form == Form::input_gradient;
    const ConvolutionDims sizes = shape.result_sizes(), dense = features_last(sizes);
    const bool result_lies = lie_equally(sizes, shape.result, dense);
    if (!result_lies && (widens || form != Form::kernel_gradient)) {
      unpacking = copy_loops(sizes, shape.result, dense, element_bytes);
      shape.result = dense;
    }
  };
  plan();
  if (dtype == DType::bf16 && !OneDnnConvolution::has_bf16(shape, form)) {
    widens = true;
    shape = given;
    unpacking.clear();
    plan();
  }
  input.elements = static_cast<std::size_t>(shape.input_sizes().elements());
  kernel.elements = static_cast<std::size_t>(shape.kernel_sizes().elements());
  result_elements = static_cast<std::size_t>(shape.result_sizes().elements());
  convolution = std::make_unique<const OneDnnConvolution>(widens ? DType::f32 : dtype, shape, form);
}

FloatConvolution::FloatConvolution(DType dtype, const ConvolutionShape& shape)
    : prepared_(std::make_unique<const Prepared>(dtype, shape)) {}

FloatConvolution::~FloatConvolution() = default;

std::size_t FloatConvolution::scratch_bytes() const {
  const Prepared& p = *prepared_;
  return p.input.scratch_bytes(p.widens) + p.kernel.scratch_bytes(p.widens) + p.packed_result_bytes() +
         p.wide_result_bytes() + p.convolution->scratch_bytes();
}

// The constants of Product::nanoseconds.
double FloatConvolution::nanoseconds() const {
  const Prepared& p = *prepared_;
  constexpr double flops_per_ns = 110, copied_ns_per_byte = 0.1;
  const double copied = static_cast<double>(scratch_bytes() - p.convolution->scratch_bytes());
  return 2000 + 2 * p.multiplications / flops_per_ns + copied_ns_per_byte * copied;
}

void FloatConvolution::run(std::byte* result, const std::byte* input, const std::byte* kernel,
                           std::byte* scratch) const {
  const Prepared& p = *prepared_;
  input = p.input.go(input, scratch, p.dtype, p.widens);
  kernel = p.kernel.go(kernel, scratch, p.dtype, p.widens);
  std::byte* const packed = p.unpacking.empty() ? result : scratch;
  scratch += p.packed_result_bytes();
  std::byte* const made = p.widens ? scratch : packed;
  scratch += p.wide_result_bytes();
  p.convolution->run(made, input, kernel, scratch);
  const std::byte* const wide = made;
  if (p.widens)
    convert_kernel(DType::f32, p.dtype)(packed, &wide, static_cast<std::int64_t>(p.result_elements));
  if (!p.unpacking.empty()) strided_copy(result, packed, p.unpacking, bytes_per_element(p.dtype));
}

}  // namespace tutti
