// SPDX-License-Identifier: Apache-2.0
// The transformer example: its two forms on several meshes, its text, and the program as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "examples/support/transformer_start.hpp"
#include "examples/support/transformer_text.hpp"
#include "examples/transformer_model.hpp"
#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace {

using namespace transformer;
using examples::BadCommand;

const Sizes small{.layers = 2};
constexpr std::size_t context = 32;

Batch some_batch() {
  Tokens text = read_tokens("LICENSE");
  std::vector<std::size_t> starts, later;
  for (std::size_t i = 0; i < 16; ++i) {
    starts.push_back(i * 331);
    later.push_back(i * 331 + 1);
  }
  return {runs_of(text, starts, context), runs_of(text, later, context)};
}

// Losses of five steps on one batch, and the parameters after them.
struct Training {
  std::vector<double> losses;
  Tensors params;
};

template <class Layers>
Training train(Params<Layers> params, const std::string& mesh_text, const MachineOptions& options = {}) {
  Mesh mesh = parse_mesh(mesh_text);
  Params<Layers> momentum = zeros_like_tree(params);
  Batch batch = some_batch();
  auto step = open_local(mesh, options).compile(sharded_step(mesh, params), params, momentum, batch);
  Training run;
  for (int i = 0; i < 5; ++i) {
    Array loss;
    std::tie(loss, params, momentum) = step(params, momentum, batch);
    run.losses.push_back(loss.item());
  }
  for (const Array& leaf : tree::flatten(params)) run.params.push_back(leaf.tensor());
  return run;
}

// A loss is a mean over 512 characters of sums of at most 256 terms behind some 30 products; in f32 they
// differ by less than a thousandth when terms are added in another order.
void expect_near(const Training& found, const Training& expected) {
  for (std::size_t i = 0; i < expected.losses.size(); ++i)
    EXPECT_NEAR(found.losses[i], expected.losses[i], 1e-3 * expected.losses[i]) << "step " << i + 1;
}

TEST(transformer, has_the_same_bits_on_one_and_two_workers) {
  auto start = unrolled_start(small, 3);
  Training one = train(start, "data=4,model=2", {.workers = 1});
  Training two = train(start, "data=4,model=2", {.workers = 2});
  EXPECT_EQ(one.losses, two.losses);
  EXPECT_EQ(one.params, two.params);
}

TEST(transformer, has_the_same_bits_with_a_buffer_per_device) {
  auto start = unrolled_start(small, 3);
  Training by_type = train(start, "data=4,model=2");
  Training per_device = train(start, "data=4,model=2", {.storage = Storage::per_device});
  EXPECT_EQ(by_type.losses, per_device.losses);
  EXPECT_EQ(by_type.params, per_device.params);
}

TEST(transformer, has_the_same_losses_in_a_scan) {
  auto start = unrolled_start(small, 3);
  expect_near(train(stacked(start), "data=4,model=2"), train(start, "data=4,model=2"));
}

class transformer_on : public testing::TestWithParam<const char*> {};

TEST_P(transformer_on, has_the_losses_of_one_device) {
  auto start = unrolled_start(small, 3);
  expect_near(train(start, GetParam()), train(start, "data=1,model=1"));
}

INSTANTIATE_TEST_SUITE_P(a_mesh, transformer_on,
                         testing::Values("data=4,model=2", "data=2,model=4", "data=8,model=1"));

TEST(transformer_text, knows_printable_characters_and_ends_of_lines) {
  EXPECT_EQ(encoded(" !~\n"), (Tokens{0, 1, 94, 95}));
  EXPECT_EQ(decoded(encoded("All together,\nnow.")), "All together,\nnow.");
}

TEST(transformer_text, reads_other_characters_as_question_marks) {
  EXPECT_EQ(decoded(encoded("a\tb\r\n\x01 \xC3\xA9t\xC3\xA9 \xE2\x82\xAC")), "a b\n? ?t? ?");
}

TEST(transformer_text, holds_out_the_last_of_ten_stretches) {
  Split whole = split(Tokens(6400), 1), runs = split(Tokens(6400), 33);
  EXPECT_EQ(whole.held_out.size(), 640U);
  EXPECT_EQ(whole.held_out[0], 2880U);
  EXPECT_EQ(whole.held_out[320], 6080U);
  EXPECT_EQ(whole.training.size(), 5760U);
  EXPECT_EQ(runs.held_out.size(), 2U * 288);
  EXPECT_EQ(runs.training.size(), 2U * 2848);
}

// "ababab..": in 9 of 10 stretches, 2880 characters, a is followed by b 1440 times, b by a 1439 times.
TEST(transformer_text, counts_pairs_of_the_training_part) {
  Tokens text;
  for (int i = 0; i < 3200; ++i) text.push_back(i % 2);
  double a = std::log(1440.1 / (1440 + 9.6)), b = std::log(1439.1 / (1439 + 9.6));
  EXPECT_NEAR(loss_by_pairs(text, std::vector<std::size_t>{2880, 2884}, 2), -(a + b) / 2, 1e-12);
}

std::string program(const std::string& options) { return program_folder() + "/transformer " + options; }

std::string temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("transformer_" + std::to_string(getpid()) + name);
}

TEST(transformer, program_learns_more_than_pairs_of_characters) {
  Finished run = run_command(program("--layers 1 --steps 200"));
  ASSERT_EQ(run.status, 0) << run.err;
  double loss = 0, by_pairs = 0;
  std::size_t last = run.out.rfind("loss ");
  ASSERT_NE(last, std::string::npos) << run.out;
  ASSERT_EQ(std::sscanf(run.out.c_str() + last,
                        "loss %lf on held-out text; by counted pairs of characters it would be %lf", &loss,
                        &by_pairs),
            2)
      << run.out;
  EXPECT_LT(loss, by_pairs);
}

class transformer_program : public testing::TestWithParam<const char*> {};

// With the parameters that it saved it says the same about the same text, without a step.
TEST_P(transformer_program, goes_on_with_the_parameters_that_it_saved) {
  std::string file = temporary(".npz"), form = std::string(" --layers 2 ") + GetParam();
  auto verdict = [&](const std::string& options) {
    Finished run = run_command(program(options + form));
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  std::string untrained = verdict("--steps 0"), trained = verdict("--steps 3 --save " + file);
  EXPECT_NE(trained, untrained);
  EXPECT_EQ(verdict("--steps 0 --load " + file), trained);
  std::filesystem::remove(file);
}

TEST_P(transformer_program, writes_the_loss_of_every_step) {
  std::string file = temporary(".curve");
  Finished run = run_command(program("--layers 2 --steps 4 --curve " + file + " " + GetParam()));
  EXPECT_EQ(run.status, 0) << run.err;
  std::ifstream curve(file);
  int step = 0;
  for (std::string number, loss; curve >> number >> loss;) {
    EXPECT_EQ(number, std::to_string(++step));
    EXPECT_NEAR(std::stod(loss), std::log(96), 1.0);  // it knows nothing yet
  }
  EXPECT_EQ(step, 4);
  std::filesystem::remove(file);
}

INSTANTIATE_TEST_SUITE_P(in, transformer_program, testing::Values("", "--scan"),
                         [](const auto& row) { return *row.param ? "a_scan" : "layers"; });

TEST(transformer, program_names_the_parameters_by_layer) {
  std::string file = temporary("_names.npz");
  EXPECT_EQ(run_command(program("--layers 2 --steps 0 --save " + file)).status, 0);
  std::vector<std::string> names;
  for (const auto& [name, tensor] : read_npz(file)) names.push_back(name);
  EXPECT_EQ(names.size(), 2U * (5 + 2 * 10) + 1);  // momentum and step, too
  EXPECT_EQ(names[2], "params.layers[0].before_attention.scale");
  EXPECT_EQ(names[12 + 2], "params.layers[1].query");
  std::filesystem::remove(file);
}

TEST(transformer, program_explains_types_and_places) {
  Finished run = run_command(program("--layers 1 --explain"));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part : {"f32[64,32]{R:data, V:model} = all_gather", "reduce_scatter{axes='data', dim=0",
                           "transformer_model.hpp:", "phase"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part;
}

class transformer_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(transformer_refuses, with_one_clear_line) {
  expect_refused(program_folder() + "/transformer", GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    bad, transformer_refuses,
    testing::Values(
        BadCommand{"--mesh data=1,model=8",
                   "transformer: error[T014]: 4 heads do not split over the 8 devices of 'model'; make its "
                   "size a divisor "
                   "of 4\n",
                   2},
        BadCommand{"--mesh data=5,model=2",
                   ": shard_map: argument 0.0: dim 0 of f32[96,64] does not split over the 5 devices of "
                   "'data'; pad it or use another dim\n",
                   2},
        BadCommand{"--mesh data=2",
                   ": the spec names axis 'model', but the mesh is data=2; use one of its axes\n", 2},
        BadCommand{
            "--text nowhere.txt",
            "transformer: error[R001]: nowhere.txt: cannot be opened; give the path of a text with --text\n",
            4},
        BadCommand{"--text .clang-format --layers 1", "transformer: error[R001]: .clang-format: a text of ",
                   4},
        BadCommand{
            "--layers 2 --steps 1 --load nowhere.npz",
            "transformer: error[R001]: load_tree: 'nowhere.npz' cannot be read: No such file or directory\n",
            4},
        BadCommand{"--layers 1 --steps 3 --curve /dev/full",
                   "transformer: error[R001]: '/dev/full' cannot be written: No space left on device; free "
                   "some space or write elsewhere\n",
                   4},
        BadCommand{"--layers 0", "--layers", 1}));

}  // namespace
