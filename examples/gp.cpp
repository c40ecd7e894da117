// SPDX-License-Identifier: Apache-2.0
// Fits a Gaussian process to noisy points of a function, and predicts the function; see gp_model.hpp for what
// one device does.
#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <vector>

#include "examples/gp_model.hpp"
#include "examples/support/band_picture.hpp"
#include "examples/support/gp_data.hpp"
#include "examples/support/gp_options.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace {

using namespace gp;

constexpr std::uint64_t training_seed = 1, held_out_seed = 2;
constexpr std::int64_t held_out_points = 256, drawn_places = 221;
constexpr double band_width = 2;  // standard deviations on each side: 95 %

Array logarithm(double value) { return Tensor::scalar(std::log(value)); }

Search start() {
  const Array zero = Tensor::scalar(0.0);
  return {{logarithm(1), logarithm(1), logarithm(0.5)}, {zero, zero, zero}};
}

// The values of noisy points are in the band of the function and the noise.
struct HeldOut {
  double error, covered;  // root mean square; part of the points in the band
};
HeldOut compare(const Points& points, const Prediction& found, double of_noise) {
  const auto mean = found.mean.values<double>(), variance = found.variance.values<double>();
  double squares = 0, inside = 0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double apart = mean[i] - points.y.at(static_cast<std::int64_t>(i));
    squares += apart * apart;
    if (std::abs(apart) <= band_width * std::sqrt(variance[i] + of_noise * of_noise)) ++inside;
  }
  const auto count = static_cast<double>(mean.size());
  return {std::sqrt(squares / count), inside / count};
}

void draw(const Options& options, const Points& points, const Tensor& places, const Prediction& found) {
  const auto values = [](const Array& x) {
    const auto all = x.values<double>();
    return std::vector<double>(all.begin(), all.end());
  };
  std::vector<double> half_width = values(found.variance), truth = values(places);
  const std::vector<double> x = truth, mean = values(found.mean), points_x = values(points.x),
                            points_y = values(points.y);
  for (double& each : half_width) each = band_width * std::sqrt(each);
  for (double& each : truth) each = function_at(each);
  examples::write_picture(options.picture,
                          "mean, and two standard deviations on each side; dashed: the function",
                          {x, mean, half_width, truth, points_x, points_y});
}

void run_on(const Machine& machine, const Options& options) {
  const bool has_picture = !options.picture.empty() && machine.process() == 0;
  if (has_picture) require_writable(options.picture, ".svg", SpecialFile::allowed, Where{});
  const Points training = points(options.points, training_seed);
  const Array x = training.x, y = training.y;
  Search search = start();
  const int steps_taken = examples::load(machine, options, search.kernel, search.velocity);

  auto step = machine.compile(sharded_step(machine.mesh()), search, x, y);
  const auto take_step = [&] {
    Array value;
    std::tie(value, search) = step(std::move(search), x, y);
    return value.item();
  };
  if (options.explain) {
    examples::explain(step, take_step);
    return examples::show(machine, options, step);
  }

  fmt::print("{} points on {}\n", options.points, machine.description());
  const auto save = [&](int steps) {
    examples::save(machine, options, search.kernel, search.velocity, steps);
  };
  examples::train(machine, options, {steps_taken, take_step, save});
  examples::show(machine, options, step);

  const Points held_out = points(held_out_points, held_out_seed);
  const Tensor grid = places(drawn_places, first - 0.5, last + 0.5);
  const auto predict_at = [&](const Tensor& at) {
    auto predict_all = machine.compile(sharded_predict(machine.mesh()), search.kernel, x, y, Array(at));
    return machine.place(predict_all(search.kernel, x, y, Array(at)), P());
  };
  const double loss =
      machine.compile(sharded_loss(machine.mesh()), search.kernel, x, y)(search.kernel, x, y).item();
  const Hyperparameters kernel = machine.place(search.kernel, P());
  const double of_noise = std::exp(kernel.noise.item());
  const HeldOut found = compare(held_out, predict_at(held_out.x), of_noise);
  fmt::print("height {:.3f}, length {:.3f}, noise {:.3f} (the data have {})\n",
             std::exp(kernel.height.item()), std::exp(kernel.length.item()), of_noise, noise);
  fmt::print("log likelihood {:.2f}, {:.4f} for each point\n", -loss * options.points, -loss);
  fmt::print("held-out points: error {:.4f}; {:.1f} % are in the band\n", found.error, 100 * found.covered);
  const Prediction drawn = predict_at(grid);
  if (has_picture) draw(options, training, grid, drawn);
}

void run(const Options& options) {
  Machine machine = examples::open_machine(parse_mesh(options.mesh), options);
  run_on(machine, options);
  examples::warn_of_left_out("gp", machine, options);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("gp", [&] {
    if (std::optional<Options> options = gp::parse(argc, argv)) run(*options);
    return 0;
  });
}
