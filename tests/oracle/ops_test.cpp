// SPDX-License-Identifier: Apache-2.0
// Every example of every op: the real parser accepts what it lowers to, and XLA computes on 8 devices what we do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <set>

#include "tests/support/oracle.hpp"
#include "tests/support/scripted_op.hpp"
#include "tests/support/values.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write.hpp"

namespace tutti {

void PrintTo(const OpRow& row, std::ostream* out) { *out << row.name; }

namespace {

/// All examples as one program, which XLA compiles once: the operands are its inputs, the results its outputs.
Program program_of(const std::vector<Example>& examples) {
  Program program;
  auto variable = [&](Type type) {
    program.types.push_back(type);
    return static_cast<Var>(program.types.size()) - 1;
  };
  for (const Example& example : examples) {
    Equation equation{example.op, {}, {}, {}};
    for (const ExampleOperand& operand : example.operands)
      equation.operands.push_back(variable(operand.type));
    for (Type type : example.op->infer(program.types_of(equation.operands)))
      equation.results.push_back(variable(type));
    program.inputs.insert(program.inputs.end(), equation.operands.begin(), equation.operands.end());
    program.outputs.insert(program.outputs.end(), equation.results.begin(), equation.results.end());
    program.equations.push_back(std::move(equation));
  }
  return program;
}

using Values = std::vector<Tensors>;  // [value][device]

/// Equal along the axes where the types say so, else different.
Values random_inputs(const std::vector<Example>& examples) {
  Random random(7);
  Values inputs;
  for (const Example& example : examples)
    for (Tensors& value : random_values(random, example.operands, Numbers::any))
      inputs.push_back(std::move(value));
  return inputs;
}

/// `change` applied to every element of the floats.
Values changed(Values values, const std::function<double(std::int64_t, double)>& change) {
  for (Tensors& value : values)
    for (Tensor& tensor : value) {
      if (!is_float(tensor.dtype())) continue;
      Tensor other(tensor.dtype(), tensor.shape());
      for (std::int64_t i = 0; i < tensor.elements(); ++i) put_element(other, i, change(i, tensor.at(i)));
      tensor = other;
    }
  return values;
}

Values computed_by_xla(const Program& program, const Values& inputs) {
  std::string text = write(lower_per_device(program, example_mesh()));
  Verdict verdict = Oracle::shared().run(text, example_mesh().devices(), inputs);
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_EQ(verdict.failure, "") << text;
  return verdict.results;
}

const Equation& equation_of_result(const Program& program, std::size_t k) {
  Var result = program.outputs[k];
  return *std::ranges::find_if(program.equations, [&](const Equation& equation) {
    return std::ranges::find(equation.results, result) != equation.results.end();
  });
}

/// How far two results may be apart, element by element.
using Bounds = std::function<double(std::size_t result, std::size_t device, std::int64_t element)>;

/// The first element where `ours` and `theirs` differ by more than the bound; both NaN is no difference.
std::string difference(const Program& program, const Values& ours, const Values& theirs,
                       const Bounds& bound) {
  if (theirs.size() != ours.size()) return "there are no results";
  for (std::size_t k = 0; k < ours.size(); ++k)
    for (std::size_t d = 0; d < ours[k].size(); ++d) {
      const Tensor &x = ours[k][d], &y = theirs[k][d];
      if (x == y) continue;
      if (x.shape() != y.shape() || x.dtype() != y.dtype()) return "the results have other types";
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        double a = x.at(i), b = y.at(i);
        bool same = (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
        double apart = bound(k, d, i);
        if (same || (apart > 0 && std::abs(a - b) <= apart)) continue;
        return fmt::format("{}: element {} on device {} is {} here, {} in XLA; {} apart are allowed",
                           to_string(equation_of_result(program, k).op), i, d, a, b, apart);
      }
    }
  return {};
}

double epsilon(DType dtype) {
  return dtype == DType::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

/// Sums of n terms in whatever order: 2 ceil(log2 n) eps sum|x|. The op itself says n, of ones, and sum|x|.
Bounds bounds_of_sums(const Program& program, const Values& inputs) {
  auto ones = [](std::int64_t, double) { return 1.0; };
  auto magnitude = [](std::int64_t, double x) { return std::abs(x); };
  return [counts = run_on_machine(program, example_mesh(), changed(inputs, ones)),
          sums = run_on_machine(program, example_mesh(),
                                changed(inputs, magnitude))](std::size_t k, std::size_t d, std::int64_t i) {
    if (!is_float(sums[k][d].dtype())) return 0.0;
    double count = std::max(1.0, counts[k][d].at(i));
    return 2 * std::ceil(std::log2(count)) * epsilon(sums[k][d].dtype()) * sums[k][d].at(i);
  };
}

/// Our largest error and XLA's, in units in the last place: tests/tensor/math_test.cpp; jax 0.10.2 over 2 million
/// points each of the wide and the near range, f32 and f64, against long double.
struct Accuracy {
  std::string_view op;
  double ours, xla;
};
constexpr Accuracy accuracies[] = {
    {"sin", 3.0, 0.6},   {"cos", 3.0, 0.6},      {"expm1", 4.0, 5.8},
    {"erf", 1.0, 5.2},   {"atan2", 0.6, 1.5},    {"log1p", 2.6, 128.2},  // XLA loses 7 bits near -0.4 in f64
    {"exp", 1.1, 1.7},   {"log", 1.0, 1.2},      {"tanh", 3.1, 5.9},
    {"rsqrt", 1.5, 1.7}, {"logistic", 2.5, 2.4}, {"pow", 1.0, 0.6}};

Bounds bounds_of_ulps(const Values& results, double ulps) {
  return [&results, ulps](std::size_t k, std::size_t d, std::int64_t i) {
    const Tensor& value = results[k][d];
    if (!is_float(value.dtype())) return 0.0;
    return ulps * epsilon(value.dtype()) * std::exp2(std::ilogb(value.at(i)));
  };
}

const std::set<std::string> sums{"all_reduce", "cumsum", "dot_general", "reduce_scatter", "reduce_sum"};
const std::set<std::string> moves{"argmax",
                                  "argmin",
                                  "bitcast_convert",
                                  "ceil",
                                  "clamp",
                                  "floor",
                                  "is_finite",
                                  "round",
                                  "concatenate",
                                  "dynamic_slice",
                                  "dynamic_update_slice",
                                  "gather",
                                  "pad",
                                  "reverse",
                                  "scatter",
                                  "slice",
                                  "sort",
                                  "all_gather",
                                  "all_to_all",
                                  "assume_invariant",
                                  "permute",
                                  "broadcast",
                                  "broadcast_in_dim",
                                  "cast",
                                  "enter",
                                  "leave",
                                  "mask",
                                  "own_block",
                                  "reshape",
                                  "select",
                                  "stop_gradient",
                                  "transpose"};

/// A loop of 3 trips, or a branch, of a few equations each on numbers below 4: fewer than 64 roundings.
Bounds bounds_of_sub_programs(const Values& results) {
  return [&results](std::size_t k, std::size_t d, std::int64_t) {
    DType dtype = results[k][d].dtype();
    return is_float(dtype) ? 64 * 4 * epsilon(dtype) : 0.0;
  };
}

Bounds exact() {
  return [](std::size_t, std::size_t, std::int64_t) { return 0.0; };
}

class ops : public OracleTest, public testing::WithParamInterface<OpRow> {};

TEST_P(ops, compute_what_xla_computes) {
  const OpRow& row = GetParam();
  Program program = program_of(row.examples);
  Values inputs = random_inputs(row.examples);
  Values ours = run_on_machine(program, example_mesh(), inputs);
  Values theirs = computed_by_xla(program, inputs);
  Bounds bounds = sums.contains(row.name) ? bounds_of_sums(program, inputs) : exact();
  for (const Accuracy& accuracy : accuracies)
    if (accuracy.op == row.name) bounds = bounds_of_ulps(ours, accuracy.ours + accuracy.xla);
  if (!row.examples[0].op->programs().empty()) bounds = bounds_of_sub_programs(ours);
  EXPECT_EQ(difference(program, ours, theirs, bounds), "");
}

std::string name_of(const testing::TestParamInfo<OpRow>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(all, ops, testing::ValuesIn(all_ops()), name_of);

class moving_ops : public ops {};

TEST_P(moving_ops, keep_negative_zeros_infinities_and_nans) {
  Program program = program_of(GetParam().examples);
  Values inputs = changed(random_inputs(GetParam().examples), [](std::int64_t i, double x) {
    constexpr double infinity = std::numeric_limits<double>::infinity(),
                     nan = std::numeric_limits<double>::quiet_NaN();
    const double special[] = {-0.0, infinity, nan, 0.0};
    return i % 2 == 0 && i < 8 ? special[i / 2] : x;
  });
  Values ours = run_on_machine(program, example_mesh(), inputs);
  EXPECT_EQ(difference(program, ours, computed_by_xla(program, inputs), exact()), "");
}

std::vector<OpRow> rows_that_move() {
  std::vector<OpRow> rows;
  std::ranges::copy_if(all_ops(), std::back_inserter(rows),
                       [](const OpRow& row) { return moves.contains(row.name); });
  return rows;
}
INSTANTIATE_TEST_SUITE_P(all, moving_ops, testing::ValuesIn(rows_that_move()), name_of);

class planted_ops : public OracleTest {};

/// Computes -x, but lowers to |x|.
struct LoweredToAbs : Scripted {
  static constexpr std::string_view name = "lowered_to_abs";
  Kernel kernel(const Layout&) const { return Pointwise{UnaryFn::neg}; }
  Lowered lower(Emitter& emitter, const Lowered& operands) const {
    return {emitter.emit("stablehlo.abs", operands, emitter.result_types()[0])};
  }
  bool operator==(const LoweredToAbs&) const = default;
};

TEST_F(planted_ops, are_seen_where_xla_computes_another_number) {
  Type type(DType::f32, {2});
  LoweredToAbs op;
  op.results = {type};
  Program program = program_of({{op, {type}}});
  auto found = [&](float x, float y, const Bounds& bounds) {
    Values inputs{Tensors(8, Tensor(Shape{2}, std::vector<float>{x, y}))};
    return difference(program, run_on_machine(program, example_mesh(), inputs),
                      computed_by_xla(program, inputs), bounds);
  };
  EXPECT_EQ(found(-1, -2, exact()), "");
  EXPECT_EQ(found(-1, 2, exact()),
            "lowered_to_abs: element 1 on device 0 is -2 here, 2 in XLA; 0 apart are allowed");
  EXPECT_EQ(found(-1, 0.0F, exact()),
            "lowered_to_abs: element 1 on device 0 is -0 here, 0 in XLA; 0 apart are allowed");
  Bounds almost = [](std::size_t, std::size_t, std::int64_t) { return 3.5; };
  EXPECT_EQ(found(-1, 1.75F, almost), "");
  EXPECT_NE(found(-1, 1.76F, almost), "");
}

}  // namespace
}  // namespace tutti
