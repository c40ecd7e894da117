// SPDX-License-Identifier: Apache-2.0
// Trains a layer of experts, and for comparison a dense layer, to predict the next character of a text; see
// experts_model.hpp for what one device does.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "examples/experts_model.hpp"
#include "examples/support/curve_picture.hpp"
#include "examples/support/experts_options.hpp"
#include "examples/support/experts_start.hpp"
#include "examples/support/random.hpp"
#include "examples/support/transformer_text.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace {

using namespace experts;
using examples::Curve;
using examples::Random;
using transformer::Tokens;

constexpr std::size_t batch_size = 256, tested = 512, context = Sizes{}.context;
constexpr std::uint64_t seed = 2026;  // fixed before the first run

Batch batch_of(const Tokens& text, std::span<const std::size_t> starts) {
  std::vector<std::int32_t> next;
  for (std::size_t start : starts) next.push_back(text[start + context]);
  return {transformer::runs_of(text, starts, context), Tensor({std::ssize(next)}, next)};
}

Batch random_batch(const Tokens& text, std::span<const std::size_t> starts, Random& random) {
  return batch_of(text, transformer::drawn_from(starts, batch_size, random));
}

template <class T>
std::int64_t elements(const T& tree) {
  std::int64_t sum = 0;
  tree::for_each_leaf(tree, [&](const Array& array) { sum += array.shape().elements(); });
  return sum;
}

void report(const Tokens& text, std::span<const std::size_t> held_out, const Machine& machine,
            const Both& both) {
  std::vector<std::size_t> starts = transformer::evenly_spaced(held_out, tested);
  Batch batch = batch_of(text, starts);
  Losses found = machine.compile(sharded_losses(machine.mesh()), both, batch)(both, batch);
  std::vector<std::int32_t> counts = found.counts.values<std::int32_t>();
  fmt::print("held-out characters by expert:\n{}", examples::bars(counts));

  for (std::size_t& start : starts) start += context - 1;
  std::int64_t of_layers = elements(both.experts.layer), all = elements(both.experts);
  fmt::print("parameters that one character uses: dense {}, experts {} of {}\n", elements(both.dense),
             all - of_layers + of_layers / std::ssize(counts), all);
  fmt::print("loss on held-out text: dense {:.3f}, experts {:.3f}; by counted pairs of characters {:.3f}\n",
             found.dense.item(), found.experts.item(), transformer::loss_by_pairs(text, starts, 1));
}

double mean_of_last(std::size_t steps, const Curve& curve) {
  std::size_t n = std::min(steps, curve.values.size());
  auto first = curve.values.end() - static_cast<std::ptrdiff_t>(n);
  return std::accumulate(first, curve.values.end(), 0.0) / static_cast<double>(n);
}

void report(const Curve& dense, const Curve& experts) {
  constexpr std::size_t last = 20;
  if (!dense.values.empty())
    fmt::print("loss in training, mean of the last steps: dense {:.3f}, experts {:.3f}\n",
               mean_of_last(last, dense), mean_of_last(last, experts));
}

std::int64_t experts_of(const Mesh& mesh) {
  for (const Axis& axis : mesh.axes())
    if (axis.name == "expert") return axis.size;
  return 1;  // shard_map says that there is no such axis
}

void run_on(const Machine& machine, const Options& options) {
  const bool has_picture = !options.picture.empty() && machine.process() == 0;
  if (has_picture) require_writable(options.picture, ".svg", SpecialFile::allowed, Where{});
  const Mesh& mesh = machine.mesh();
  Tokens text = transformer::read_tokens(options.text);
  transformer::Split starts = transformer::split(text, context + 1);
  Random random(seed + 1);
  Both both = start({.experts = experts_of(mesh)}, seed);
  Both momentum = tree_map([](const Array& a) { return Array(Tensor(a.shape(), a.dtype())); }, both);
  const int steps_taken = examples::load(machine, options, both, momentum);

  Curve dense{"dense", {}}, experts{"experts", {}};
  auto step =
      machine.compile(sharded_step(mesh), both, momentum, random_batch(text, starts.training, random));
  for (int i = 0; i < steps_taken; ++i) random_batch(text, starts.training, random);
  auto take_step = [&] {
    Losses found;
    std::tie(found, both, momentum) =
        step(std::move(both), std::move(momentum), random_batch(text, starts.training, random));
    dense.values.push_back(found.dense.item());
    experts.values.push_back(found.experts.item());
    return experts.values.back();
  };
  if (options.explain) {
    examples::explain(step, take_step);
    return examples::show(machine, options, step);
  }

  fmt::print("{} training characters on {}\n", starts.training.size(), machine.description());
  const auto save = [&](int steps) { examples::save(machine, options, both, momentum, steps); };
  examples::train(machine, options, {steps_taken, take_step, save});
  examples::show(machine, options, step);
  report(text, starts.held_out, machine, both);
  report(dense, experts);
  if (has_picture) examples::write_picture(options.picture, "loss in training", std::vector{dense, experts});
}

void run(const Options& options) {
  Machine machine = examples::open_machine(parse_mesh(options.mesh), options);
  run_on(machine, options);
  examples::warn_of_left_out("experts", machine, options);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("experts", [&] {
    if (std::optional<Options> options = experts::parse(argc, argv)) run(*options);
    return 0;
  });
}
