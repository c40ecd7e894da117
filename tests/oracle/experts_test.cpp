// SPDX-License-Identifier: Apache-2.0
// The experts example on 8 devices: steps of training compared with the same in JAX, where an all_gather and
// a gather do what ragged_all_to_all does.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/experts_model.hpp"
#include "examples/support/experts_start.hpp"
#include "examples/support/transformer_text.hpp"
#include "tests/support/oracle.hpp"

namespace {

using namespace experts;

const Mesh mesh({{"expert", 8}});
constexpr std::int64_t steps = 5, tokens = 64, context = 8;

Both zeros_like(const Both& both) {
  return tree_map([](const Array& a) { return Array(Tensor(a.shape(), a.dtype())); }, both);
}

// Runs of the repository's licence, spread over it; other ones in each step.
struct Runs {
  std::vector<std::int32_t> seen, next;
};
Runs runs_of_step(std::size_t step) {
  transformer::Tokens text = transformer::read_tokens("LICENSE");
  Runs runs;
  for (std::size_t i = 0; i < tokens; ++i) {
    auto first =
        text.begin() + static_cast<std::ptrdiff_t>((i * 163 + step * 97) % (text.size() - context - 1));
    runs.seen.insert(runs.seen.end(), first, first + context);
    runs.next.push_back(first[context]);
  }
  return runs;
}

template <class Step>
std::vector<Losses> train(const Step& one_step, Both both) {
  Both momentum = zeros_like(both);
  Batch like{abstract({tokens, context}, DType::i32), abstract({tokens}, DType::i32)};
  auto take_step = open_local(mesh).compile(one_step, both, momentum, like);
  std::vector<Losses> found;
  for (std::size_t i = 0; i < steps; ++i) {
    Runs runs = runs_of_step(i);
    Batch batch{Tensor({tokens, context}, runs.seen), Tensor({tokens}, runs.next)};
    Losses losses;
    std::tie(losses, both, momentum) = take_step(both, momentum, batch);
    found.push_back(losses);
  }
  return found;
}

Verdict asked_of_jax(const Both& both) {
  Tensors arguments;
  for (const Array& array : tree::flatten(both)) arguments.push_back(array.tensor());
  Runs all;
  for (std::size_t i = 0; i < steps; ++i) {
    Runs runs = runs_of_step(i);
    all.seen.insert(all.seen.end(), runs.seen.begin(), runs.seen.end());
    all.next.insert(all.next.end(), runs.next.begin(), runs.next.end());
  }
  arguments.emplace_back(Shape{steps, tokens, context}, all.seen);
  arguments.emplace_back(Shape{steps, tokens}, all.next);
  return Oracle::shared().run_jax("experts_losses", arguments);
}

// All is in f32. A sum of 128 terms whose sizes add up to 10 is off by at most 128 * eps/2 * 10 = 8e-5 on
// each side. No other sum here is longer. A loss is a mean over 64 tokens, which are off in either direction.
constexpr double bound = 2e-4;
// A token may go to either of two experts whose probabilities differ by less.
constexpr double near_tie = bound;

testing::AssertionResult agree(const std::vector<Losses>& ours, const Verdict& jax) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    auto row = static_cast<std::int64_t>(i);
    auto differ = [&](const Array& loss, std::size_t result) {
      return !(std::abs(loss.item() - jax.results[result][0].at(row)) <= bound);
    };
    if (differ(ours[i].dense, 0)) return testing::AssertionFailure() << "dense loss of step " << i + 1;
    if (differ(ours[i].experts, 1)) return testing::AssertionFailure() << "experts' loss of step " << i + 1;
    if (differ(ours[i].balance, 2)) return testing::AssertionFailure() << "balance of step " << i + 1;
    std::vector<std::int32_t> counts = ours[i].counts.values<std::int32_t>();
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (counts[k] != jax.results[3][0].at(row * 8 + static_cast<std::int64_t>(k)))
        return testing::AssertionFailure() << "tokens of expert " << k << " in step " << i + 1;
  }
  return testing::AssertionSuccess();
}

// Momentum that is kept with another factor: 0.909 instead of 0.9.
auto wrong_step(const Both& both, const Both& momentum, const Batch& batch) {
  return step(both, tree_map([](Array m) { return 1.01F * m; }, momentum), batch);
}

using experts_training = OracleTest;

// One test, because JAX takes a while.
TEST_F(experts_training, has_the_losses_and_counts_of_jax_and_with_a_wrong_factor_not) {
  Both both = start({}, 7);
  Verdict jax = asked_of_jax(both);
  ASSERT_EQ(jax.failure, "");
  for (std::int64_t i = 0; i < steps; ++i)
    ASSERT_GT(jax.results[4][0].at(i), near_tie) << "choose other text";
  EXPECT_TRUE(agree(train(sharded_step(mesh), both), jax));
  auto planted =
      shard_map(wrong_step,
                {.mesh = mesh, .in = {of_both, of_both, P("expert")}, .out = {P(), of_both, of_both}});
  EXPECT_FALSE(agree(train(planted, both), jax));
}

}  // namespace
