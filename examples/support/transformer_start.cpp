// SPDX-License-Identifier: Apache-2.0
#include "examples/support/transformer_start.hpp"

#include <cmath>
#include <cstring>

#include "examples/support/random.hpp"
#include "tutti/base/require.hpp"

namespace transformer {
namespace {

Tensor stacked(const Tensors& parts) {
  Tensor whole(parts[0].shape().inserted(Dim{0}, static_cast<std::int64_t>(parts.size())), parts[0].dtype());
  std::byte* to = whole.mutable_bytes();
  for (const Tensor& part : parts) {
    std::memcpy(to, part.data(), part.bytes());
    to += part.bytes();
  }
  return whole;
}

}  // namespace

void require_whole_heads(const Mesh& mesh, const Sizes& sizes) {
  for (const Axis& axis : mesh.axes())
    ops::require(axis.name != "model" || sizes.heads % axis.size == 0, Code::mesh,
                 "{} heads do not split over the {} devices of 'model'; make its size a divisor of {}",
                 sizes.heads, axis.size, sizes.heads);
}

Params<std::vector<Layer>> unrolled_start(const Sizes& sizes, std::uint64_t seed) {
  examples::Random random(seed);
  std::int64_t width = sizes.width, attended = sizes.heads * head_size;
  // A product with numbers of variance 1 has the variance `variance`.
  auto matrix = [&](std::int64_t rows, std::int64_t columns, double variance = 1) {
    return Array(random.uniform({rows, columns}, std::sqrt(3 * variance / static_cast<double>(rows))));
  };
  auto norm = [&] {
    return Norm{Tensor(Shape{width}, std::vector<float>(static_cast<std::size_t>(width), 1)),
                Tensor({width}, DType::f32)};
  };
  double small =
      0.5 / static_cast<double>(sizes.layers);  // all terms that layers add together have variance 1
  Params<std::vector<Layer>> params{random.uniform({sizes.vocabulary, width}, 0.5),
                                    random.uniform({sizes.context, width}, 0.5),
                                    {},
                                    norm(),
                                    matrix(width, sizes.vocabulary, 0.1)};
  for (std::int64_t i = 0; i < sizes.layers; ++i)
    params.layers.push_back({norm(), matrix(width, attended), matrix(width, attended),
                             matrix(width, attended), matrix(attended, width, small), norm(),
                             matrix(width, sizes.hidden), matrix(sizes.hidden, width, small)});
  return params;
}

Params<Layer> stacked(const Params<std::vector<Layer>>& params) {
  std::vector<Tensors> parts;  // per array of a layer
  for (const Layer& layer : params.layers) {
    Arrays arrays = tree::flatten(layer);
    parts.resize(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i) parts[i].push_back(arrays[i].tensor());
  }
  Arrays arrays;
  for (const Tensors& layers : parts) arrays.push_back(stacked(layers));
  return {params.characters, params.places, tree::rebuild(params.layers[0], arrays), params.last,
          params.scores};
}

}  // namespace transformer
