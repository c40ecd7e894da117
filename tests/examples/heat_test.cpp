// SPDX-License-Identifier: Apache-2.0
// The heat example: its model on several meshes, its pictures, and the program as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "examples/heat_model.hpp"
#include "examples/support/field_picture.hpp"
#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/timeline_file.hpp"

namespace {

using namespace heat;
using examples::BadCommand;
using examples::Field;

constexpr int size = 16, time_steps = 12;
const double eps = std::ldexp(1.0, -23);

// A time step adds five numbers of at most 4 times the largest one and rounds 7 times, by half an eps each.
// The step itself makes no error larger, because its weights are not negative and add up to 1.
const double error_of_one_step = 4 * 7 * eps / 2;

template <class F>
Tensor filled(F f) {
  Tensor field({size, size}, DType::f32);
  for (int i = 0; i < size * size; ++i)
    field.mutable_data<float>()[i] = static_cast<float>(f(i / size, i % size));
  return field;
}

// Different at every point, without symmetry; at most 1.
Tensor waves(double phase) {
  return filled([=](int y, int x) { return std::sin(phase + 0.9 * y + 0.31 * x * x); });
}

Tensor after(const std::string& mesh_text, int steps, const Array& initial,
             const MachineOptions& options = {}) {
  Mesh mesh = parse_mesh(mesh_text);
  return open_local(mesh, options).compile(sharded_after(mesh, steps), initial)(initial).tensor();
}

struct Descent {
  std::vector<double> misfits;
  Search search;
};

Descent descend(const std::string& mesh_text, int steps, const MachineOptions& options = {}) {
  Mesh mesh = parse_mesh(mesh_text);
  Array final_field = waves(2);
  Descent run{{}, {waves(0), Array(Tensor({size, size}, DType::f32))}};
  auto step = open_local(mesh, options).compile(sharded_step(mesh, time_steps), run.search, final_field);
  for (int i = 0; i < steps; ++i) {
    Array misfit;
    std::tie(misfit, run.search) = step(run.search, final_field);
    run.misfits.push_back(misfit.item());
  }
  return run;
}

void expect_near(const Tensor& found, const Tensor& expected, double bound) {
  ASSERT_EQ(found.shape(), expected.shape());
  for (std::int64_t i = 0; i < found.elements(); ++i)
    ASSERT_NEAR(found.at(i), expected.at(i), bound) << "element " << i;
}

class heat_on : public testing::TestWithParam<const char*> {};

// Waves that are zero beyond the border keep their form: every time step multiplies them by one number.
TEST_P(heat_on, damps_a_standing_wave_by_its_eigenvalue) {
  const double ky = 2 * std::numbers::pi / (size + 1), kx = 3 * std::numbers::pi / (size + 1);
  const double factor = 1 - spread * (4 - 2 * std::cos(ky) - 2 * std::cos(kx));
  auto wave = [&](double height) {
    return filled([=](int y, int x) { return height * std::sin(ky * (y + 1)) * std::sin(kx * (x + 1)); });
  };
  expect_near(after(GetParam(), time_steps, wave(1)), wave(std::pow(factor, time_steps)),
              time_steps * error_of_one_step + 2 * eps);
}

// The map from the initial field to the final one is its own transpose: the gradient is the misfit, spread
// once more.
TEST_P(heat_on, has_the_gradient_that_spreads_back) {
  Tensor apart = after(GetParam(), time_steps, waves(0)), goal = waves(2);
  for (std::int64_t i = 0; i < apart.elements(); ++i)
    apart.mutable_data<float>()[i] -= goal.as<float>()[static_cast<std::size_t>(i)];
  Tensor gradient = after(GetParam(), time_steps, apart);
  Tensor velocity = descend(GetParam(), 1).search.velocity.tensor();
  for (std::int64_t i = 0; i < velocity.elements(); ++i) velocity.mutable_data<float>()[i] *= -1;
  expect_near(velocity, gradient, 2 * (2 * time_steps * error_of_one_step + eps));  // `apart` is at most 2
}

INSTANTIATE_TEST_SUITE_P(a_mesh, heat_on,
                         testing::Values("y=4,x=2", "y=2,x=4", "y=1,x=1", "y=8,x=1", "y=1,x=16"));

TEST(heat, has_the_same_bits_on_one_and_two_workers) {
  Descent one = descend("y=4,x=2", 5, {.workers = 1}), two = descend("y=4,x=2", 5, {.workers = 2});
  EXPECT_EQ(one.misfits, two.misfits);
  EXPECT_EQ(one.search.field.tensor(), two.search.field.tensor());
}

TEST(heat, has_the_same_bits_with_a_buffer_per_device) {
  Descent by_type = descend("y=4,x=2", 3),
          per_device = descend("y=4,x=2", 3, {.storage = Storage::per_device});
  EXPECT_EQ(by_type.misfits, per_device.misfits);
  EXPECT_EQ(by_type.search.field.tensor(), per_device.search.field.tensor());
}

// --- Pictures ----------------------------------------------------------------------------------------------

// Rising from 0 at the left to almost 1 at the right.
const Field slope{"slope", filled([](int, int x) { return x / double(size); })};

TEST(field_picture, is_darker_where_there_is_less) {
  std::string text = drawn(std::vector{slope, slope}), line = "  ....::::----==++++****####%%%%";
  std::size_t lines = 0;
  for (char c : text) lines += c == '\n';
  EXPECT_EQ(lines, 17U);
  EXPECT_TRUE(text.starts_with("slope ")) << text;
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

// The fourth level begins where the value is 4/16: the lines of that path go from there to the end of every
// row.
TEST(field_picture, has_a_path_of_rows_for_each_level) {
  TemporaryName file("slope.svg");
  write_picture(file.path(), std::vector{slope});
  std::string svg = text_of_file(file.path());
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n")) << svg;
  EXPECT_NE(svg.find(" d=\"M4 0h12M4 1h12M4 2h12"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("M0 "), std::string::npos) << "level 0 is the background";
}

// --- The program -------------------------------------------------------------------------------------------

std::string program(const std::string& options) { return program_folder() + "/heat " + options; }
const std::string quick = " --size 32 --time-steps 25";

struct Errors {
  double initial = 0, final = 0;
};
Errors errors_of(const std::string& options) {
  Finished run = run_command(program(options));
  EXPECT_EQ(run.status, 0) << run.err;
  Errors errors;
  std::size_t last = std::min(run.out.find("error of the initial field "), run.out.size());
  int read = std::sscanf(run.out.c_str() + last, "error of the initial field %lf, of the final field %lf",
                         &errors.initial, &errors.final);
  EXPECT_EQ(read, 2) << run.out;
  return errors;
}

TEST(heat, program_finds_the_initial_field) {
  Errors before = errors_of("--steps 0" + quick), after = errors_of("--steps 60" + quick);
  EXPECT_EQ(before.initial, 1);
  EXPECT_EQ(before.final, 1);
  EXPECT_LT(after.initial, 0.1);
  EXPECT_LT(after.final, 0.1);
}

TEST(heat, program_draws_three_fields) {
  TemporaryName file("heat.svg");
  Finished run = run_command(program("--steps 1 --picture " + file.path() + quick));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const std::string& drawing : {run.out, text_of_file(file.path())})
    for (const char* title : {"the initial field", "the final field: given", "the initial field: found"})
      EXPECT_NE(drawing.find(title), std::string::npos) << drawing;
}

TEST(heat, program_leaves_the_old_picture_if_it_fails) {
  TemporaryName file("old.svg");
  std::ofstream(file.path()) << "old";
  EXPECT_EQ(run_command(program("--load nowhere.npz --picture " + file.path() + quick)).status, 4);
  EXPECT_EQ(text_of_file(file.path()), "old");
}

TEST(heat, program_goes_on_with_the_field_that_it_saved) {
  TemporaryName file("heat.npz");
  Errors saved = errors_of("--steps 7 --save " + file.path() + quick);
  Errors loaded = errors_of("--steps 0 --mesh y=2,x=2 --load " + file.path() + quick);
  EXPECT_LT(saved.initial, 1);
  EXPECT_EQ(loaded.initial, saved.initial);
}

TEST(heat, program_explains_halos_and_both_loops) {
  Finished run = run_command(program("--explain" + quick));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part : {"permute{axes='y', pairs=", "permute{axes='x', pairs=", "= scan{length=25",
                           "reverse=true}", "heat_model.hpp:", "phase"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part;
}

class heat_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(heat_refuses, with_one_clear_line) { expect_refused(program_folder() + "/heat", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    bad, heat_refuses,
    testing::Values(
        BadCommand{
            "--mesh y=3,x=2",
            ": shard_map: argument 0: dim 0 of f32[64,64] does not split over the 3 devices of 'y'; pad "
            "it or use another dim\n",
            2},
        BadCommand{"--mesh data=4",
                   ": the spec names axis 'y', but the mesh is data=4; use one of its axes\n", 2},
        BadCommand{"--steps 1 --picture no/folder/heat.svg",
                   "heat: error[R001]: 'no/folder/heat.svg' cannot be written: No such file or directory\n",
                   4},
        BadCommand{"--steps 1 --picture /dev/full",
                   "heat: error[R001]: '/dev/full' cannot be written: No space left on device; free some "
                   "space or write elsewhere\n",
                   4},
        BadCommand{"--load nowhere.npz",
                   "heat: error[R001]: load_tree: 'nowhere.npz' cannot be read: No such file or directory\n",
                   4},
        BadCommand{"--steps 1 > /dev/full", "heat: error[R001]: the output cannot be written", 4},
        BadCommand{"--size 7", "--size", 1}, BadCommand{"--time-steps 0", "--time-steps", 1}));

}  // namespace
