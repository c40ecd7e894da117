// SPDX-License-Identifier: Apache-2.0
// The transformer example, 12 layers on 8 devices: twenty steps of training compared with the same in JAX.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/support/transformer_start.hpp"
#include "examples/support/transformer_text.hpp"
#include "examples/transformer_model.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace transformer;

const Mesh mesh({{"data", 4}, {"model", 2}});
constexpr std::size_t steps = 20, batch_size = 32, context = 32;

// Runs of the repository's licence, spread over it; other ones in each step.
Batch batch(const Tokens& text, std::size_t step) {
  std::vector<std::size_t> starts, later;
  for (std::size_t i = 0; i < batch_size; ++i) {
    starts.push_back((i * 331 + step * 97) % (text.size() - context - 1));
    later.push_back(starts.back() + 1);
  }
  return {runs_of(text, starts, context), runs_of(text, later, context)};
}

std::vector<Batch> batches() {
  Tokens text = read_tokens("LICENSE");
  std::vector<Batch> all;
  for (std::size_t i = 0; i < steps; ++i) all.push_back(batch(text, i));
  return all;
}

template <class Step, class Layers>
std::vector<double> losses(const Step& one_step, Params<Layers> params) {
  Params<Layers> momentum = zeros_like_tree(params);
  std::vector<double> found;
  auto train = open_local(mesh).compile(one_step, params, momentum, batches()[0]);
  for (const Batch& batch : batches()) {
    Array loss;
    std::tie(loss, params, momentum) = train(params, momentum, batch);
    found.push_back(loss.item());
  }
  return found;
}

Verdict asked_of_jax(const Params<std::vector<Layer>>& params) {
  Tensors arguments;
  for (const Array& array : tree::flatten(params)) arguments.push_back(array.tensor());
  std::vector<std::int32_t> seen, next;
  for (const Batch& batch : batches())
    for (auto [array, all] : {std::pair{&batch.seen, &seen}, std::pair{&batch.next, &next}}) {
      Tensor tensor = array->tensor();
      std::span<const std::int32_t> tokens = tensor.as<std::int32_t>();
      all->insert(all->end(), tokens.begin(), tokens.end());
    }
  for (const auto& tokens : {seen, next}) arguments.emplace_back(Shape{steps, batch_size, context}, tokens);
  return Oracle::shared().run_jax("transformer_losses", arguments);
}

testing::AssertionResult agree(const std::vector<double>& ours, const Tensor& theirs) {
  if (static_cast<std::int64_t>(ours.size()) != theirs.elements())
    return testing::AssertionFailure() << theirs.elements() << " losses";
  for (std::size_t i = 0; i < ours.size(); ++i) {
    double loss = theirs.at(static_cast<std::int64_t>(i));
    if (!(std::abs(ours[i] - loss) <= 1e-4))
      return testing::AssertionFailure() << "step " << i + 1 << ": " << ours[i] << ", not " << loss;
  }
  return testing::AssertionSuccess();
}

// Momentum that is kept with another factor: 0.909 instead of 0.9.
auto wrong_step(const Params<Layer>& params, const Params<Layer>& momentum, const Batch& batch) {
  return step(params, tree_map([](Array m) { return 1.01f * m; }, momentum), batch);
}

using transformer_training = OracleTest;

// One test, because JAX takes a while.
TEST_F(transformer_training, has_the_losses_of_jax_unrolled_and_in_a_scan_and_with_a_wrong_factor_not) {
  auto unrolled = unrolled_start({}, 7);
  auto scanned = stacked(unrolled);
  Verdict jax = asked_of_jax(unrolled);
  ASSERT_EQ(jax.failure, "");
  const Tensor& theirs = jax.results[0][0];
  EXPECT_TRUE(agree(losses(sharded_step(mesh, unrolled), unrolled), theirs));
  EXPECT_TRUE(agree(losses(sharded_step(mesh, scanned), scanned), theirs));
  Specs split = specs_of(scanned);
  auto planted =
      shard_map(wrong_step, {.mesh = mesh, .in = {split, split, P("data")}, .out = {P(), split, split}});
  EXPECT_FALSE(agree(losses(planted, scanned), theirs));
}

}  // namespace
