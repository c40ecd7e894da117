// SPDX-License-Identifier: Apache-2.0
// The Poisson example: its model on several meshes, and the program as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "examples/poisson_model.hpp"
#include "tests/examples/bad_command.hpp"
#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/tensor/fft/fft.hpp"

namespace {

using namespace poisson;
using examples::BadCommand;

constexpr int size = 16;
const double eps = std::ldexp(1.0, -23);

template <class F>
Tensor filled(F f) {
  Tensor field({size, size, size}, DType::f32);
  for (int i = 0; i < size * size * size; ++i)
    field.mutable_data<float>()[i] = static_cast<float>(f(i / size / size, i / size % size, i % size));
  return field;
}

// Different at every point, without symmetry; at most 1.
Tensor bumps(double phase) {
  return filled([=](int x, int y, int z) { return std::sin(phase + 0.9 * x * y + 0.31 * x * x - 0.7 * z); });
}

Tensor potential_of(const std::string& mesh_text, const Array& source, const MachineOptions& options = {}) {
  const Mesh mesh = parse_mesh(mesh_text);
  const Waves waves = waves_of(size, mesh);
  return open_local(mesh, options).compile(sharded_potential(mesh), waves, source)(waves, source).tensor();
}

Search after_a_step(const std::string& mesh_text, const MachineOptions& options = {}) {
  const Mesh mesh = parse_mesh(mesh_text);
  const Waves waves = waves_of(size, mesh);
  const Search search{bumps(0), Array(Tensor({size, size, size}, DType::f32))};
  const Array given = bumps(2);
  return open_local(mesh, options)
      .compile(sharded_step(mesh), waves, search, given)(waves, search, given)
      .second;
}

void expect_near(const Tensor& found, const Tensor& expected, double bound) {
  ASSERT_EQ(found.shape(), expected.shape());
  for (std::int64_t i = 0; i < found.elements(); ++i)
    ASSERT_NEAR(found.at(i), expected.at(i), bound) << "element " << i;
}

class poisson_on : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  }
};

// The waves 2, -3 and 5, and a constant, which makes no potential. Transforms of 4096 numbers round 12 times
// each way.
TEST_P(poisson_on, divides_a_wave_by_the_square_of_its_number) {
  auto wave = [](double height, double mean) {
    return filled([=](int x, int y, int z) {
      return mean + height * std::cos(2 * std::numbers::pi / size * (2 * x - 3 * y + 5 * z) + 0.3);
    });
  };
  expect_near(potential_of(GetParam(), wave(1, 0.5)), wave(1.0 / 38, 0), 2 * 32 * eps);
}

// The map from the source to the potential is its own transpose: the gradient is the potential of the misfit.
TEST_P(poisson_on, has_the_gradient_that_is_a_potential) {
  Tensor apart = potential_of(GetParam(), bumps(0)), given = bumps(2);
  for (std::int64_t i = 0; i < apart.elements(); ++i)
    apart.mutable_data<float>()[i] -= given.as<float>()[static_cast<std::size_t>(i)];
  Tensor velocity = after_a_step(GetParam()).velocity.tensor();
  for (std::int64_t i = 0; i < velocity.elements(); ++i) velocity.mutable_data<float>()[i] *= -1;
  expect_near(velocity, potential_of(GetParam(), apart), 4 * 32 * eps);
}

INSTANTIATE_TEST_SUITE_P(a_mesh, poisson_on,
                         testing::Values("y=4,x=2", "y=2,x=4", "y=1,x=1", "y=8,x=1", "y=1,x=16"));

TEST(poisson, has_the_same_bits_however_it_runs) {
  if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  const Search one = after_a_step("y=4,x=2", {.workers = 1});
  for (const MachineOptions& options :
       {MachineOptions{.workers = 2}, MachineOptions{.storage = Storage::per_device}}) {
    const Search other = after_a_step("y=4,x=2", options);
    EXPECT_EQ(other.velocity.tensor(), one.velocity.tensor());
    EXPECT_EQ(other.source.tensor(), one.source.tensor());
  }
}

// --- The program -------------------------------------------------------------------------------------------

std::string program(const std::string& options) { return program_folder() + "/poisson " + options; }
const std::string quick = " --size 16";

TEST(poisson, program_finds_potential_and_source) {
  if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  TemporaryName file("poisson.svg");
  const Finished run = run_command(program("--steps 120 --picture " + file.path() + quick));
  ASSERT_EQ(run.status, 0) << run.err;
  double potential = 1, source = 1;
  const std::size_t at = std::min(run.out.find("error of the potential "), run.out.size()),
                    last = std::min(run.out.find("error of the source"), run.out.size());
  EXPECT_EQ(std::sscanf(run.out.c_str() + at, "error of the potential %lf", &potential), 1) << run.out;
  EXPECT_EQ(std::sscanf(run.out.c_str() + last, "error of the source that was found %lf", &source), 1)
      << run.out;
  EXPECT_LT(potential, 1e-4);  // 16 points miss the shortest waves; with 32 it is 1e-7
  EXPECT_LT(source, 0.1);
  for (const std::string& drawing : {run.out, text_of_file(file.path())})
    for (const char* title : {"the source", "its potential", "the source: found"})
      EXPECT_NE(drawing.find(title), std::string::npos) << drawing;
}

TEST(poisson, program_explains_exchanges_and_transforms) {
  if (!has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  const Finished run = run_command(program("--explain" + quick));
  ASSERT_EQ(run.status, 0) << run.err;
  for (const char* part : {"all_to_all{axes='y'", "all_to_all{axes='x'", "fft{kind=rfft", "fft{kind=irfft",
                           "poisson_model.hpp:", "phase"})
    EXPECT_NE(run.out.find(part), std::string::npos) << part;
}

class poisson_refuses : public testing::TestWithParam<BadCommand> {};

TEST_P(poisson_refuses, with_one_clear_line) { expect_refused(program_folder() + "/poisson", GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    bad, poisson_refuses,
    testing::Values(BadCommand{"--mesh data=4", "but the mesh is data=4; use one of its axes\n", 2},
                    BadCommand{"--mesh y=3,x=2", " does not split over the 3 devices of 'y'; pad it", 2},
                    BadCommand{"--steps 1 --picture no/folder/p.svg",
                               "poisson: error[R001]: 'no/folder/p.svg' cannot be written: No such file", 4},
                    BadCommand{"--size 3", "--size", 1}));

}  // namespace
