// SPDX-License-Identifier: Apache-2.0
// Law: the tangent of every result is the slope that central differences find, by all float operands at once
// and by each alone. In f64: of fewer digits a difference keeps so few that a tangent of zero would pass, or
// one twice too large. Of linear functions in every dtype: exactly.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/support/example_programs.hpp"
#include "tests/support/slopes.hpp"
#include "tutti/base/error.hpp"
#include "tutti/functions/products/einsum.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/linalg/eigh.hpp"
#include "tutti/ops/linalg/svd.hpp"
#include "tutti/ops/reduce_precision.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

using Elements = std::vector<std::vector<double>>;  // per device

// Where the tangent is not the slope, or is known so badly that no tangent or twice the tangent would pass,
// too; empty if all is well.
std::string wrong(const std::vector<std::vector<Slope>>& expected, const Elements& tangent) {
  for (std::size_t device = 0; device < expected.size(); ++device)
    for (std::size_t e = 0; e < expected[device].size(); ++e) {
      auto [slope, error] = expected[device][e];
      double found = tangent[device][e];
      bool is_strict = found == 0 || error < std::abs(found) / 2;
      if (!is_strict || !(std::abs(found - slope) <= error))
        return fmt::format("element {} on device {}: tangent {}, slope {} +- {}", e, device, found, slope,
                           error);
    }
  return {};
}

// The inputs that have a tangent, then those tangents: what a jvp program takes.
std::vector<PerDevice> with_tangents(std::vector<PerDevice> x, const std::vector<PerDevice>& v,
                                     const Bits& by) {
  for (std::size_t i = 0; i < by.size(); ++i)
    if (by[i]) x.push_back(v[i]);
  return x;
}

// Vectors of complex matrices are unique up to phases, which LAPACK chooses and no slope follows. Products in
// which the phases cancel have slopes: of each eigenvector with itself, of each pair of singular vectors.
Program program_with_slopes(const Example& example) {
  const bool is_eigh = example.op.as<Eigh>() != nullptr;
  const bool has_vectors =
      is_eigh || (example.op.as<Svd>() && example.op.as<Svd>()->factors != Svd::Factors::values);
  if (!has_vectors || !is_complex(example.operands[0].type.dtype())) return program_of(example);
  return trace(types_of(example.operands),
               [&](const Arrays& x) {
                 const Arrays found = tutti::apply(example.op, x);
                 if (is_eigh) return Arrays{found[0], projections_of(found[1])};
                 return Arrays{found[1], einsum("...ij,...jk->...jik", found[0], found[2])};
               })
      .program;
}

void slopes_by(const Example& example, const Bits& by, Findings& findings) {
  Random random(3);
  Program program = program_with_slopes(example);
  std::vector<PerDevice> x = random_values(random, example.operands, Numbers::smooth);
  std::vector<PerDevice> v = random_values(random, program.types_of(program.inputs), Numbers::smooth);
  Bits all_outputs(program.outputs.size(), true);
  JvpProgram derived = jvp(program, by, all_outputs);
  std::vector<PerDevice> outputs = evaluate(derived.program, example_mesh(), with_tangents(x, v, by));
  std::size_t next = program.outputs.size();
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    if (!derived.nonzero[i]) continue;  // bool or integers
    std::string found =
        wrong(slopes(program, x, v, by, i), totals(program.type(program.outputs[i]), outputs[next++]));
    findings.expect(found.empty(),
                    [&] { return described(example) + ": " + found + "\n" + to_string(derived.program); });
  }
}

// Linear in all float operands at once.
bool is_linear(const Example& example) {
  return example.op->refusal(Rule::transpose).empty() && example.op->mixing() != Mixing::bilinear &&
         example.op->programs().empty();
}

bool is_in_f64(const Program& program) {
  return std::ranges::all_of(program.types, [](Type type) {
    return !is_inexact(type.dtype()) || epsilon(type.dtype()) == epsilon(DType::f64);
  });
}

bool has_tangents(const Example& example) {
  return !example.op.as<StopGradient>() && example.op->refusal(Rule::jvp).empty();
}

// All float operands at once, then each alone: where the others have no tangent.
void jvp_is_the_slope(const Example& example, Findings& findings) {
  // A staircase has slopes of 0. The law of linear ops judges the tangent of reduce_precision.
  if (!has_tangents(example) || example.op.as<ReducePrecision>()) return;
  Program program = program_of(example);
  Bits floats = float_inputs(program);
  if (std::ranges::none_of(floats, std::identity{})) return;
  if (!is_in_f64(program))
    return findings.expect(is_linear(example),
                           [&] { return described(example) + ": no law judges its tangent"; });
  slopes_by(example, floats, findings);
  for (std::size_t i = 0; i < floats.size() && floats.size() > 1; ++i) {
    Bits alone(floats.size());
    alone[i] = true;
    if (floats[i]) slopes_by(example, alone, findings);
  }
}

// A difference of numbers with few digits, at a step of 1, is exact.
void jvp_of_a_linear_op_is_the_difference(const Example& example, Findings& findings) {
  if (!has_tangents(example) || !is_linear(example)) return;
  Random random(3);
  Program program = program_of(example);
  Bits floats = float_inputs(program);
  std::vector<PerDevice> x = random_values(random, example.operands, Numbers::quarters);
  std::vector<PerDevice> v = random_values(random, program.types_of(program.inputs), Numbers::quarters);
  JvpProgram derived = jvp(program, floats, Bits(program.outputs.size(), true));
  std::vector<PerDevice> outputs = evaluate(derived.program, example_mesh(), with_tangents(x, v, floats));
  std::vector<PerDevice> above = evaluate(program, example_mesh(), moved(x, v, floats, 1)),
                         below = evaluate(program, example_mesh(), moved(x, v, floats, -1));
  std::size_t next = program.outputs.size();
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    if (!derived.nonzero[i]) continue;  // bool or integers
    Type type = program.type(program.outputs[i]);
    Elements high = totals(type, above[i]), low = totals(type, below[i]);
    for (std::size_t device = 0; device < high.size(); ++device)
      for (std::size_t e = 0; e < high[device].size(); ++e)
        high[device][e] = (high[device][e] - low[device][e]) / 2;
    findings.expect(totals(type, outputs[next++]) == high, [&] {
      return described(example) + ": another tangent than the difference\n" + to_string(derived.program);
    });
  }
}

// The example with f64 for floats of fewer digits.
Example in_f64(Example example) {
  for (ExampleOperand& operand : example.operands) {
    if (is_float(operand.type.dtype())) operand.type = operand.type.with(DType::f64);
    if (is_complex(operand.type.dtype())) operand.type = operand.type.with(DType::complex128);
  }
  return example;
}

class finite_difference : public EveryOp {};
TEST_P(finite_difference, is_the_tangent_in_f64) {
  std::vector<Example> examples;
  for (const Example& example : GetParam().examples) examples.push_back(in_f64(example));
  Findings findings = tried(jvp_is_the_slope, examples);
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
}
TEST_P(finite_difference, is_exactly_the_tangent_of_a_linear_op) {
  expect_holds(jvp_of_a_linear_op_is_the_difference);
}
INSTANTIATE_TEST_SUITE_P(every_op, finite_difference, every_op(), op_name);

TEST(finite_difference, catches_a_derivative_off_by_a_factor) {
  EXPECT_FALSE(holds(jvp_is_the_slope, planted::TanhOfDoubleSlope::examples()));
}
TEST(finite_difference, catches_a_forgotten_tangent) {
  EXPECT_FALSE(holds(jvp_is_the_slope, planted::ProductOfOneTangent::examples()));
}

}  // namespace
}  // namespace tutti
