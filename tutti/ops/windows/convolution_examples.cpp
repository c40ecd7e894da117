// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/inside.hpp"
#include "tutti/ops/windows/convolution.hpp"

namespace tutti::ops {
namespace {

/// Features last for the input and the result; the kernel has its spatial dims first.
ConvolutionNumbers features_last_numbers(int spatial) {
  ConvolutionRoles images{Dim{0}, Dim{spatial + 1}, {}}, kernel{Dim{spatial + 1}, Dim{spatial}, {}};
  for (int i = 0; i < spatial; ++i) {
    images.spatial.push_back(Dim{i + 1});
    kernel.spatial.push_back(Dim{i});
  }
  return {images, kernel, images};
}

/// Features before spatial dims, as jax.lax has them.
ConvolutionNumbers features_first_numbers(int spatial) {
  ConvolutionRoles roles{Dim{0}, Dim{1}, {}};
  for (int i = 0; i < spatial; ++i) roles.spatial.push_back(Dim{i + 2});
  return {roles, roles, roles};
}

std::vector<Example> examples_of_windows() {
  const Axes& axes = example_mesh().axes();
  const ConvolutionNumbers rows = features_last_numbers(1), images = features_last_numbers(2),
                           first = features_first_numbers(2);
  const Type row(DType::f64, {2, 5, 2}), kernel(DType::f64, {3, 2, 3});
  const Type image(DType::f64, {2, 4, 5, 2}), square(DType::f64, {2, 3, 2, 3});
  return {
      {Convolution{rows, {{}}}, {row, kernel}},
      {Convolution{rows, {{.stride = 2, .low = 1, .high = 1}}},
       {row.with(axes[0], varying), kernel.with(axes[0], varying)}},
      {Convolution{rows, {{.low = 2, .high = -1, .input_dilation = 2}}},
       {row.with(axes[0], unreduced), kernel.with(axes[0], reduced)}},
      {Convolution{rows, {{.low = -1, .high = 1, .kernel_dilation = 2}}},
       {row.with(axes[1], reduced), kernel.with(axes[1], unreduced)}},
      {Convolution{rows,
                   {{.stride = 2, .low = 3, .input_dilation = 3, .kernel_dilation = 2, .reversed = true}}},
       {row, kernel}},
      {Convolution{images, {{}, {}}}, {image, square}},
      {Convolution{images, {{.low = 1, .high = 0}, {.stride = 2, .low = 1, .high = 1}}},
       {image.with(axes[2], varying), square.with(axes[2], varying)}},
      {Convolution{first, {{.low = 1, .high = 1}, {.low = 1, .high = 1}}},
       {Type(DType::f32, {2, 2, 4, 3}), Type(DType::f32, {3, 2, 3, 3})}},
      {Convolution{first, {{.stride = 2}, {.stride = 2}}},
       {Type(DType::f32, {1, 2, 6, 5}), Type(DType::f32, {4, 2, 3, 2})}},
      {Convolution{first, {{.stride = 3, .low = -1}, {.low = 2, .high = 2, .kernel_dilation = 2}}},
       {Type(DType::f64, {1, 2, 8, 2}), Type(DType::f64, {2, 2, 2, 3})}},
      // As a gradient by the kernel is: the kernel is larger than the result.
      {Convolution{{images.input.swapped(), images.input.swapped(), images.kernel.swapped()}, {{}, {}}},
       {Type(DType::f32, {2, 4, 4, 3}), Type(DType::f32, {2, 3, 3, 2})}},
  };
}

std::vector<Example> examples_of_groups() {
  const Axes& axes = example_mesh().axes();
  const ConvolutionNumbers rows = features_last_numbers(1), images = features_last_numbers(2);
  return {
      {Convolution{rows, {{.low = 1}}, 2, 1}, {Type(DType::f64, {2, 4, 4}), Type(DType::f64, {2, 2, 4})}},
      {Convolution{rows, {{.stride = 2}}, 1, 2},
       {Type(DType::f64, {4, 5, 2}).with(axes[0], varying),
        Type(DType::f64, {2, 2, 4}).with(axes[0], varying)}},
      {Convolution{images, {{.low = 1, .high = 1}, {}}, 3, 1},  // each feature by itself
       {Type(DType::f32, {2, 3, 4, 3}), Type(DType::f32, {3, 2, 1, 3})}},
      {Convolution{images, {{}, {.input_dilation = 2}}, 1, 3},
       {Type(DType::f32, {3, 3, 2, 2}), Type(DType::f32, {2, 2, 2, 6})}},
  };
}

std::vector<Example> examples_of_sizes() {
  const ConvolutionNumbers none = features_last_numbers(0), rows = features_last_numbers(1),
                           boxes = features_last_numbers(3);
  return {
      {Convolution{boxes, {{}, {.low = 1}, {.stride = 2}}},
       {Type(DType::f32, {1, 2, 3, 4, 2}), Type(DType::f32, {2, 2, 2, 2, 2})}},
      {Convolution{none, {}}, {Type(DType::f64, {3, 2}), Type(DType::f64, {2, 4})}},
      {Convolution{rows, {{}}}, {Type(DType::f64, {1, 1, 1}), Type(DType::f64, {1, 1, 1})}},
      {Convolution{rows, {{}}}, {Type(DType::f32, {2, 3, 2}), Type(DType::f32, {4, 2, 2})}},  // no window
      {Convolution{rows, {{.low = 2, .high = 1}}},
       {Type(DType::f32, {2, 0, 2}), Type(DType::f32, {2, 2, 3})}},
      {Convolution{rows, {{}}}, {Type(DType::f64, {0, 4, 2}), Type(DType::f64, {2, 2, 3})}},
      {Convolution{rows, {{}}}, {Type(DType::f64, {2, 4, 0}), Type(DType::f64, {2, 0, 3})}},
      {Convolution{rows, {{.low = 1}}}, {Type(DType::i32, {2, 4, 3}), Type(DType::i32, {3, 3, 2})}},
      {Convolution{rows, {{.input_dilation = 2}}, 2, 1},
       {Type(DType::i64, {2, 4, 4}), Type(DType::i64, {3, 2, 2})}},
  };
}

}  // namespace

std::vector<Example> Convolution::examples() {
  std::vector<Example> examples;
  const auto add = [&](const std::vector<Example>& more) {
    examples.insert(examples.end(), more.begin(), more.end());
  };
  add(examples_of_windows());
  add(examples_of_groups());
  add(examples_of_sizes());
  const ConvolutionNumbers rows = features_last_numbers(1);
  for (DType dtype : more_dtypes()) {
    examples.push_back({Convolution{rows, {{.stride = 2, .low = 1, .high = 1}}},
                        {Type(dtype, {2, 4, 2}).with(example_mesh().axes()[0], varying),
                         Type(dtype, {3, 2, 3}).with(example_mesh().axes()[0], varying)}});
    examples.push_back({Convolution{rows, {{}}}, {Type(dtype, {3, 4, 2}), Type(dtype, {3, 2, 2})}});
  }
  return examples;
}

}  // namespace tutti::ops
