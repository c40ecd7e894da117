// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/collectives/of_trees.hpp"
#include "tutti/base/inside.hpp"

#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Layer {
  Array weight, bias;
};
using Layers = std::vector<Layer>;

const Mesh line({{"x", 2}});

/// Runs the function of one device on two layers of its own, on both devices.
std::vector<Tensor> on_devices(Layers (*body)(const Layers&)) {
  Layers layers{{Tensor(Shape{4}, {1.F, 2.F, 3.F, 4.F}), Tensor(Shape{2}, {5.F, 6.F})},
                {Tensor(Shape{4}, {-1.F, 0.F, 10.F, 20.F}), Tensor(Shape{2}, {7.F, 9.F})}};
  auto compiled =
      open_local(line).compile(shard_map(body, {.mesh = line, .in = P("x"), .out = P("x")}), layers);
  std::vector<Tensor> found;
  for (const Layer& layer : compiled(layers)) {
    found.push_back(layer.weight.tensor());
    found.push_back(layer.bias.tensor());
  }
  return found;
}

TEST(of_trees, sums_every_leaf) {
  auto body = [](const Layers& layers) { return pcast(psum(layers, "x"), "x", varying); };
  EXPECT_EQ(on_devices(body),
            (std::vector<Tensor>{Tensor(Shape{4}, {4.F, 6.F, 4.F, 6.F}), Tensor(Shape{2}, {11.F, 11.F}),
                                 Tensor(Shape{4}, {9.F, 20.F, 9.F, 20.F}), Tensor(Shape{2}, {16.F, 16.F})}));
}

TEST(of_trees, moves_every_leaf) {
  auto body = [](const Layers& layers) { return ppermute(layers, "x", {{0, 1}, {1, 0}}); };
  EXPECT_EQ(on_devices(body),
            (std::vector<Tensor>{Tensor(Shape{4}, {3.F, 4.F, 1.F, 2.F}), Tensor(Shape{2}, {6.F, 5.F}),
                                 Tensor(Shape{4}, {10.F, 20.F, -1.F, 0.F}), Tensor(Shape{2}, {9.F, 7.F})}));
}

TEST(of_trees, takes_the_options_of_one_array) {
  auto body = [](const Layers& layers) {
    return psum_scatter(all_gather(layers, "x", {.tiled = true}), "x", {.tiled = true});
  };
  EXPECT_EQ(on_devices(body),
            (std::vector<Tensor>{Tensor(Shape{4}, {2.F, 4.F, 6.F, 8.F}), Tensor(Shape{2}, {10.F, 12.F}),
                                 Tensor(Shape{4}, {-2.F, 0.F, 20.F, 40.F}), Tensor(Shape{2}, {14.F, 18.F})}));
}

TEST(of_trees, says_the_line_of_the_call) {
  int line_of_call = 0;
  auto body = [&](const std::pair<Array, Array>& t) {
    line_of_call = __LINE__ + 1;
    return pmax(t, "y");
  };
  Array x = Tensor(Shape{2}, {1.F, 2.F});
  try {
    open_local(line).compile(shard_map(body, {.mesh = line, .in = P("x"), .out = P("x")}), std::pair{x, x});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where().line, line_of_call);
    EXPECT_EQ(
        error.message(),
        "pmax: leaf 0: axis 'y' is not bound here; bound: 'x'. Bind it with shard_map over a mesh that has "
        "it, or with vmap(f, {.axis = \"y\"})");
  }
}

}  // namespace
}  // namespace tutti
