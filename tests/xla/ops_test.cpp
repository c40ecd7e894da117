// SPDX-License-Identifier: Apache-2.0
// Every example of every op, and every composed program: XLA's replicas and our runtime compute the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <ostream>
#include <set>

#include "tests/support/example_programs.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/lowered_to_abs.hpp"
#include "tests/support/op_bounds.hpp"
#include "tests/support/programs.hpp"
#include "tests/xla/on_xla.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti {

void PrintTo(const OpRow& row, std::ostream* out) { *out << row.name; }
void PrintTo(const NamedProgram& program, std::ostream* out) { *out << program.name; }

namespace {

using xla::RealXla;

/// The first difference between our runtime and XLA on the example mesh.
std::string difference_from_xla(const Program& program, const Values& inputs) {
  const Values ours = run_on_machine(program, example_mesh(), inputs);
  return difference(program, ours, xla::OnXla(RealXla::client(), program, example_mesh()).run(inputs),
                    exact());
}

bool moves(const OpRow& row) {
  static const std::vector<OpRow> rows = rows_that_move();
  return std::ranges::any_of(rows, [&](const OpRow& moving) { return moving.name == row.name; });
}

template <class Row>
std::string name_of(const testing::TestParamInfo<Row>& info) {
  return info.param.name;
}

class xla_ops : public RealXla, public testing::WithParamInterface<OpRow> {};

TEST_P(xla_ops, compute_what_we_do) {
  const OpRow& row = GetParam();
  const Program program = program_without_phases(row.examples);
  const xla::OnXla theirs(RealXla::client(), program, example_mesh());
  const Values inputs = random_inputs(row.examples);
  const Values ours = run_on_machine(program, example_mesh(), inputs);
  const Bounds bounds = bounds_for(row, program, inputs, ours, Peer::xla);
  EXPECT_EQ(difference(program, ours, theirs.run(inputs), bounds), "");
  if (!moves(row)) return;
  const Values special = with_special_numbers(inputs);
  const Values moved = run_on_machine(program, example_mesh(), special);
  EXPECT_EQ(difference(program, moved, theirs.run(special), exact()), "") << "of -0, infinities and NaNs";
}
INSTANTIATE_TEST_SUITE_P(all, xla_ops, testing::ValuesIn(lowered_ops()), name_of<OpRow>);

class xla_programs : public RealXla, public testing::WithParamInterface<NamedProgram> {};

// f64. Each result has fewer than 200 roundings of numbers below 32.
TEST_P(xla_programs, compute_what_we_do) {
  const Program& program = GetParam().program;
  Random random(7);
  const Values inputs = random_values(random, GetParam().operands, Numbers::any);
  const Values ours = run_on_machine(program, example_mesh(), inputs);
  const Values theirs = xla::OnXla(RealXla::client(), program, example_mesh()).run(inputs);
  EXPECT_EQ(difference(program, ours, theirs, bounds_of_epsilons(ours, 200 * 32)), "");
}
INSTANTIATE_TEST_SUITE_P(composed, xla_programs, testing::ValuesIn(composed_programs()),
                         name_of<NamedProgram>);

using xla_extremes = RealXla;

TEST_F(xla_extremes, keep_nans_and_order_zeros_by_sign) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Values inputs{Tensors(8, Tensor(Shape{6}, std::vector<double>{0, -0.0, nan, 1, -0.0, nan})),
                      Tensors(8, Tensor(Shape{6}, std::vector<double>{-0.0, 0, 1, nan, -0.0, nan}))};
  const Type six(DType::f64, {6});
  for (const BinaryFn fn : {BinaryFn::maximum, BinaryFn::minimum})
    EXPECT_EQ(difference_from_xla(program_of({{Binary{fn}, {six, six}}}), inputs), "");
}

using planted_ops = RealXla;

TEST_F(planted_ops, are_seen_where_xla_computes_another_number) {
  LoweredToAbs op;
  op.results = {Type(DType::f32, {2})};
  const Values inputs{Tensors(8, Tensor(Shape{2}, std::vector<float>{-1, 2}))};
  EXPECT_EQ(difference_from_xla(program_of({{op, {op.results[0]}}}), inputs),
            "lowered_to_abs: element 1 on device 0 is -2 here, 2 there; 0 apart are allowed");
}

using xla_bits = RealXla;

// All orders of axes and groups, so that each way of moving the parts is tried.
TEST_F(xla_bits, of_integers_are_folded_as_we_do) {
  const Axes all = example_mesh().axes();
  const Axis a = all[0], b = all[1], c = all[2];
  std::vector<Example> examples;
  for (const ReduceKind kind : {ReduceKind::logical_and, ReduceKind::logical_or})
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{1}, Shape{5}, Shape{3, 7}}) {
      const Type x = Type(DType::i32, shape).with(all, varying);
      for (const Axes& axes : {Axes{a}, Axes{b, c}, Axes{a, c}, all})
        examples.push_back({AllReduce{kind, axes}, {ExampleOperand(x, -100, 100)}});
      for (const Groups& groups : {Groups{{2, 0}, {1, 3}}, Groups{{3}, {0, 2, 1}}, Groups{{1, 0, 3, 2}}})
        examples.push_back({AllReduce{kind, {b, a}, groups}, {ExampleOperand(x.with(DType::u8), 0, 255)}});
      examples.push_back({AllReduce{kind, all}, {ExampleOperand(x.with(DType::i64), -9, 9)}});
    }
  const Program program = program_of(examples);
  EXPECT_EQ(difference_from_xla(program, random_inputs(examples)), "");
}

TEST(xla_examples, have_every_dtype_and_every_state) {
  std::set<DType> dtypes;
  std::set<State> states;
  for (const OpRow& row : lowered_ops()) {
    const Program program = program_of(row.examples);
    for (const Type& type : program.types_of(program.inputs)) {
      dtypes.insert(type.dtype());
      for (const auto& [axis, state] : type.states()) states.insert(state);
    }
  }
  EXPECT_EQ(dtypes.size(), 15U);
  EXPECT_EQ(states, (std::set{State::varying, State::unreduced, State::reduced}));
}

}  // namespace
}  // namespace tutti
