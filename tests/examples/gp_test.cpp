// SPDX-License-Identifier: Apache-2.0
// The gp example: its model on several meshes, its picture, and the program as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "examples/gp_model.hpp"
#include "examples/support/band_picture.hpp"
#include "examples/support/gp_data.hpp"
#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/timeline_file.hpp"

namespace {

using namespace gp;
using examples::BadCommand;

Hyperparameters kernel_of(double height, double length, double of_noise) {
  const auto logarithm = [](double value) { return Array(Tensor::scalar(std::log(value))); };
  return {logarithm(height), logarithm(length), logarithm(of_noise)};
}

// One point of value y has the likelihood of a normal number of variance height^2 + noise^2.
TEST(gp_model, has_the_likelihood_of_a_normal_number_for_one_point_a_device) {
  const Mesh mesh({{"data", 2}});
  const auto sharded =
      shard_map([](const Hyperparameters& k, const Array& x, const Array& y) { return loss(k, x, y); },
                {.mesh = mesh, .in = {P(), P("data"), P("data")}, .out = P()});
  const Hyperparameters kernel = kernel_of(2, 1, 0.5);
  const Array x = Tensor({2}, std::vector<double>{0, 3}), y = Tensor({2}, std::vector<double>{1, -2});
  const double found = open_local(mesh).compile(sharded, kernel, x, y)(kernel, x, y).item();
  const double variance = 4 + 0.25, squares = (1.0 + 4) / 2;  // the mean
  EXPECT_NEAR(found, 0.5 * squares / variance + 0.5 * std::log(2 * M_PI * variance), 1e-14);
}

// Where all points are on one device, its mean goes through points that have next to no noise.
TEST(gp_model, predicts_points_without_noise_as_they_are_and_nothing_far_away) {
  const Mesh mesh({{"data", 1}});
  const Hyperparameters kernel = kernel_of(1, 1, 1e-4);
  const Array x = Tensor({3}, std::vector<double>{0, 1, 3}), y = Tensor({3}, std::vector<double>{1, -2, 0.5});
  const Array at = Tensor({4}, std::vector<double>{0, 1, 3, 60});
  const Prediction found =
      open_local(mesh).compile(sharded_predict(mesh), kernel, x, y, at)(kernel, x, y, at);
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_NEAR(found.mean.tensor().at(i), y.tensor().at(i), 1e-6);
  EXPECT_NEAR(found.mean.tensor().at(3), 0, 1e-12);
  EXPECT_NEAR(found.variance.tensor().at(3), 1, 1e-12);
}

TEST(band_picture, has_an_area_two_lines_and_points) {
  TemporaryName file("band.svg");
  const std::vector<double> x{0, 1, 2}, y{0, 1, 0}, half{1, 1, 1};
  examples::write_picture(file.path(), "a title", {x, y, half, y, x, y});
  const std::string svg = text_of_file(file.path());
  for (const char* part : {"<polygon ", "<polyline ", "a title", "h0M", "</svg>\n"})
    EXPECT_NE(svg.find(part), std::string::npos) << svg;
}

// --- The program -------------------------------------------------------------------------------------------

std::string program(const std::string& options) { return program_folder() + "/gp " + options; }

TEST(gp, program_finds_the_noise_and_predicts_held_out_points) {
  const Finished run = run_command(program(""));
  ASSERT_EQ(run.status, 0) << run.err;
  double likelihood = 0, of_point = 0, height = 0, length = 0, found_noise = 0, error = 1, covered = 0;
  const std::size_t last = std::min(run.out.find("height "), run.out.size());
  const int read = std::sscanf(run.out.c_str() + last,
                               "height %lf, length %lf, noise %lf (the data have 0.15)\nlog likelihood %lf, "
                               "%lf for each point\nheld-out points: error %lf; "
                               "%lf %% are in the band",
                               &height, &length, &found_noise, &likelihood, &of_point, &error, &covered);
  ASSERT_EQ(read, 7) << run.out;
  EXPECT_NEAR(found_noise, noise, 0.02);
  EXPECT_LT(error, 1.15 * noise);
  EXPECT_GT(covered, 90);
}

TEST(gp, program_draws_the_prediction_and_goes_on_with_what_it_saved) {
  TemporaryName file("gp.svg"), saved("gp.npz");
  ASSERT_EQ(run_command(program("--steps 3 --save " + saved.path())).status, 0);
  const Finished run =
      run_command(program("--steps 3 --mesh data=4 --load " + saved.path() + " --picture " + file.path()));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(text_of_file(file.path()).find("two standard deviations"), std::string::npos);
}

class gp_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(gp_refuses, with_one_clear_line) { expect_refused(program_folder() + "/gp", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    bad, gp_refuses,
    testing::Values(
        BadCommand{"--mesh data=3",
                   ": shard_map: argument 1: dim 0 of f64[512] does not split over the 3 devices of "
                   "'data'; pad it or use another dim\n",
                   2},
        BadCommand{"--mesh model=4",
                   ": the spec names axis 'data', but the mesh is model=4; use one of its axes\n", 2},
        BadCommand{"--points 7", "--points", 1},
        BadCommand{"--steps 1 --picture no/folder/gp.svg",
                   "gp: error[R001]: 'no/folder/gp.svg' cannot be written: No such file or directory\n", 4}));

}  // namespace
