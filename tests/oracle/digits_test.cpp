// SPDX-License-Identifier: Apache-2.0
// The whole training step of the digits example, as StableHLO, run by XLA on 8 devices.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/digits_model.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/waves.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace {

using namespace digits;

const Mesh mesh({{"data", 4}, {"model", 2}});

struct State {
  Params params, momentum;
  Batch batch;
};

Params some_params(double phase) {
  return {waves({64, 128}, 0.2, phase), waves({128}, 0.2, phase + 1), waves({128, 10}, 0.2, phase + 2),
          waves({10}, 0.2, phase + 3)};
}

// The state as it lies on the mesh, each array by its spec.
State placed() {
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 256; ++i) labels.push_back(i * 7 % 10);
  Params params = some_params(0.1), momentum = some_params(5.1);
  Batch batch{waves({256, 64}, 1, 9.1), Tensor(Shape{256}, labels)};
  auto once = [](const Params& p, const Params& m, const Batch& b) {
    return std::tuple{tree_map([](Array x) { return x * 1.0F; }, p),
                      tree_map([](Array x) { return x * 1.0F; }, m), Batch{b.images * 1.0F, b.labels * 1}};
  };
  Specs specs{by_model, by_model, P("data")};
  auto place = open_local(mesh).compile(shard_map(once, {.mesh = mesh, .in = specs, .out = specs}), params,
                                        momentum, batch);
  auto [p, m, b] = place(params, momentum, batch);
  return {p, m, b};
}

std::vector<Tensors> parts_of(const Arrays& arrays) {
  std::vector<Tensors> parts;
  for (const Array& array : arrays) {
    Tensors& of_array = parts.emplace_back();
    for (int device = 0; device < mesh.devices(); ++device) of_array.push_back(array.data()->shard(device));
  }
  return parts;
}

using digits_step = OracleTest;

// Every result is a sum of at most 256 * 64 products of numbers below 4, behind at most two such sums:
// twice 2 * ceil(log2 n) * eps * sum|x|, with sum|x| <= 8 as the batch divides it.
TEST_F(digits_step, has_the_numbers_of_xla_on_every_device) {
  State state = placed();
  auto step = open_local(mesh).compile(sharded_step(mesh), state.params, state.momentum, state.batch);
  auto results = step(state.params, state.momentum, state.batch);
  std::string text = write(lower_global(step.program(), mesh));
  Arrays arguments = tree::flatten(std::tuple{state.params, state.momentum, state.batch});
  Verdict xla = Oracle::shared().run(text, mesh.devices(), parts_of(arguments));
  ASSERT_EQ(xla.errors, std::vector<std::string>{}) << text;
  ASSERT_EQ(xla.failure, "");
  std::vector<Tensors> ours = parts_of(tree::flatten(results));
  double bound = 2 * 2 * 14 * std::ldexp(1.0, -23) * 8;
  ASSERT_EQ(xla.results.size(), ours.size());
  for (std::size_t k = 0; k < ours.size(); ++k)
    for (std::size_t device = 0; device < 8; ++device) {
      ASSERT_EQ(ours[k][device].shape(), xla.results[k][device].shape());
      for (std::int64_t i = 0; i < ours[k][device].elements(); ++i)
        ASSERT_NEAR(ours[k][device].at(i), xla.results[k][device].at(i), bound)
            << "result " << k << ", device " << device;
    }
}

}  // namespace
