// SPDX-License-Identifier: Apache-2.0
// The function of one device in the transformer example. The batch is split over the mesh axis "data"; heads
// and hidden units are split over "model". Of every matrix a device keeps only its part along "data" and
// gathers the rest when a layer needs it (fully sharded data parallel). Shared with the tests and benchmarks.
#pragma once

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/tutti.hpp"

namespace transformer {

using namespace tutti;

constexpr std::int64_t head_size = 16;

struct Norm {
  Array scale, shift;  // [width]
};
struct Layer {
  Norm before_attention;
  Array query, key, value;  // [width, heads * head_size]
  Array output;             // [heads * head_size, width]
  Norm before_mlp;
  Array up, down;  // [width, hidden] [hidden, width]
};
// Layers: std::vector<Layer>, they are unrolled; or one Layer whose arrays have the layers as dim 0, in a
// scan.
template <class Layers>
struct Params {
  Array characters, places;  // [vocabulary, width] [context, width]
  Layers layers;
  Norm last;
  Array scores;  // [width, vocabulary]
};
struct Batch {
  Array seen, next;  // i32[batch, context]: characters, and those that follow them
};

// The whole matrix. Each device along "data" keeps some of its rows. Reduced: its gradient is a sum of terms,
// and each device gets the sum for its own rows, by a reduce_scatter.
inline Array whole(const Array& rows) { return all_gather(rows, "data", {.tiled = true, .to = reduced}); }

inline Array normalised(const Array& x, const Norm& norm) { return standardize(x) * norm.scale + norm.shift; }

// Attention of this device's heads over the characters so far; the sum over "model" is what all heads see.
inline Array attention(const Array& x, const Layer& layer) {
  std::int64_t batch = x.dim(0), time = x.dim(1);
  auto by_head = [&](const Array& weights) {  // [batch, heads, time, head_size]
    return transpose(reshape(matmul(x, whole(weights)), {batch, time, -1, head_size}), {0, 2, 1, 3});
  };
  Array query = by_head(layer.query), key = by_head(layer.key), value = by_head(layer.value);
  Array likeness = matmul(query, transpose(key, {0, 1, 3, 2})) / std::sqrt(head_size);
  Array is_past = iota({time, time}, DType::i32, 0) >= iota({time, time}, DType::i32, 1);
  Array mixed = matmul(softmax(where(is_past, likeness, -1e9)), value);
  Array joined = reshape(transpose(mixed, {0, 2, 1, 3}), {batch, time, -1});
  return psum(matmul(joined, whole(layer.output)), "model");
}

// Each device has its part of the hidden units.
inline Array mlp(const Array& x, const Layer& layer) {
  return psum(matmul(relu(matmul(x, whole(layer.up))), whole(layer.down)), "model");
}

inline Array through(const Layer& layer, Array x) {
  x += attention(normalised(x, layer.before_attention), layer);
  return x + mlp(normalised(x, layer.before_mlp), layer);
}
inline Array through_all(const std::vector<Layer>& layers, Array x) {
  for (const Layer& layer : layers) x = through(layer, x);
  return x;
}
inline Array through_all(const Layer& layers, const Array& x) {
  auto trip = [](const Array& y, const Layer& layer) { return std::pair{through(layer, y), std::tuple{}}; };
  return scan(trip, x, layers).first;
}

// [batch, context, vocabulary]
template <class Layers>
Array logits(const Params<Layers>& params, const Array& seen) {
  Array x = take(whole(params.characters), seen, 0) + whole(params.places);
  return matmul(normalised(through_all(params.layers, x), params.last), whole(params.scores));
}

template <class Layers>
Array loss(const Params<Layers>& params, const Batch& batch) {
  return pmean(cross_entropy(logits(params, batch.seen), batch.next), "data");
}

// One step of momentum SGD, each device for its parts of the parameters.
template <class Layers>
auto step(const Params<Layers>& params, const Params<Layers>& momentum, const Batch& batch) {
  auto [value, gradient] = value_and_grad(loss<Layers>)(params, batch);
  auto velocity = tree_map([](Array m, Array g) { return 0.9f * m + g; }, momentum, gradient);
  auto next = tree_map([](Array p, Array v) { return p - 0.1f * v; }, params, velocity);
  return std::tuple{value, next, velocity};
}

// How the parameters lie on the mesh: norms on every device, each matrix split over all of them.
inline Specs specs_of(const std::vector<Layer>& layers) {
  P columns("data", "model"), rows(SpecEntry{"model", "data"});
  Specs one{P(), columns, columns, columns, rows, P(), columns, rows};
  return Specs(std::vector<Specs>(layers.size(), one));
}
inline Specs specs_of(const Layer&) {
  P columns(none, "data", "model"), rows(none, SpecEntry{"model", "data"});
  return {P(), columns, columns, columns, rows, P(), columns, rows};
}
template <class Layers>
Specs specs_of(const Params<Layers>& params) {
  return {P("data"), P("data"), specs_of(params.layers), P(), P("data")};
}

// The parameters say how many layers there are; their values are not read.
template <class Layers>
auto sharded_step(const Mesh& mesh, const Params<Layers>& params) {
  Specs split = specs_of(params);
  return shard_map(step<Layers>, {.mesh = mesh, .in = {split, split, P("data")}, .out = {P(), split, split}});
}
template <class Layers>
auto sharded_loss(const Mesh& mesh, const Params<Layers>& params) {
  return shard_map(loss<Layers>, {.mesh = mesh, .in = {specs_of(params), P("data")}, .out = P()});
}
template <class Layers>
auto sharded_logits(const Mesh& mesh, const Params<Layers>& params) {
  return shard_map(logits<Layers>, {.mesh = mesh, .in = {specs_of(params), P()}, .out = P()});
}

}  // namespace transformer
