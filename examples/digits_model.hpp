// SPDX-License-Identifier: Apache-2.0
// The function of one device in the digits example: a network of two layers whose hidden units are split over
// the mesh axis "model" and whose batch is split over "data". Shared with the tests and benchmarks.
#pragma once

#include "tutti/tutti.hpp"

namespace digits {

using namespace tutti;

struct Params {
  Array w1, b1, w2, b2;  // [64, hidden] [hidden] [hidden, 10] [10]
};
struct Batch {
  Array images, labels;  // f32[n, 64], i32[n]
};

// Each device has its part of the hidden units; what they add to the logits is summed over "model".
inline Array logits(const Params& params, const Array& images) {
  Array hidden = relu(matmul(images, params.w1) + params.b1);
  return psum(matmul(hidden, params.w2), "model") + params.b2;
}

inline Array loss(const Params& params, const Batch& batch) {
  return pmean(cross_entropy(logits(params, batch.images), batch.labels), "data");
}

// One step of momentum SGD. The gradient's sum over "data" appears by typing: params are equal along it, the
// batch is not.
inline auto step(const Params& params, const Params& momentum, const Batch& batch) {
  auto [value, gradient] = value_and_grad(loss)(params, batch);
  Params velocity = tree_map([](Array m, Array g) { return 0.9f * m + g; }, momentum, gradient);
  Params next = tree_map([](Array p, Array v) { return p - 0.1f * v; }, params, velocity);
  return std::tuple{value, next, velocity};
}

// How the parameters lie on the mesh: w1 and b1 by hidden unit, w2 by its rows, b2 on every device.
inline const Specs by_model{P(none, "model"), P("model"), P("model"), P()};

inline auto sharded_step(const Mesh& mesh) {
  return shard_map(step,
                   {.mesh = mesh, .in = {by_model, by_model, P("data")}, .out = {P(), by_model, by_model}});
}
inline auto sharded_logits(const Mesh& mesh) {
  return shard_map(logits, {.mesh = mesh, .in = {by_model, P()}, .out = P()});
}

}  // namespace digits
