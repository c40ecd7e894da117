// SPDX-License-Identifier: Apache-2.0
// Lets heat spread over a plate, and finds the field that it began with from the one that it ended with; see
// heat_model.hpp for what one device does.
#include <fmt/core.h>

#include <array>
#include <cmath>
#include <optional>

#include "examples/heat_model.hpp"
#include "examples/support/field_picture.hpp"
#include "examples/support/heat_options.hpp"
#include "tutti/base/counted.hpp"
#include "tutti/cli/words/program.hpp"
#include "tutti/tensor/files/whole_file.hpp"

namespace {

using namespace heat;

// Place, width and height of a bump, in sizes of the plate.
struct Bump {
  double y, x, width, height;
};
constexpr std::array<Bump, 5> bumps{{{.28, .32, .094, 1.0},
                                     {.30, .64, .078, 0.8},
                                     {.66, .45, .109, 0.9},
                                     {.68, .76, .078, 1.0},
                                     {.50, .20, .078, 0.6}}};

double height_at(double y, double x) {
  double sum = 0;
  for (const Bump& bump : bumps)
    sum += bump.height *
           std::exp(-(std::pow(y - bump.y, 2) + std::pow(x - bump.x, 2)) / (2 * bump.width * bump.width));
  return sum;
}

Tensor smooth_field(int size) {
  Tensor field({size, size}, DType::f32);
  float* point = field.mutable_data<float>();
  for (int row = 0; row < size; ++row)
    for (int column = 0; column < size; ++column)
      *point++ = static_cast<float>(height_at(1.0 * row / size, 1.0 * column / size));
  return field;
}

void run_on(const Machine& machine, const Options& options) {
  const bool has_picture = !options.picture.empty() && machine.process() == 0;
  if (has_picture) require_writable(options.picture, ".svg", SpecialFile::allowed, Where{});
  const Mesh& mesh = machine.mesh();
  Array initial = smooth_field(options.size), zeros = Tensor(initial.shape(), DType::f32);
  auto spread_out = machine.compile(sharded_after(mesh, options.time_steps), initial);
  Array final_field = spread_out(initial);
  Search search{zeros, zeros};
  const int steps_taken = examples::load(machine, options, search.field, search.velocity);

  auto step = machine.compile(sharded_step(mesh, options.time_steps), search, final_field);
  auto take_step = [&] {
    Array value;
    std::tie(value, search) = step(std::move(search), final_field);
    return value.item();
  };
  if (options.explain) {
    examples::explain(step, take_step);
    return examples::show(machine, options, step);
  }

  fmt::print("{0}x{0} points on {1}; heat spreads for {2}\n", options.size, machine.description(),
             counted(options.time_steps, "time step"));
  const auto save = [&](int steps) {
    examples::save(machine, options, search.field, search.velocity, steps);
  };
  examples::train(machine, options, {steps_taken, take_step, save});
  examples::show(machine, options, step);

  const auto [given, found, spread] =
      machine.place(std::tuple(final_field, search.field, spread_out(search.field)), P());
  const double initial_error = examples::error(found, initial), final_error = examples::error(spread, given);
  std::vector<examples::Field> fields{{"the initial field", initial.tensor()},
                                      {"the final field: given", given.tensor()},
                                      {"the initial field: found", found.tensor()}};
  fmt::print("{}error of the initial field {:.4f}, of the final field {:.4f}; a field of zeros has 1\n",
             drawn(fields), initial_error, final_error);
  if (has_picture) write_picture(options.picture, fields);
}

void run(const Options& options) {
  Machine machine = examples::open_machine(parse_mesh(options.mesh), options);
  run_on(machine, options);
  examples::warn_of_left_out("heat", machine, options);
}

}  // namespace

int main(int argc, char** argv) {
  tutti::cli::run_program("heat", [&] {
    if (std::optional<Options> options = heat::parse(argc, argv)) run(*options);
    return 0;
  });
}
