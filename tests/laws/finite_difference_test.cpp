// SPDX-License-Identifier: Apache-2.0
// Law: the tangent of every result is the slope that central differences find, by all float operands at once
// and by each alone, in f64 also for examples in f32.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tests/support/slopes.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

// Where the tangent is not the slope; empty if it is.
std::string wrong(const std::vector<std::vector<Slope>>& expected,
                  const std::vector<std::vector<double>>& tangent) {
  for (std::size_t device = 0; device < expected.size(); ++device)
    for (std::size_t e = 0; e < expected[device].size(); ++e) {
      auto [slope, error] = expected[device][e];
      if (!(std::abs(tangent[device][e] - slope) <= error))
        return fmt::format("element {} on device {}: tangent {}, slope {} +- {}", e, device,
                           tangent[device][e], slope, error);
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

void slopes_by(const Example& example, const Bits& by, Findings& findings) {
  Random random(3);
  Program program = program_of(example);
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

// f16 and bf16 have too few digits for a difference to be near a slope; their rules are those of f32.
bool is_coarse(const Example& example) {
  return std::ranges::any_of(example.operands,
                             [](const ExampleOperand& operand) { return is_half(operand.type.dtype()); });
}

// All float operands at once, then each alone: where the others have no tangent.
void jvp_is_the_slope(const Example& example, Findings& findings) {
  if (is_coarse(example)) return;
  if (example.op.as<StopGradient>() || !example.op->refusal(Rule::jvp).empty()) return;
  Bits floats = float_inputs(program_of(example));
  slopes_by(example, floats, findings);
  for (std::size_t i = 0; i < floats.size() && floats.size() > 1; ++i) {
    Bits alone(floats.size());
    alone[i] = true;
    if (floats[i]) slopes_by(example, alone, findings);
  }
}

// The example with f64 for f32, if the op takes it.
Example in_f64(Example example) {
  for (ExampleOperand& operand : example.operands) {
    if (operand.type.dtype() == DType::f32) operand.type = operand.type.with(DType::f64);
    if (operand.type.dtype() == DType::complex64) operand.type = operand.type.with(DType::complex128);
  }
  return example;
}

std::vector<Example> finest(const std::vector<Example>& examples) {
  std::vector<Example> fine;
  for (const Example& example : examples)
    if (!is_coarse(example)) fine.push_back(in_f64(example));
  return fine;
}

class finite_difference : public EveryOp {};
TEST_P(finite_difference, is_the_tangent) { expect_holds(jvp_is_the_slope); }
TEST_P(finite_difference, is_the_tangent_in_f64) {
  Findings findings = tried(jvp_is_the_slope, finest(GetParam().examples));
  EXPECT_TRUE(findings.text().empty()) << findings.text();
  RecordProperty("cases", findings.held());
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
