// SPDX-License-Identifier: Apache-2.0
// The function of one device in the experts example. Two networks guess the next character. In the middle of
// one is a layer of experts, one per device along "expert": each token goes to the one that its router
// chooses, and comes back. In the other it is one dense layer, with as many parameters as a token meets in
// the first.
// Shared with the tests.
#pragma once

#include <tuple>
#include <utility>

#include "tutti/tutti.hpp"

namespace experts {

using namespace tutti;

struct Mlp {
  Array up, down;  // [width, hidden] [hidden, width]
};
struct Around {              // what stands before and after the layer
  Array characters, joined;  // [vocabulary, part] [context * part, width]
  Array scores;              // [width, vocabulary]
};
struct Dense {
  Around around;
  Mlp layer;
};
struct Experts {
  Around around;
  Array router;  // [width, experts]
  Mlp layer;     // of one expert; of all [experts, ..], split over the devices
};
struct Both {
  Dense dense;
  Experts experts;
};
struct Batch {
  Array seen, next;  // i32[tokens, context], i32[tokens]: characters, and the one that follows them
};

inline Array through(const Mlp& layer, const Array& x) {
  return matmul(relu(matmul(x, layer.up)), layer.down);
}

// Sends each device its part of `rows`, which are sorted by device; `sizes` has the number of rows for each.
// Returns [room, width]: the rows that arrive, sorted by sender, then zeros.
inline Array exchanged(const Array& rows, const Array& sizes, std::int64_t room) {
  RaggedSlices slices{cumsum(sizes) - sizes, sizes, packed_offsets(sizes, "expert")};
  return ragged_all_to_all(rows, zeros({room, rows.dim(1)}, rows.dtype()), slices, "expert");
}

struct Routed {
  Array x;       // [tokens, width]
  Array counts;  // i32[experts]: how many tokens of all devices each expert gets
  Array
      balance;  // 1 if all experts get equally many tokens, n if one of n gets all (Fedus, Zoph, Shazeer 2021)
};

// There is room for all tokens of all devices, so none is dropped. The price is that each expert computes
// as many rows, most of them zeros. The probability of the chosen expert is the weight of its answer: that
// is how the router learns.
inline Routed through_experts(const Experts& network, const Array& x) {
  const std::int64_t tokens = x.dim(0), experts = axis_size("expert");
  Array probability = softmax(matmul(x, network.router));
  Array chosen = argmax(stop_gradient(probability), 1), order = argsort(chosen);
  Array sizes = reduce_sum(one_hot(chosen, axis_size("expert"), DType::i32), 0);
  Array arrived = exchanged(take(x, order, 0), sizes, experts * tokens);
  Array answered = through(tree_map([](Array w) { return index_in_dim(w, 0); }, network.layer), arrived);
  Array back = exchanged(answered, all_to_all(sizes, "expert", {.tiled = true}), tokens);

  Array counts = psum(sizes, "expert"), likely = pmean(mean(probability, 0), "expert");
  Array balance = reduce_sum(convert(counts, DType::f32) * likely) / tokens;
  Array weight = expand_dims(reduce_max(probability, 1), 1);
  return {weight * take(back, argsort(order), 0), counts, balance};
}

// [tokens, width]: what the layer sees.
inline Array before_layer(const Around& around, const Array& seen) {
  Array parts = take(around.characters, seen, 0);
  return standardize(matmul(reshape(parts, {seen.dim(0), -1}), around.joined));
}
inline Array loss_after(const Around& around, const Array& x, const Array& next) {
  return pmean(cross_entropy(matmul(standardize(x), around.scores), next), "expert");
}

struct Losses {
  Array dense, experts, balance, counts;
};
inline Losses losses(const Both& both, const Batch& batch) {
  const auto& [dense, experts] = both;
  Array x = before_layer(dense.around, batch.seen), y = before_layer(experts.around, batch.seen);
  Routed routed = through_experts(experts, y);
  return {loss_after(dense.around, x + through(dense.layer, x), batch.next),
          loss_after(experts.around, y + routed.x, batch.next), routed.balance, routed.counts};
}

// One step of momentum SGD for both networks.
inline auto step(const Both& both, const Both& momentum, const Batch& batch) {
  auto goal = [&](const Both& networks) {
    Losses all = losses(networks, batch);
    return std::pair{all.dense + all.experts + 0.1F * all.balance, all};
  };
  auto [value, gradient] = value_and_grad(goal)(both);
  Both velocity = tree_map([](Array m, Array g) { return 0.9F * m + g; }, momentum, gradient);
  Both next = tree_map([](Array p, Array v) { return p - 0.1F * v; }, both, velocity);
  return std::tuple{value.second, next, velocity};
}

// The experts' layers lie on their devices, all else on every device.
inline const Specs of_both{P(), {P(), P(), P("expert")}};

inline auto sharded_step(const Mesh& mesh) {
  return shard_map(step,
                   {.mesh = mesh, .in = {of_both, of_both, P("expert")}, .out = {P(), of_both, of_both}});
}
inline auto sharded_losses(const Mesh& mesh) {
  return shard_map(losses, {.mesh = mesh, .in = {of_both, P("expert")}, .out = P()});
}

}  // namespace experts
