// SPDX-License-Identifier: Apache-2.0
// Solves Poisson's equation on a periodic cube by Fourier transforms of pencils, compares the potential with
// the exact one, and finds the source from the potential; see poisson_model.hpp for what one device does.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "examples/poisson_model.hpp"
#include "examples/support/field_picture.hpp"
#include "examples/support/poisson_options.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace {

using namespace poisson;

// u = exp(g) with g = (sin x + cos y + sin 2z) / 2, and its source, -u'' = -(g'' + |g'|^2) u.
struct Point {
  double potential, source;
};
Point exact(double x, double y, double z) {
  const double u = std::exp((std::sin(x) + std::cos(y) + std::sin(2 * z)) / 2);
  const double slopes =
      (std::pow(std::cos(x), 2) + std::pow(std::sin(y), 2) + std::pow(2 * std::cos(2 * z), 2)) / 4;
  const double bend = -(std::sin(x) + std::cos(y) + 4 * std::sin(2 * z)) / 2;
  return {u, -(bend + slopes) * u};
}

struct Exact {
  Tensor potential, source;  // f32[n, n, n], with the mean 0
};
Exact exact_on(int size) {
  const Shape cube{size, size, size};
  std::vector<Point> points;
  double sum = 0;
  auto at = [&](int i) { return 2 * std::numbers::pi * i / size; };
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      for (int k = 0; k < size; ++k) {
        points.push_back(exact(at(i), at(j), at(k)));
        sum += points.back().potential;
      }
  const double mean = sum / static_cast<double>(points.size());
  std::vector<float> potentials, sources;
  for (const Point& point : points) {
    potentials.push_back(static_cast<float>(point.potential - mean));
    sources.push_back(static_cast<float>(point.source));
  }
  return {Tensor(cube, potentials), Tensor(cube, sources)};
}

// The plane at an eighth of the last dim, where sin 2z is 1: the least number of the field becomes 0, the
// largest one 1.
examples::Field slice(const std::string& title, const Array& field) {
  const std::vector<float> all = field.values<float>();
  const auto [least, largest] = std::ranges::minmax(all);
  const std::int64_t n = field.dim(2);
  std::vector<float> plane;
  for (std::int64_t line = 0; line < field.dim(0) * field.dim(1); ++line)
    plane.push_back((all[static_cast<std::size_t>(line * n + n / 8)] - least) /
                    std::max(largest - least, 1e-30F));
  return {title, Tensor({field.dim(0), field.dim(1)}, plane)};
}

void run_on(const Machine& machine, const Options& options) {
  const bool has_picture = !options.picture.empty() && machine.process() == 0;
  if (has_picture) require_writable(options.picture, ".svg", SpecialFile::allowed, Where{});
  const Mesh& mesh = machine.mesh();
  const Exact expected = exact_on(options.size);
  const Waves waves = waves_of(options.size, mesh);
  const Array source = expected.source, zeros = Tensor(expected.source.shape(), DType::f32);
  const auto solve = machine.compile(sharded_potential(mesh), waves, source);
  const Array given = solve(waves, source);
  Search search{zeros, zeros};
  const int steps_taken = examples::load(machine, options, search.source, search.velocity);

  const auto step = machine.compile(sharded_step(mesh), waves, search, given);
  auto take_step = [&] {
    Array value;
    std::tie(value, search) = step(waves, std::move(search), given);
    return value.item();
  };
  if (options.explain) {
    examples::explain(step, take_step);
    return examples::show(machine, options, step);
  }

  const Array potential = machine.place(given, P());
  fmt::print("{0}x{0}x{0} points on {1}\nerror of the potential {2:.1e}\n", options.size,
             machine.description(), examples::error(potential, expected.potential));
  const auto save = [&](int steps) {
    examples::save(machine, options, search.source, search.velocity, steps);
  };
  examples::train(machine, options, {steps_taken, take_step, save});
  examples::show(machine, options, step);

  const Array found = machine.place(search.source, P());
  const std::vector<examples::Field> fields{slice("the source", source), slice("its potential", potential),
                                            slice("the source: found", found)};
  fmt::print("{}error of the source that was found {:.4f}; a field of zeros has 1\n", drawn(fields),
             examples::error(found, source));
  if (has_picture) write_picture(options.picture, fields);
}

void run(const Options& options) {
  Machine machine = examples::open_machine(parse_mesh(options.mesh), options);
  run_on(machine, options);
  examples::warn_of_left_out("poisson", machine, options);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("poisson", [&] {
    if (std::optional<Options> options = poisson::parse(argc, argv)) run(*options);
    return 0;
  });
}
