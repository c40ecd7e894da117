// SPDX-License-Identifier: Apache-2.0
// Law: <J v, w> == <v, T(J) w> for every op that has a transpose, in every state; w is of the dual types. All
// numbers are quarters or powers of two, so that sums and products are exact and both sides are equal, not
// nearly so.
#include <fmt/core.h>

#include "tests/laws/law.hpp"
#include "tests/laws/planted.hpp"
#include "tutti/base/error.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

// The program and its transpose, if it has one.
std::optional<Program> transposed(const Example& example, const Program& program, const Bits& by) {
  try {
    return transpose(program, by);
  } catch (const Error& error) {
    if (error.code() != Code::refused_rule || !may_refuse_transpose(example)) throw;
    return std::nullopt;
  }
}

// Known values of an example and linear ones, in the order of its inputs.
struct Inputs {
  std::vector<PerDevice> all, known, linear;

  Inputs(Random& random, const Example& example, const Bits& by, Numbers numbers) {
    for (std::size_t i = 0; i < by.size(); ++i) {
      const ExampleOperand& operand = example.operands[i];
      all.push_back(by[i] ? random_value(random, ExampleOperand(operand.type), numbers)
                          : random_value(random, operand, Numbers::powers_of_two));
      (by[i] ? linear : known).push_back(all.back());
    }
  }
};

std::vector<PerDevice> joined(std::vector<PerDevice> front, const std::vector<PerDevice>& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

double pairing(const Types& types, const std::vector<PerDevice>& v, const std::vector<PerDevice>& w) {
  double sum = 0;
  for (std::size_t i = 0; i < types.size(); ++i) sum += tutti::pairing(types[i], v[i], w[i]);
  return sum;
}

void adjoint_identity(const Example& example, Findings& findings) {
  Random random(1);
  Program program = program_of(example);
  for (const Bits& by : linear_inputs(example)) {
    std::optional<Program> transpose = transposed(example, program, by);
    if (!transpose) continue;
    Types results = program.types_of(program.outputs), linear = transpose->types_of(transpose->outputs);
    Types duals;
    for (Type type : results) duals.push_back(dual(type));
    Inputs v(random, example, by, Numbers::quarters);
    std::vector<PerDevice> w = random_values(random, duals, Numbers::quarters);
    std::vector<PerDevice> forward = evaluate(program, example_mesh(), v.all);
    std::vector<PerDevice> backward = evaluate(*transpose, example_mesh(), joined(v.known, w));
    for (Type& type : linear) type = dual(type);
    double left = pairing(results, forward, w), right = pairing(linear, v.linear, backward);
    findings.expect(left == right, [&] {
      return fmt::format("{}: <J v, w> = {}, <v, T w> = {}\n{}", described(example), left, right,
                         to_string(*transpose));
    });
  }
}

std::vector<std::vector<std::vector<double>>> totals(const Types& types,
                                                     const std::vector<PerDevice>& values) {
  std::vector<std::vector<std::vector<double>>> all;
  for (std::size_t i = 0; i < types.size(); ++i) all.push_back(tutti::totals(types[i], values[i]));
  return all;
}

// In value: another device may hold the term of a sum.
void double_transpose(const Example& example, Findings& findings) {
  Random random(2);
  Program program = program_of(example);
  Types results = program.types_of(program.outputs);
  for (const Bits& by : linear_inputs(example)) {
    std::optional<Program> once = transposed(example, program, by);
    if (!once) continue;
    Inputs inputs(random, example, by, Numbers::quarters);
    Bits cotangents(once->inputs.size());
    std::fill(cotangents.begin() + static_cast<std::ptrdiff_t>(inputs.known.size()), cotangents.end(), true);
    Program twice = transpose(*once, cotangents);
    std::vector<PerDevice> forward = evaluate(program, example_mesh(), inputs.all);
    std::vector<PerDevice> again = evaluate(twice, example_mesh(), joined(inputs.known, inputs.linear));
    findings.expect(
        twice.types_of(twice.outputs) == results && totals(results, forward) == totals(results, again), [&] {
          return described(example) + ": the transpose of the transpose is another map\n" + to_string(twice);
        });
  }
}

class adjoint : public EveryOp {};
TEST_P(adjoint, identity_holds_in_the_dual_states) { expect_holds(adjoint_identity); }
TEST_P(adjoint, of_the_adjoint_is_the_op) { expect_holds(double_transpose); }
INSTANTIATE_TEST_SUITE_P(every_op, adjoint, every_op(), op_name);

// The partners of contracted dims that are not in order.
TEST(adjoint_identity, holds_of_a_product_that_contracts_its_dims_out_of_order) {
  DotGeneral product{{}, {}, {Dim{2}, Dim{1}}, {Dim{0}, Dim{1}}};
  EXPECT_TRUE(holds(adjoint_identity, {{product, {Type(DType::f64, {2, 3, 4}), Type(DType::f64, {4, 3})}}}));
}
TEST(adjoint_identity, catches_a_gather_that_transposes_to_a_sum) {
  EXPECT_FALSE(holds(adjoint_identity, planted::GatherTransposedToSum::examples()));
}
TEST(adjoint_identity, catches_a_conjugated_factor) {
  EXPECT_FALSE(holds(adjoint_identity, planted::ProductTransposedConjugated::examples()));
}
TEST(adjoint_identity, catches_a_block_of_the_neighbour) {
  EXPECT_FALSE(holds(adjoint_identity, planted::BlockOfNeighbour::examples()));
}
TEST(adjoint_identity, catches_a_loop_that_transposes_to_one_in_its_own_order) {
  EXPECT_FALSE(holds(adjoint_identity, planted::ScanTransposedForwards::examples()));
}
TEST(double_transpose, catches_a_gather_that_transposes_to_a_sum) {
  EXPECT_FALSE(holds(double_transpose, planted::GatherTransposedToSum::examples()));
}

}  // namespace
}  // namespace tutti
