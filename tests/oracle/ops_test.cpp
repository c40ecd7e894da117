// SPDX-License-Identifier: Apache-2.0
// Every example of every op: the real parser accepts what it lowers to, and XLA and the reference interpreter
// compute on 8 devices what we do.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/support/differences.hpp"
#include "tests/support/example_programs.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/lowered_to_abs.hpp"
#include "tests/support/op_bounds.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/fft.hpp"
#include "tutti/ops/linalg/cholesky.hpp"
#include "tutti/ops/linalg/triangular_solve.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/windows/convolution.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti::ops {
void PrintTo(const OpRow& row, std::ostream* out) { *out << row.name; }
}  // namespace tutti::ops

namespace tutti {
namespace {

/// The interpreter dies of integers divided by zero.
Values without_zeros(Values values) {
  for (Tensors& value : values)
    for (Tensor& tensor : value)
      for (std::int64_t i = 0; is_integer(tensor.dtype()) && i < tensor.elements(); ++i)
        if (tensor.at(i) == 0) put_element(tensor, i, 1);
  return values;
}

/// The permutations that an example lowers to.
std::vector<Permute> permutations_of(const Example& example) {
  if (const auto* permute = example.op.as<Permute>()) return {*permute};
  const auto* exchange = example.op.as<Exchange>();
  if (!exchange) return {};
  auto body = [&](const Arrays& x) { return Arrays{exchange_by_moves(x[0], *exchange)}; };
  std::vector<Permute> found;
  for (const Equation& equation : trace(types_of(example.operands), body).program.equations)
    if (const auto* permute = equation.op.as<Permute>()) found.push_back(*permute);
  return found;
}

constexpr std::string_view defect_of_empty_dims =
    "known defect: a product over an empty dim ends the process";

/// The interpreter of jaxlib 0.10.2 cannot run these, or not rightly; interpreter.py knows the same.
std::string known_defect(const Example& example) {
  if (communicates_in_a_loop(program_of({example}))) return std::string(defect_of_loops);
  for (const Permute& permute : permutations_of(example))
    for (auto [source, target] : permute.pairs)
      if (source == target) return "known defect: a device that sends to itself waits for ever";
  if (const auto* product = example.op.as<DotGeneral>())
    for (Dim dim : product->lhs_contract)
      if (example.operands[0].type.shape()[dim] == 0) return std::string(defect_of_empty_dims);
  if (const auto* convolution = example.op.as<Convolution>())
    if (example.operands[1].type.shape()[convolution->dims.kernel.feature] == 0)
      return std::string(defect_of_empty_dims);
  if (example.op.as<Fft>()) return "known defect: fft takes complex values for real ones";
  if (example.op.as<Cholesky>() || example.op.as<TriangularSolve>()) return std::string(defect_of_triangles);
  return {};
}

/// XLA on CPU, as of jaxlib 0.10.2, says "UNIMPLEMENTED: Unsupported reduction computation" if this is one
/// operation.
bool is_unimplemented_in_xla(const Example& example) {
  const auto* reduce = example.op.as<AllReduce>();
  bool is_of_bits =
      reduce && (reduce->kind == ReduceKind::logical_and || reduce->kind == ReduceKind::logical_or);
  return is_of_bits && example.operands[0].type.dtype() != DType::boolean;
}

std::vector<Example> examples_for(Peer peer, const OpRow& row) {
  std::vector<Example> examples = row.examples;
  if (peer == Peer::interpreter)
    std::erase_if(examples, [](const Example& example) { return !known_defect(example).empty(); });
  return examples;
}

Oracle& oracle_of(Peer peer) { return peer == Peer::xla ? Oracle::shared() : Oracle::interpreter(); }

std::string difference_from(Peer peer, const OpRow& row) {
  std::vector<Example> examples = examples_for(peer, row);
  if (examples.empty()) return {};
  Program program = program_without_phases(examples);
  Values inputs = random_inputs(examples);
  if (peer == Peer::interpreter && (row.name == "div" || row.name == "rem")) inputs = without_zeros(inputs);
  Values ours = run_on_machine(program, example_mesh(), inputs);
  return difference(program, ours, computed_by(oracle_of(peer), program, inputs),
                    bounds_for(row, program, inputs, ours, peer));
}

class ops : public OracleTest, public testing::WithParamInterface<OpRow> {};

TEST_P(ops, compute_what_xla_computes) { EXPECT_EQ(difference_from(Peer::xla, GetParam()), ""); }

TEST_P(ops, compute_what_the_interpreter_computes) {
  EXPECT_EQ(difference_from(Peer::interpreter, GetParam()), "");
}

TEST_P(ops, are_run_by_the_interpreter_but_for_known_defects) {
  for (const Example& example : GetParam().examples) {
    std::string defect = known_defect(example);
    if (defect.empty()) continue;
    std::string text = write(lower_per_device(program_of({example}), example_mesh()));
    EXPECT_EQ(Oracle::interpreter().run(text, 8, random_inputs({example})).failure, defect);
  }
}

TEST_P(ops, are_run_by_xla_but_for_what_it_has_not) {
  for (const Example& example : GetParam().examples) {
    if (!is_unimplemented_in_xla(example)) continue;
    std::string text =
        write(lower_per_device(program_of({example}), example_mesh(), {.bitwise_all_reduce = true}));
    std::string failure = Oracle::shared().run(text, 8, random_inputs({example})).failure;
    EXPECT_TRUE(failure.starts_with("UNIMPLEMENTED: Unsupported reduction computation")) << failure;
  }
}

std::string name_of(const testing::TestParamInfo<OpRow>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(all, ops, testing::ValuesIn(lowered_ops()), name_of);

class moving_ops : public ops {};

TEST_P(moving_ops, keep_negative_zeros_infinities_and_nans) {
  for (Peer peer : {Peer::xla, Peer::interpreter}) {
    std::vector<Example> examples = examples_for(peer, GetParam());
    Program program = program_of(examples);
    Values inputs = with_special_numbers(random_inputs(examples));
    Values ours = run_on_machine(program, example_mesh(), inputs);
    EXPECT_EQ(difference(program, ours, computed_by(oracle_of(peer), program, inputs), exact()), "");
  }
}

INSTANTIATE_TEST_SUITE_P(all, moving_ops, testing::ValuesIn(rows_that_move()), name_of);

class planted_ops : public OracleTest {};

TEST_F(planted_ops, are_seen_where_a_peer_computes_another_number) {
  Type type(DType::f32, {2});
  LoweredToAbs op;
  op.results = {type};
  Program program = program_of({{op, {type}}});
  auto found = [&](float x, float y, const Bounds& bounds, Oracle& peer = Oracle::shared()) {
    Values inputs{Tensors(8, Tensor(Shape{2}, std::vector<float>{x, y}))};
    return difference(program, run_on_machine(program, example_mesh(), inputs),
                      computed_by(peer, program, inputs), bounds);
  };
  EXPECT_EQ(found(-1, -2, exact()), "");
  EXPECT_EQ(found(-1, 2, exact()),
            "lowered_to_abs: element 1 on device 0 is -2 here, 2 there; 0 apart are allowed");
  EXPECT_EQ(found(-1, 0.0F, exact()),
            "lowered_to_abs: element 1 on device 0 is -0 here, 0 there; 0 apart are allowed");
  Bounds almost = [](std::size_t, std::size_t, std::int64_t) { return 3.5; };
  EXPECT_EQ(found(-1, 1.75F, almost), "");
  EXPECT_NE(found(-1, 1.76F, almost), "");
  EXPECT_EQ(found(-1, -2, exact(), Oracle::interpreter()), "");
  EXPECT_EQ(found(-1, 2, exact(), Oracle::interpreter()),
            "lowered_to_abs: element 1 on device 0 is -2 here, 2 there; 0 apart are allowed");
}

}  // namespace
}  // namespace tutti
