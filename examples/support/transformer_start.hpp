// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "examples/transformer_model.hpp"

namespace transformer {

struct Sizes {
  std::int64_t layers = 12, width = 64, heads = 4, hidden = 256, context = 32, vocabulary = 96;
};

/// Throws T014 if the mesh splits a head.
void require_whole_heads(const Mesh& mesh, const Sizes& sizes);

/// Random matrices, the same for the same seed; on the host.
Params<std::vector<Layer>> unrolled_start(const Sizes& sizes, std::uint64_t seed);
/// The same numbers for the scan.
Params<Layer> stacked(const Params<std::vector<Layer>>& params);

/// Zeros of the same shapes.
template <class T>
T zeros_like_tree(const T& like) {
  return tree_map([](const Array& a) { return Array(Tensor(a.shape(), a.dtype())); }, like);
}

}  // namespace transformer
