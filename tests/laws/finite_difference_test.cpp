// SPDX-License-Identifier: Apache-2.0
// Law: the tangent of every result is the slope that central differences find, by all float operands at once and by
// each alone, in f64 also for examples in f32.
//
// With D(h) = (f(x + hv) - f(x - hv)) / 2h, D(h) = f' + h^2/6 f''' + O(h^4), so that D(2h) - D(h) is three times the
// error of D(h): where f is smooth on the way, |D(2h) - D(h)| bounds it. To this comes rounding: each value of f is off
// by roundings * eps * S, S bounding the magnitudes that it is computed from, which a difference divides by h.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/transform/jvp.hpp"

namespace tutti {
namespace {

using Totals = std::vector<std::vector<double>>;

constexpr double step_f64 = 0x1p-17, step_f32 = 0x1p-8;  // near cbrt(eps), where both errors are of one size
constexpr double roundings =
    8;  // an element function is off by up to 4 ulp (tests/tensor), and its operand by 1

double step_of(DType dtype) { return dtype == DType::f32 ? step_f32 : step_f64; }
double eps_of(DType dtype) {
  return dtype == DType::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// The coarsest dtype that takes part: f32 numbers may become f64 ones, and the other way round.
DType coarsest(const Program& program) {
  bool has_f32 = std::ranges::any_of(program.types, [](Type type) { return type.dtype() == DType::f32; });
  return has_f32 ? DType::f32 : DType::f64;
}

// x + distance * v for the inputs in `by`.
std::vector<PerDevice> moved(std::vector<PerDevice> x, const std::vector<PerDevice>& v, const Bits& by,
                             double distance) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!by[i]) continue;
    for (std::size_t device = 0; device < x[i].size(); ++device) {
      Tensor sum(x[i][device].dtype(), x[i][device].shape());
      for (std::int64_t e = 0; e < sum.elements(); ++e)
        put_element(sum, e, x[i][device].at(e) + distance * v[i][device].at(e));
      x[i][device] = sum;
    }
  }
  return x;
}

double largest(const std::vector<PerDevice>& values) {
  double found = 0;
  for (const PerDevice& value : values)
    for (const Tensor& tensor : value)
      for (std::int64_t e = 0; e < tensor.elements(); ++e)
        if (std::isfinite(tensor.at(e))) found = std::max(found, std::abs(tensor.at(e)));
  return found;
}

// What any op adds up at most: all elements of all devices, or products of two of them.
double magnitude(const std::vector<PerDevice>& x, const std::vector<PerDevice>& f) {
  std::int64_t elements = 1;
  for (const PerDevice& value : x) elements = std::max(elements, value[0].elements());
  double most =
      static_cast<double>(elements * example_mesh().devices()) * std::pow(std::max(1.0, largest(x)), 2);
  return most + largest(f);
}

class Slopes {
 public:
  Slopes(const Program& program, std::vector<PerDevice> x, std::vector<PerDevice> v, Bits by)
      : program_(program), x_(std::move(x)), v_(std::move(v)), by_(std::move(by)) {
    scale_ = magnitude(x_, evaluate(program_, example_mesh(), x_));
  }

  // Where the tangent of output i is not the slope; empty if it is.
  std::string wrong(std::size_t i, const Totals& tangent) const {
    DType dtype = coarsest(program_);
    double h = step_of(dtype);
    Totals near = difference(i, h), far = difference(i, 2 * h);
    double rounding = 2 * roundings * eps_of(dtype) * scale_ / h;
    for (std::size_t device = 0; device < near.size(); ++device)
      for (std::size_t e = 0; e < near[device].size(); ++e) {
        double bound = std::abs(far[device][e] - near[device][e]) + rounding;
        if (!(std::abs(tangent[device][e] - near[device][e]) <= bound))
          return fmt::format("element {} on device {}: tangent {}, slope {} +- {}", e, device,
                             tangent[device][e], near[device][e], bound);
      }
    return {};
  }

 private:
  Totals difference(std::size_t i, double h) const {
    Type type = program_.type(program_.outputs[i]);
    auto f = [&](double distance) {
      return totals(type, evaluate(program_, example_mesh(), moved(x_, v_, by_, distance))[i]);
    };
    Totals above = f(h), below = f(-h);
    for (std::size_t device = 0; device < above.size(); ++device)
      for (std::size_t e = 0; e < above[device].size(); ++e)
        above[device][e] = slope(above[device][e], below[device][e], h);
    return above;
  }

  // The maximum of nothing is -inf, and stays so.
  static double slope(double above, double below, double h) {
    return above == below ? 0 : (above - below) / (2 * h);
  }

  const Program& program_;
  std::vector<PerDevice> x_, v_;
  Bits by_;
  double scale_;
};

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
  Slopes slopes(program, x, v, by);
  std::size_t next = program.outputs.size();
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    if (!derived.nonzero[i]) continue;  // bool or integers
    std::string wrong = slopes.wrong(i, totals(program.type(program.outputs[i]), outputs[next++]));
    findings.expect(wrong.empty(), described(example) + ": " + wrong + "\n" + to_string(derived.program));
  }
}

// All float operands at once, then each alone: where the others have no tangent.
void jvp_is_the_slope(const Example& example, Findings& findings) {
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
  for (ExampleOperand& operand : example.operands)
    if (operand.type.dtype() == DType::f32) operand.type = operand.type.with(DType::f64);
  return example;
}

std::vector<Example> finest(const std::vector<Example>& examples) {
  std::vector<Example> fine;
  for (const Example& example : examples) fine.push_back(in_f64(example));
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
