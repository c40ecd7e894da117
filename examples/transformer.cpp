// SPDX-License-Identifier: Apache-2.0
// Trains a transformer to predict the next character of a text, fully sharded data parallel and model
// parallel; see transformer_model.hpp for what one device does.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "examples/support/random.hpp"
#include "examples/support/transformer_options.hpp"
#include "examples/support/transformer_start.hpp"
#include "examples/support/transformer_text.hpp"
#include "examples/transformer_model.hpp"
#include "tutti/cli/words/program.hpp"

namespace {

using namespace transformer;
using examples::Random;

constexpr std::size_t batch_size = 32, tested = 128, context = 32;
constexpr std::uint64_t seed = 2026;  // fixed before the first run

Batch batch_of(const Tokens& text, std::vector<std::size_t> starts) {
  Tensor seen = runs_of(text, starts, context);
  for (std::size_t& start : starts) ++start;
  return {seen, runs_of(text, starts, context)};
}

Batch random_batch(const Tokens& text, std::span<const std::size_t> starts, Random& random) {
  return batch_of(text, drawn_from(starts, batch_size, random));
}

// A character by its score, the likely ones more often than the model says.
std::int32_t drawn(std::span<const float> scores, Random& random) {
  float top = *std::ranges::max_element(scores);
  std::vector<double> sums;
  for (float score : scores) sums.push_back((sums.empty() ? 0 : sums.back()) + std::exp(2.0 * (score - top)));
  auto chosen = std::ranges::upper_bound(sums, random.uniform() * sums.back());
  return static_cast<std::int32_t>(std::min(chosen - sums.begin(), std::ssize(sums) - 1));
}

// The text with more characters, one after the other; each is chosen by what the last `context` ones are.
template <class Layers>
Tokens continued(Tokens text, int more, const Machine& machine, const Params<Layers>& params) {
  Random random(seed + 2);
  auto window = [&] { return Array(runs_of(text, std::vector{text.size() - context}, context)); };
  auto scores = machine.compile(sharded_logits(machine.mesh(), params), params, window());
  for (int i = 0; i < more; ++i) {
    Tensor all = scores(params, window()).tensor();
    text.push_back(drawn(all.as<float>().last(static_cast<std::size_t>(vocabulary)), random));
  }
  return text;
}

template <class Layers>
void report(const Tokens& text, std::span<const std::size_t> held_out, const Machine& machine,
            const Params<Layers>& params) {
  std::vector<std::size_t> starts = evenly_spaced(held_out, tested);
  auto from = text.begin() + static_cast<std::ptrdiff_t>(starts[0]);
  fmt::print("it writes:\n{}\n", decoded(continued({from, from + context}, 200, machine, params)));
  Batch batch = batch_of(text, starts);
  double loss = machine.compile(sharded_loss(machine.mesh(), params), params, batch)(params, batch).item();
  fmt::print("loss {:.3f} on held-out text; by counted pairs of characters it would be {:.3f}\n", loss,
             loss_by_pairs(text, starts, context));
}

template <class Layers>
void run_on(const Machine& machine, const Options& options, Params<Layers> params) {
  const Mesh& mesh = machine.mesh();
  Tokens text = read_tokens(options.text);
  Split starts = split(text, context + 1);
  Random random(seed + 1);
  Params<Layers> momentum = zeros_like_tree(params);
  const int steps_taken = examples::load(machine, options, params, momentum);

  Batch first = random_batch(text, starts.training, random);
  for (int i = 0; i < steps_taken; ++i) random_batch(text, starts.training, random);
  auto step = machine.compile(sharded_step(mesh, params), params, momentum, first);
  auto take_step = [&] {
    Array loss;
    std::tie(loss, params, momentum) =
        step(std::move(params), std::move(momentum), random_batch(text, starts.training, random));
    return loss.item();
  };
  if (options.explain) {
    examples::explain(step, take_step);
    return examples::show(machine, options, step);
  }

  fmt::print("{} training characters on {}\n", split(text, 1).training.size(), machine.description());
  const auto save = [&](int steps) { examples::save(machine, options, params, momentum, steps); };
  examples::train(machine, options, {steps_taken, take_step, save});
  examples::show(machine, options, step);
  report(text, starts.held_out, machine, params);
}

void run(const Options& options) {
  Mesh mesh = parse_mesh(options.mesh);
  require_whole_heads(mesh, {});
  Machine machine = examples::open_machine(mesh, options);
  auto start = unrolled_start({.layers = options.layers}, seed);
  if (options.scan) run_on(machine, options, stacked(start));
  else run_on(machine, options, start);
  examples::warn_of_left_out("transformer", machine, options);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("transformer", [&] {
    if (std::optional<Options> options = transformer::parse(argc, argv)) run(*options);
    return 0;
  });
}
