// SPDX-License-Identifier: Apache-2.0
// The experts example: its layer compared with a loop over tokens, its training, its pictures, and the
// program as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "examples/experts_model.hpp"
#include "examples/support/curve_picture.hpp"
#include "examples/support/experts_start.hpp"
#include "examples/support/random.hpp"
#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/timeline_file.hpp"

namespace {

using namespace experts;
using examples::BadCommand;

const Sizes small{.experts = 4, .context = 3, .part = 4, .width = 8, .hidden = 6, .vocabulary = 10};
const Mesh mesh({{"expert", 4}});
constexpr std::int64_t tokens = 20;

// --- The layer ---------------------------------------------------------------------------------------------

struct Layer {
  std::vector<double> y;             // [tokens, width]
  std::vector<std::int32_t> counts;  // by expert
};

// One token after the other, in f64.
Layer one_by_one(const Experts& network, const Tensor& x) {
  Tensor router = network.router.tensor(), up = network.layer.up.tensor(), down = network.layer.down.tensor();
  const std::int64_t n = small.experts, width = small.width, hidden = small.hidden;
  Layer layer{{}, std::vector<std::int32_t>(static_cast<std::size_t>(n))};
  for (std::int64_t token = 0; token < tokens; ++token) {
    std::vector<double> score(static_cast<std::size_t>(n)), y(static_cast<std::size_t>(width));
    double sum = 0;
    for (std::int64_t e = 0; e < n; ++e)
      for (std::int64_t i = 0; i < width; ++i)
        score[static_cast<std::size_t>(e)] += x.at(token * width + i) * router.at(i * n + e);
    for (double s : score) sum += std::exp(s);
    std::int64_t best = std::ranges::max_element(score) - score.begin();
    ++layer.counts[static_cast<std::size_t>(best)];
    for (std::int64_t h = 0; h < hidden; ++h) {
      double unit = 0;
      for (std::int64_t i = 0; i < width; ++i)
        unit += x.at(token * width + i) * up.at((best * width + i) * hidden + h);
      for (std::int64_t i = 0; i < width; ++i)
        y[static_cast<std::size_t>(i)] += std::max(unit, 0.0) * down.at((best * hidden + h) * width + i);
    }
    for (double part : y) layer.y.push_back(part * std::exp(*std::ranges::max_element(score)) / sum);
  }
  return layer;
}

Tensor some_tokens() { return examples::Random(5).uniform({tokens, small.width}, 2); }

// |x| <= 2, |router| and |up| <= 0.62, |down| <= 0.71. A score or a hidden unit is a sum of 8 terms, at most 9.8: 8
// roundings of eps/2, 5e-6. A result is a sum of 6 terms, at most 42: 6 more, and what the units bring: 4e-5.
// The weight is at most 1. It changes by at most half of what a score does, and by 5 eps in the softmax:
// 3.1e-6, times 42.
constexpr double bound = 2e-4;

void expect_as_one_by_one(const Experts& network) {
  Array x = some_tokens();
  const Specs of_experts{P(), P(), P("expert")};
  auto layer = shard_map(through_experts,
                         {.mesh = mesh, .in = {of_experts, P("expert")}, .out = {P("expert"), P(), P()}});
  auto [y, counts, balance] = open_local(mesh).compile(layer, network, x)(network, x);
  Layer expected = one_by_one(network, x.tensor());
  EXPECT_EQ(counts.values<std::int32_t>(), expected.counts);
  std::vector<float> found = y.values<float>();
  ASSERT_EQ(found.size(), expected.y.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected.y[i], bound) << "element " << i;
}

TEST(experts, sends_each_token_to_its_expert_and_back) { expect_as_one_by_one(start(small, 3).experts); }

// The first expert's probability is by far the largest wherever the first number of a token is positive, and
// the last one's elsewhere: two experts get all tokens, and none is left out.
TEST(experts, leaves_no_token_out_where_some_experts_get_all) {
  Experts network = start(small, 3).experts;
  Tensor router({small.width, small.experts}, DType::f32);
  router.mutable_data<float>()[0] = 20;
  router.mutable_data<float>()[small.experts - 1] = -20;
  network.router = router;
  std::vector<std::int32_t> counts = one_by_one(network, some_tokens()).counts;
  EXPECT_EQ(counts[1] + counts[2], 0);
  EXPECT_EQ(counts[0] + counts[3], tokens);
  expect_as_one_by_one(network);
}

// --- Training ----------------------------------------------------------------------------------------------

struct Training {
  std::vector<double> dense, experts;
  Tensors parameters;
};

Training train(int steps, const MachineOptions& options = {}) {
  Both both = start(small, 3);
  Both momentum = tree_map([](Array a) { return Array(Tensor(a.shape(), a.dtype())); }, both);
  std::vector<std::int32_t> seen, next;
  for (int i = 0; i < tokens; ++i) {
    for (int k = 0; k < small.context; ++k) seen.push_back((i * 7 + k * 3) % 10);
    next.push_back(i * i % 10);
  }
  Batch batch{Tensor({tokens, small.context}, seen), Tensor({tokens}, next)};
  auto step = open_local(mesh, options).compile(sharded_step(mesh), both, momentum, batch);
  Training run;
  for (int i = 0; i < steps; ++i) {
    Losses found;
    std::tie(found, both, momentum) = step(both, momentum, batch);
    run.dense.push_back(found.dense.item());
    run.experts.push_back(found.experts.item());
  }
  for (const Array& array : tree::flatten(both)) run.parameters.push_back(array.tensor());
  return run;
}

TEST(experts, both_networks_learn) {
  Training run = train(20);
  EXPECT_LT(run.dense.back(), run.dense.front() / 2);
  EXPECT_LT(run.experts.back(), run.experts.front() / 2);
}

TEST(experts, has_the_same_bits_on_one_and_two_workers) {
  Training one = train(5, {.workers = 1}), two = train(5, {.workers = 2});
  EXPECT_EQ(one.experts, two.experts);
  EXPECT_EQ(one.parameters, two.parameters);
}

TEST(experts, has_the_same_bits_with_a_buffer_per_device) {
  Training by_type = train(3), per_device = train(3, {.storage = Storage::per_device});
  EXPECT_EQ(by_type.experts, per_device.experts);
  EXPECT_EQ(by_type.parameters, per_device.parameters);
}

// --- Pictures ----------------------------------------------------------------------------------------------

std::size_t points_of(std::size_t values) {
  TemporaryName file("curve.svg");
  write_picture(file.path(), "loss", std::vector{examples::Curve{"a", std::vector<double>(values, 2)}});
  std::string svg = text_of_file(file.path());
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n")) << svg;
  std::size_t begin = svg.find("points=\"");
  return static_cast<std::size_t>(
      std::ranges::count(svg.substr(begin, svg.find("\"/>", begin) - begin), ','));
}

TEST(curve_picture, has_a_point_for_every_step_or_for_several) {
  EXPECT_EQ(points_of(0), 0U);
  EXPECT_EQ(points_of(7), 7U);
  EXPECT_EQ(points_of(150), 150U);
  EXPECT_EQ(points_of(151), 76U);
}

TEST(curve_picture, draws_parts_as_bars) {
  EXPECT_EQ(
      examples::bars(std::vector<std::int32_t>{1, 0, 19}),
      "  0 ███ 5.0 %\n  1 0.0 %\n  2 █████████████████████████████████████████████████████████ 95.0 %\n");
  EXPECT_EQ(examples::bars(std::vector<std::int32_t>{0}), "  0 0.0 %\n");
}

// --- The program -------------------------------------------------------------------------------------------

Finished run_program(const std::string& options) {
  return run_command(program_folder() + "/experts " + options);
}

TEST(experts, program_learns_more_than_pairs_of_characters) {
  Finished run = run_program("--steps 150");
  ASSERT_EQ(run.status, 0) << run.err;
  double dense = 0, experts = 0, by_pairs = 0;
  std::size_t last = std::min(run.out.find("loss on held-out text"), run.out.size());
  ASSERT_EQ(std::sscanf(run.out.c_str() + last,
                        "loss on held-out text: dense %lf, experts %lf; by counted pairs of characters %lf",
                        &dense, &experts, &by_pairs),
            3)
      << run.out;
  EXPECT_LT(dense, by_pairs);
  EXPECT_LT(experts, by_pairs);
}

TEST(experts, program_compares_networks_with_as_many_active_parameters) {
  Finished run = run_program("--steps 0 --mesh expert=4,data=2");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("parameters that one character uses: dense 20224, experts 20224 of 32512"),
            std::string::npos)
      << run.out;
}

TEST(experts, program_draws_losses_and_tokens_of_experts) {
  TemporaryName file("experts.svg");
  Finished run = run_program("--steps 3 --picture " + file.path());
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("\nheld-out characters by expert:\n  0 "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\n  7 "), std::string::npos) << run.out;
  std::string svg = text_of_file(file.path());
  for (const char* part : {">dense<", ">experts<", ">step 3<"})
    EXPECT_NE(svg.find(part), std::string::npos) << svg;
}

TEST(experts, program_goes_on_with_the_parameters_that_it_saved) {
  TemporaryName file("experts.npz");
  auto verdict = [](const std::string& options) {
    Finished run = run_program(options);
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out.substr(0, run.out.find("loss in training"));
  };
  std::string untrained = verdict("--steps 0"), trained = verdict("--steps 3 --save " + file.path());
  EXPECT_NE(trained, untrained);
  EXPECT_EQ(verdict("--steps 0 --load " + file.path()), trained);
}

TEST(experts, program_explains_types_and_places) {
  Finished run = run_program("--explain");
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part : {" = ragged_all_to_all{axes='expert'", "experts_model.hpp:", "phase"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part;
}

class experts_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(experts_refuses, with_one_clear_line) { expect_refused(program_folder() + "/experts", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    bad, experts_refuses,
    testing::Values(
        BadCommand{"--mesh expert=3",
                   " does not split over the 3 devices of 'expert'; pad it or use another dim\n", 2},
        BadCommand{"--mesh data=4",
                   ": the spec names axis 'expert', but the mesh is data=4; use one of its axes\n", 2},
        BadCommand{
            "--text nowhere.txt",
            "experts: error[R001]: nowhere.txt: cannot be opened; give the path of a text with --text\n", 4},
        BadCommand{"--text .clang-format", "experts: error[R001]: .clang-format: a text of ", 4},
        BadCommand{
            "--steps 1 --picture no/folder/losses.svg",
            "experts: error[R001]: 'no/folder/losses.svg' cannot be written: No such file or directory\n", 4},
        BadCommand{
            "--mesh expert=4 --load nowhere.npz",
            "experts: error[R001]: load_tree: 'nowhere.npz' cannot be read: No such file or directory\n", 4},
        BadCommand{"--steps 3 --curve /dev/full",
                   "experts: error[R001]: '/dev/full' cannot be written: No space left on device; free some "
                   "space or write elsewhere\n",
                   4},
        BadCommand{"--workers many", "--workers", 1}));

}  // namespace
