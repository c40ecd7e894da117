// SPDX-License-Identifier: Apache-2.0
#include "examples/support/experts_start.hpp"

#include <cmath>

#include "examples/support/random.hpp"

namespace experts {

Both start(const Sizes& sizes, std::uint64_t seed) {
  examples::Random random(seed);
  // A product with numbers of variance 1 has the variance `variance`. `rows` is the dim before the last.
  auto matrix = [&](Shape shape, double variance = 1) {
    auto rows = static_cast<double>(shape[shape.rank() - 2]);
    return Array(random.uniform(std::move(shape), std::sqrt(3 * variance / rows)));
  };
  Around around{random.uniform({sizes.vocabulary, sizes.part}, 1),
                matrix({sizes.context * sizes.part, sizes.width}),
                matrix({sizes.width, sizes.vocabulary}, 0.1)};
  const std::int64_t width = sizes.width, hidden = sizes.hidden, wider = hidden + sizes.experts / 2;
  Dense dense{around, {matrix({width, wider}), matrix({wider, width})}};
  Experts experts{around,
                  matrix({width, sizes.experts}),
                  {matrix({sizes.experts, width, hidden}), matrix({sizes.experts, hidden, width})}};
  return {dense, experts};
}

}  // namespace experts
