// SPDX-License-Identifier: Apache-2.0
// The examples' models on several processes, which are threads: every loss and every parameter has the bits
// of one process.
#include <gtest/gtest.h>

#include <functional>

#include "examples/digits_model.hpp"
#include "examples/experts_model.hpp"
#include "examples/gp_model.hpp"
#include "examples/heat_model.hpp"
#include "examples/poisson_model.hpp"
#include "examples/support/digits_data.hpp"
#include "examples/support/experts_start.hpp"
#include "examples/support/gp_data.hpp"
#include "examples/support/random.hpp"
#include "examples/support/transformer_start.hpp"
#include "examples/support/transformer_text.hpp"
#include "examples/transformer_model.hpp"
#include "tests/support/many_processes.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace {

using namespace tutti;
using examples::Random;

constexpr int steps = 4;

struct Run {
  std::vector<double> losses;
  Tensors results;
  bool operator==(const Run&) const = default;
};

/// Adds the whole arrays of a tree. All processes call it.
template <class T>
void add_whole(Run& run, const Machine& machine, const T& tree) {
  for (const Array& leaf : tree::flatten(machine.place(tree, P()))) run.results.push_back(leaf.tensor());
}

using Train = std::function<Run(const Machine&)>;

void expect_the_bits_of_one_process(const Mesh& mesh, const Train& train,
                                    const MachineOptions& options = {}) {
  const Run expected = train(open_local(mesh, {.workers = 1}));
  for (const Processes::Split& grid : grids_of(mesh)) {
    if (boxes_of(grid) > 4) continue;
    on_machines(
        mesh, {.count = boxes_of(grid), .split = grid, .workers = {1, 2}},
        [&](const Machine& machine) { EXPECT_TRUE(train(machine) == expected) << grid_name(grid); }, options);
  }
}

template <class T>
T zeros_like_tree_of(const T& tree) {
  return tree_map([](const Array& a) { return Array(Tensor(a.shape(), a.dtype())); }, tree);
}

Run train_digits(const Machine& machine) {
  Random random(7);
  const digits::Data data = digits::read_data("examples/data/digits.csv.gz");
  std::vector<std::size_t> rows = digits::split(data).training;
  rows.resize(64);
  digits::Params params{random.uniform({64, 32}, 0.3), random.uniform({32}, 0.3),
                        random.uniform({32, 10}, 0.3), random.uniform({10}, 0.3)};
  digits::Params momentum = zeros_like_tree_of(params);
  const digits::Batch batch{data.images_of(rows), data.labels_of(rows)};
  const auto step = machine.compile(digits::sharded_step(machine.mesh()), params, momentum, batch);
  Run run;
  for (int i = 0; i < steps; ++i) {
    Array loss;
    std::tie(loss, params, momentum) = step(std::move(params), std::move(momentum), batch);
    run.losses.push_back(loss.item());
  }
  add_whole(run, machine, params);
  return run;
}

TEST(processes, train_digits) { expect_the_bits_of_one_process(parse_mesh("data=4,model=2"), train_digits); }
TEST(processes, train_digits_with_all_checks) {
  expect_the_bits_of_one_process(parse_mesh("data=4,model=2"), train_digits,
                                 {.storage = Storage::per_device, .check_assumptions = true});
  expect_the_bits_of_one_process(parse_mesh("data=4,model=2"), train_digits, {.check_nans = true});
}

template <class Layers>
Run train_transformer(const Machine& machine, transformer::Params<Layers> params) {
  const transformer::Tokens text = transformer::read_tokens("LICENSE");
  std::vector<std::size_t> starts, later;
  for (std::size_t i = 0; i < 16; ++i) {
    starts.push_back(i * 331);
    later.push_back(i * 331 + 1);
  }
  const transformer::Batch batch{transformer::runs_of(text, starts, 32),
                                 transformer::runs_of(text, later, 32)};
  transformer::Params<Layers> momentum = zeros_like_tree_of(params);
  const auto step =
      machine.compile(transformer::sharded_step(machine.mesh(), params), params, momentum, batch);
  Run run;
  for (int i = 0; i < steps; ++i) {
    Array loss;
    std::tie(loss, params, momentum) = step(std::move(params), std::move(momentum), batch);
    run.losses.push_back(loss.item());
  }
  add_whole(run, machine, params);
  return run;
}

TEST(processes, train_a_transformer) {
  const auto start = transformer::unrolled_start({.layers = 2}, 3);
  expect_the_bits_of_one_process(parse_mesh("data=4,model=2"),
                                 [&](const Machine& machine) { return train_transformer(machine, start); });
  expect_the_bits_of_one_process(parse_mesh("data=4,model=2"), [&](const Machine& machine) {
    return train_transformer(machine, transformer::stacked(start));
  });
}

Run train_experts(const Machine& machine) {
  const transformer::Tokens text = transformer::read_tokens("LICENSE");
  constexpr std::size_t context = 3, tokens = 64;
  std::vector<std::size_t> starts;
  std::vector<std::int32_t> next;
  for (std::size_t i = 0; i < tokens; ++i) {
    starts.push_back(i * 97);
    next.push_back(text[i * 97 + context]);
  }
  const experts::Batch batch{transformer::runs_of(text, starts, context), Tensor({std::ssize(next)}, next)};
  experts::Both both = experts::start({.experts = 4, .context = context}, 5);
  experts::Both momentum = zeros_like_tree_of(both);
  const auto step = machine.compile(experts::sharded_step(machine.mesh()), both, momentum, batch);
  Run run;
  for (int i = 0; i < steps; ++i) {
    experts::Losses found;
    std::tie(found, both, momentum) = step(std::move(both), std::move(momentum), batch);
    run.losses.push_back(found.dense.item());
    run.losses.push_back(found.experts.item());
  }
  add_whole(run, machine, both);
  return run;
}

TEST(processes, train_experts) { expect_the_bits_of_one_process(parse_mesh("expert=4"), train_experts); }

Run find_the_initial_heat(const Machine& machine) {
  constexpr int size = 16, time_steps = 12;
  Random random(3);
  const Array initial = random.uniform({size, size}, 1);
  const auto spread_out = machine.compile(heat::sharded_after(machine.mesh(), time_steps), initial);
  const Array final_field = spread_out(initial);
  const Array zeros = Tensor({size, size}, DType::f32);
  heat::Search search{zeros, zeros};
  const auto step = machine.compile(heat::sharded_step(machine.mesh(), time_steps), search, final_field);
  Run run;
  for (int i = 0; i < steps; ++i) {
    Array misfit;
    std::tie(misfit, search) = step(std::move(search), final_field);
    run.losses.push_back(misfit.item());
  }
  add_whole(run, machine, search);
  return run;
}

Run fit_a_gaussian_process(const Machine& machine) {
  const gp::Points given = gp::points(64, 1);
  const Array x = given.x, y = given.y, zero = Tensor::scalar(0.0);
  gp::Search search{{zero, zero, zero}, {zero, zero, zero}};
  const auto step = machine.compile(gp::sharded_step(machine.mesh()), search, x, y);
  Run run;
  for (int i = 0; i < steps; ++i) {
    Array loss;
    std::tie(loss, search) = step(std::move(search), x, y);
    run.losses.push_back(loss.item());
  }
  const auto predict = machine.compile(gp::sharded_predict(machine.mesh()), search.kernel, x, y, x);
  add_whole(run, machine, predict(search.kernel, x, y, x));
  return run;
}

TEST(processes, fit_a_gaussian_process) {
  expect_the_bits_of_one_process(parse_mesh("data=8"), fit_a_gaussian_process);
}

TEST(processes, find_the_initial_heat) {
  expect_the_bits_of_one_process(parse_mesh("y=4,x=2"), find_the_initial_heat);
}

Run find_the_source(const Machine& machine) {
  constexpr int size = 8;
  Random random(3);
  const poisson::Waves waves = poisson::waves_of(size, machine.mesh());
  const Array given = random.uniform({size, size, size}, 1);
  const Array zeros = Tensor({size, size, size}, DType::f32);
  poisson::Search search{zeros, zeros};
  const auto step = machine.compile(poisson::sharded_step(machine.mesh()), waves, search, given);
  Run run;
  for (int i = 0; i < steps; ++i) {
    Array misfit;
    std::tie(misfit, search) = step(waves, std::move(search), given);
    run.losses.push_back(misfit.item());
  }
  add_whole(run, machine, search);
  return run;
}

TEST(processes, find_the_source_of_a_potential) {
  if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  expect_the_bits_of_one_process(parse_mesh("y=4,x=2"), find_the_source);
}

}  // namespace
