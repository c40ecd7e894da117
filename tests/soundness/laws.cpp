// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/laws.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

#include "tests/support/slopes.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti::generated {
namespace {

using Values = std::vector<PerDevice>;

struct Broken {
  std::string how;
};
[[noreturn]] void broken(const std::string& law, const Program& program, const std::string& how = {}) {
  throw Broken{law + ": " + how + "\n" + to_string(program)};
}

Values joined(Values front, const Values& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

Types outputs_of(const Program& program) { return program.types_of(program.outputs); }
Types inputs_of(const Program& program) { return program.types_of(program.inputs); }
Types duals(Types types) {
  for (Type& type : types) type = dual(type);
  return types;
}

Values drawn_values(Random& random, const Types& types, const Mesh& mesh) {
  std::vector<ExampleOperand> operands;
  for (Type type : types) operands.emplace_back(type, -1, 1);
  return random_values(random, operands, Numbers::any, mesh);
}

// --- What is typed equal is equal --------------------------------------------------------------------------

/// Facts that were met when a program was run by the definition of its kernels.
struct Ran {
  Values outputs;
  std::int64_t values = 0;  // elements on all devices
  double largest = 1;       // magnitude among them
  double eps = 0;           // of the narrowest float

  void add(const PerDevice& value) {
    bool is_rounded = is_float(value[0].dtype());
    if (is_rounded) eps = std::max(eps, epsilon(value[0].dtype()));
    for (const Tensor& tensor : value) {
      values += tensor.elements();
      for (std::int64_t i = 0; i < tensor.elements() && is_rounded; ++i)
        if (std::isfinite(tensor.at(i))) largest = std::max(largest, std::abs(tensor.at(i)));
    }
  }

  /// How far the outputs may be off: 2 ceil(log2 n) eps times the largest of all n values. Sums have terms of
  /// both signs here, so that sum|x| of one hardly passes the largest value. A bound for n equal terms would
  /// be n times as wide, and long programs would pass whatever they compute.
  double rounded() const {
    return 2 * std::ceil(std::log2(static_cast<double>(std::max<std::int64_t>(values, 2)))) * eps * largest;
  }
};

/// Runs the program, and looks at every value on the way, also inside of sub-programs.
Ran run_soundly(const Program& program, const Mesh& mesh, const Values& inputs, const std::string& name) {
  Ran ran;
  auto look = [&](const Program& part, const Values& values) {
    for (std::size_t var = 0; var < values.size(); ++var) {
      if (values[var].empty()) continue;
      Axes equal;
      for (const Axis& axis : mesh.axes())
        if (!is_stored_per_device(part.types[var].at(axis))) equal.push_back(axis);
      if (Axes differ = unequal_axes(values[var], equal, mesh); !differ.empty())
        broken("what is typed equal is equal, of " + name, part,
               fmt::format("%{}: {} differs along {}", var, to_string(part.types[var]), to_string(differ)));
      ran.add(values[var]);
    }
  };
  ran.outputs = evaluate(program, mesh, inputs, look);
  return ran;
}

/// The first element by which they differ by more than `apart`.
std::string difference(const Values& expected, const Values& found, double apart) {
  for (std::size_t i = 0; i < expected.size(); ++i)
    for (std::size_t device = 0; device < expected[i].size(); ++device) {
      const Tensor &x = expected[i][device], &y = found[i][device];
      if (x == y) continue;
      if (x.shape() != y.shape()) return fmt::format("output {} has another shape", i);
      for (std::int64_t e = 0; e < x.elements(); ++e)
        if (!(std::abs(x.at(e) - y.at(e)) <= apart))
          return fmt::format("output {} on device {}, element {}: {}, expected {} +- {}", i, device, e,
                             y.at(e), x.at(e), apart);
      if (apart == 0) return fmt::format("output {} on device {} has other bits", i, device);
    }
  return {};
}

// --- All plans give the same bits --------------------------------------------------------------------------

Values run_by(const Program& program, const Mesh& mesh, const Values& inputs, int workers,
              CompileOptions options) {
  static Team one(1), two(2, Team::Use::always);
  options.check_races = true;
  if (workers == 2) options.plan.least_assembled_bytes = 0;
  return run_on_machine(program, mesh, inputs, workers == 1 ? one : two, options);
}

void expect_same_bits(const Program& program, const Mesh& mesh, const Values& inputs, const Ran& defined,
                      std::uint64_t seed, const std::string& name) {
  Values first = run_by(program, mesh, inputs, 1, {});
  auto expect = [&](const std::string& plan, const Values& found) {
    std::string differs = difference(first, found, 0);
    if (!differs.empty()) broken("the same bits " + plan + ", of " + name, program, differs);
  };
  expect("on two workers", run_by(program, mesh, inputs, 2, {}));
  expect("with storage per device",
         run_by(program, mesh, inputs, 1, {.plan = {.storage = Storage::per_device}}));
  switch (seed % 4) {
    case 0: expect("not fused", run_by(program, mesh, inputs, 2, {.plan = {.fusion = Fusion::off}})); break;
    case 1:
      expect("split by axes", run_by(program, mesh, inputs, 2, {.plan = {.choice = PlanChoice::by_axis}}));
      break;
    case 2:
      expect("split by tiles, streamed",
             run_by(program, mesh, inputs, 2,
                    {.plan = {.stores = Stores::streamed, .choice = PlanChoice::by_tiles}}));
      break;
    default:
      expect("per device, not fused, on two workers",
             run_by(program, mesh, inputs, 2,
                    {.plan = {.storage = Storage::per_device, .fusion = Fusion::off}}));
  }
  std::string differs = difference(defined.outputs, first, defined.rounded());
  if (!differs.empty()) broken("the plan computes what the kernels define, of " + name, program, differs);
}

// --- Lanes are devices -------------------------------------------------------------------------------------

bool adds(const Program& program) {
  static const std::set<std::string_view> sums{"all_reduce",     "cumsum",      "dot_general", "reduce_sum",
                                               "reduce_scatter", "scatter_add", "ragged_copy"};
  return std::ranges::any_of(program.equations, [&](const Equation& equation) {
    const auto* start = equation.op.as<Start>();
    const Op& op = start ? start->op : equation.op;
    auto programs = op->programs();
    if (SubProgram body = called(op, program.types_of(equation.operands))) programs.push_back(body);
    return sums.contains(op->name()) ||
           std::ranges::any_of(programs, [](const SubProgram& sub) { return adds(*sub); });
  });
}

/// True if an exchange is between devices along `axis`. A mesh has no axes of vmap, so these are never lanes.
bool exchanges_along(const Axis& axis, const Program& program) {
  return std::ranges::any_of(program.equations, [&](const Equation& equation) {
    if (const auto* op = equation.op.as<Exchange>())
      return contains(axes_of(op->from), axis) || contains(axes_of(op->to), axis);
    auto programs = equation.op->programs();
    if (SubProgram body = called(equation.op, program.types_of(equation.operands))) programs.push_back(body);
    return std::ranges::any_of(programs, [&](const SubProgram& sub) { return exchanges_along(axis, *sub); });
  });
}

void expect_lanes_are_devices(const Program& program, const Written& written, const Values& inputs,
                              const Ran& ran, const Axis& axis, const std::string& name) {
  if (exchanges_along(axis, program)) return;
  Program batched = batch(program, axis);
  check(batched);
  Values expected = batched_values(outputs_of(program), axis, ran.outputs, written.mesh);
  Ran found =
      run_soundly(batched, written.mesh, batched_values(inputs_of(program), axis, inputs, written.mesh),
                  name + " batched over " + std::string(axis.name));
  double apart = adds(program) ? ran.rounded() + found.rounded() : 0;
  std::string differs = difference(expected, found.outputs, apart);
  if (!differs.empty())
    broken("lanes are devices along " + std::string(axis.name) + ", of " + name, program,
           differs + "\n" + to_string(batched));
}

// --- Derivatives are slopes --------------------------------------------------------------------------------

double pairing(const Types& types, const Values& v, const Values& w, const Mesh& mesh) {
  double sum = 0;
  for (std::size_t i = 0; i < types.size(); ++i) sum += tutti::pairing(types[i], v[i], w[i], mesh);
  return sum;
}

double sum_of_magnitudes(const Values& values) {
  double sum = 0;
  for (const PerDevice& value : values)
    for (const Tensor& tensor : value)
      for (std::int64_t i = 0; i < tensor.elements(); ++i) sum += std::abs(tensor.at(i));
  return sum;
}

/// A program with a direction v of its inputs and weights w of its outputs.
struct Direction {
  const Program& program;
  const Mesh& mesh;
  Values x, v, w;
  double rounded;

  // How fast <w, program> grows along v: by a step of 2^-14; nearer a kink than that by a smaller one. The
  // rule was stated before any program was run.
  void expect_slope(double found, Tally& tally) const {
    auto f = [&](double distance) {
      Values moved_x = moved(x, v, Bits(x.size(), true), distance);
      return pairing(outputs_of(program), evaluate(program, mesh, moved_x), w, mesh);
    };
    ++tally.derivatives;
    Slope slope{};
    for (double step : {0x1p-14, 0x1p-18, 0x1p-22}) {
      slope = slope_at_zero(f, step, rounded * sum_of_magnitudes(w));
      if (std::abs(found - slope.value) <= slope.error) return;
      if (step == 0x1p-14) ++tally.kinks;
    }
    broken("derivatives are slopes", program,
           fmt::format("{}, expected {} +- {}", found, slope.value, slope.error));
  }
};

// Cut in two by its tangents, and transposed. None if that is refused.
std::optional<Program> transposed(const Program& program, const Bits& by, Tally& tally) {
  try {
    JvpProgram forward = jvp(program, by);
    Bits linear(forward.program.inputs.size());
    std::fill(linear.begin() + static_cast<std::ptrdiff_t>(by.size()), linear.end(), true);
    SplitProgram halves = split(forward.program, linear);
    check(halves.known);
    check(halves.linear);
    Program backward = vjp(program, by);
    check(backward);
    return backward;
  } catch (const Error& error) {
    if (error.code() != Code::refused_rule) throw;
    ++tally.no_transposes;
    return std::nullopt;
  }
}

void expect_checked_when_simplified(const Program& program) {
  check(without_common_subexpressions(program));
  check(with_early_casts(program));
  check(with_borders_as_moves(program, [](const Equation&) { return false; }));
}

void expect_derivatives(const Written& written, const Ran& ran, const Values& x, Random& random, Tally& tally,
                        std::uint64_t seed) {
  const Program& program = written.program;
  const Mesh& mesh = written.mesh;
  Types inputs = inputs_of(program), outputs = outputs_of(program);
  Bits all(inputs.size(), true);
  Values v = drawn_values(random, inputs, mesh), w = drawn_values(random, duals(outputs), mesh);
  bool narrow = inputs[0].dtype() == DType::f32;

  Program forward = jvp(program, all, Bits(outputs.size(), true)).program;
  check(forward);
  Ran forwards = run_soundly(forward, mesh, joined(x, v), "the jvp");
  Values tangents(forwards.outputs.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
                  forwards.outputs.end());
  double along = pairing(outputs, tangents, w, mesh);
  if (!narrow) Direction{program, mesh, x, v, w, ran.rounded()}.expect_slope(along, tally);

  std::optional<Program> backward = transposed(program, all, tally);
  if (!backward) return;
  Ran backwards = run_soundly(*backward, mesh, joined(x, w), "the vjp");
  Values cotangents(backwards.outputs.begin() + static_cast<std::ptrdiff_t>(outputs.size()),
                    backwards.outputs.end());
  double against = pairing(inputs, v, cotangents, mesh);
  double apart = forwards.rounded() * sum_of_magnitudes(w) + backwards.rounded() * sum_of_magnitudes(v);
  if (!(std::abs(along - against) <= apart))
    broken("<J v, w> = <v, T(J) w>", program,
           fmt::format("{} and {}, apart by more than {}\n{}", along, against, apart, to_string(*backward)));
  expect_same_bits(*backward, mesh, joined(x, w), backwards, seed / 4, "the vjp");
  for (const Axis& axis : written.bound)
    if (narrow || seed % 3 == 0)
      expect_lanes_are_devices(*backward, written, joined(x, w), backwards, axis, "the vjp");
}

struct Run {
  Values x;
  Ran ran;
};
Run try_laws_of_running(const Written& written, std::uint64_t seed, Random& random) {
  const Program& program = written.program;
  Values x = drawn_values(random, inputs_of(program), written.mesh);
  Ran ran = run_soundly(program, written.mesh, x, "the program");
  expect_same_bits(program, written.mesh, x, ran, seed, "the program");
  return {std::move(x), std::move(ran)};
}

void try_laws(const Written& written, std::uint64_t seed, Tally& tally) {
  Random random(seed);
  const Program& program = written.program;
  auto [x, ran] = try_laws_of_running(written, seed, random);
  expect_checked_when_simplified(program);
  for (const Axis& axis : written.bound)
    expect_lanes_are_devices(program, written, x, ran, axis, "the program");
  expect_derivatives(written, ran, x, random, tally, seed);
}

// The first law that is broken.
std::string found_by(const Written& written, const std::function<void()>& laws) {
  try {
    laws();
    return {};
  } catch (const Broken& found) {
    return found.how;
  } catch (const Error& error) {
    return std::string("no rule fails: ") + error.what() + "\n" + to_string(written.program);
  }
}

}  // namespace

std::string broken_law(const Written& written, std::uint64_t seed, Tally& tally) {
  ++tally.programs;
  return found_by(written, [&] { try_laws(written, seed, tally); });
}

std::string broken_law_of_running(const Written& written, std::uint64_t seed) {
  return found_by(written, [&] {
    Random random(seed);
    try_laws_of_running(written, seed, random);
  });
}

}  // namespace tutti::generated
