// SPDX-License-Identifier: Apache-2.0
// The function of one device for `digits --model conv`: four convolutions. The batch is split over the mesh
// axis "data". The features between the first and second layer, and between the third and the last, are split
// over "model".
#pragma once

#include "examples/digits_model.hpp"

namespace digits::conv {

/// Kernels [height, width, input features, output features], and what is added to each output feature.
struct Params {
  Array k1, b1, k2, b2, k3, b3, k4, b4;  // 1 -> 16 -> 32 -> 64 -> 10 features
};

// 8x8 pixels, then 8x8, 4x4 and 2x2 positions; the last kernel sees all of these. Each device has its part of
// the features, whose sums are added up over "model".
inline Array logits(const Params& p, const Array& images) {
  const ConvolutionOptions same{.padding = WindowPadding::same},
      halving{.strides = {2, 2}, .padding = WindowPadding::same};
  Array x = reshape(images, {images.shape()[0], 8, 8, 1});
  x = relu(convolution(x, p.k1, same) + p.b1);
  x = relu(psum(convolution(x, p.k2, halving), "model") + p.b2);
  x = relu(convolution(x, p.k3, halving) + p.b3);
  x = psum(convolution(x, p.k4), "model") + p.b4;
  return reshape(x, {images.shape()[0], 10});
}

inline Array loss(const Params& params, const Batch& batch) {
  return pmean(cross_entropy(logits(params, batch.images), batch.labels), "data");
}

// One step of momentum SGD as in digits_model.hpp, with a decay of the parameters. The decay, the number of
// steps and the moves of the images were chosen on parts of the training digits.
inline auto step(const Params& params, const Params& momentum, const Batch& batch) {
  auto [value, gradient] = value_and_grad(loss)(params, batch);
  Params velocity = tree_map([](Array m, Array g, Array p) { return 0.9f * m + g + 0.0005f * p; }, momentum,
                             gradient, params);
  Params next = tree_map([](Array p, Array v) { return p - 0.05f * v; }, params, velocity);
  return std::tuple{value, next, velocity};
}

// How the parameters lie on the mesh: the first and third kernel by output feature, the others by input
// feature.
inline const Specs by_output = P(none, none, none, "model"), by_input = P(none, none, "model");
inline const Specs by_model{by_output, P("model"), by_input, P(), by_output, P("model"), by_input, P()};

inline auto sharded_step(const Mesh& mesh) {
  return shard_map(step,
                   {.mesh = mesh, .in = {by_model, by_model, P("data")}, .out = {P(), by_model, by_model}});
}
inline auto sharded_logits(const Mesh& mesh) {
  return shard_map(logits, {.mesh = mesh, .in = {by_model, P()}, .out = P()});
}

}  // namespace digits::conv
