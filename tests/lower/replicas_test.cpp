// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/lower/golden.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/scripted_op.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/permute.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

const Mesh grid({{"x", 4}, {"y", 2}});
const Axis x = grid.axes()[0], y = grid.axes()[1];

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// A program of one op.
Program program_of(const Op& op, const Types& operands) {
  Program program;
  program.types = operands;
  for (std::size_t i = 0; i < operands.size(); ++i) program.inputs.push_back(static_cast<Var>(i));
  Equation equation{op, program.inputs, {}, {}};
  for (const Type type : op->infer(operands)) {
    program.types.push_back(type);
    equation.results.push_back(static_cast<Var>(program.types.size()) - 1);
  }
  program.outputs = equation.results;
  program.equations = {equation};
  return program;
}

std::string text_of(const Program& program, const ReplicaOptions& options = {}) {
  return write(lower_replicas(program, grid, options));
}

Lowered sum(const Axes& axes, Emitter& emitter, const Lowered& operands) {
  return {emitter.emit_with_reducer("stablehlo.all_reduce", ReduceKind::sum, operands,
                                    emitter.result_types()[0], emitter.collective(axes, true))};
}

TEST(lower_replicas, writes_a_plain_function_of_one_device) {
  ProgramOf program;
  const Type row(DType::f32, {2, 3}), number(DType::i32, {});
  const Var input = program.input(row.with(x, varying));
  const Var total = program.equation(row, {input}, [](Emitter& emitter, const Lowered& operands) {
    return sum({x}, emitter, operands);
  });
  const Var place = program.equation(number, {}, [](Emitter& emitter, const Lowered&) -> Lowered {
    return {emitter.position({y})};
  });
  EXPECT_EQ(text_of(program.returning({total, place}), {.aliases = {0}}), golden("replicas"));
}

TEST(lower_replicas, leaves_out_channels_also_in_regions) {
  ProgramOf program;
  const Type number(DType::i32, {});
  const Var input = program.input(number);
  const Var result =
      program.equation(number, {input}, [number](Emitter& emitter, const Lowered& operands) -> Lowered {
        const Emitter::Region branch{{}, [&](const Lowered&) { return sum({x}, emitter, operands); }};
        return emitter.emit_with_regions("stablehlo.case", operands, {number}, {branch, branch});
      });
  const std::string text = text_of(program.returning({result}));
  EXPECT_TRUE(holds(text, "stablehlo.all_reduce")) << text;
  for (const char* part : {"channel_handle", "use_global_device_ids", "partition_id", "sdy."})
    EXPECT_FALSE(holds(text, part)) << part << text;
}

TEST(lower_replicas, permutes_replicas_by_their_numbers) {
  const std::string text =
      text_of(program_of(Permute{{y}, {{0, 1}}}, {Type(DType::f32, {2}).with(y, varying)}));
  EXPECT_TRUE(holds(text, "source_target_pairs = dense<[[0, 1], [2, 3], [4, 5], [6, 7]]> : tensor<4x2xi64>"))
      << text;
  EXPECT_FALSE(holds(text, "channel_handle")) << text;
}

TEST(lower_replicas, asks_for_exact_products_of_f32_and_no_others) {
  const DotGeneral product{{}, {}, {Dim{1}}, {Dim{0}}};
  const auto text = [&](DType dtype, Precision precision) {
    const Type matrix(dtype, {2, 2});
    return text_of(program_of(product, {matrix, matrix}), {.precision = precision});
  };
  const std::string highest =
      "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]";
  EXPECT_TRUE(holds(text(DType::f32, Precision::highest), highest)) << text(DType::f32, Precision::highest);
  EXPECT_TRUE(holds(text(DType::complex64, Precision::highest), highest));
  EXPECT_FALSE(holds(text(DType::f32, Precision::fast), highest));
  EXPECT_FALSE(holds(text(DType::bf16, Precision::highest), highest));
}

TEST(lower_replicas, divides_integers_by_what_is_never_zero) {
  for (const BinaryFn fn : {BinaryFn::div, BinaryFn::rem}) {
    const auto text = [&](DType dtype) {
      return text_of(program_of(Binary{fn}, {Type(dtype, {3}), Type(dtype, {3})}));
    };
    EXPECT_TRUE(holds(text(DType::i32), "stablehlo.select")) << text(DType::i32);
    EXPECT_TRUE(holds(text(DType::u8), "stablehlo.select"));
    EXPECT_FALSE(holds(text(DType::f32), "stablehlo.select"));
  }
}

TEST(lower_replicas, guards_no_division_by_a_constant_without_zeros) {
  const auto text = [](std::vector<std::int32_t> divisors) {
    ProgramOf program;
    const Type two(DType::i32, {2});
    const Var input = program.input(two);
    const Var result =
        program.equation(two, {input}, [=](Emitter& emitter, const Lowered& operands) -> Lowered {
          const stablehlo::Value divisor = emitter.constant(Tensor(Shape{2}, divisors));
          return {emitter.emit("stablehlo.divide", {operands[0], divisor}, two, {})};
        });
    return text_of(program.returning({result}));
  };
  EXPECT_FALSE(holds(text({256, 1}), "stablehlo.select")) << text({256, 1});
  EXPECT_TRUE(holds(text({1, 0}), "stablehlo.select"));
  EXPECT_TRUE(holds(text({0, 0}), "stablehlo.select"));
}

TEST(lower_replicas, folds_bits_of_integers_by_the_moves_that_send_least) {
  const auto text = [](const Axes& axes, const Shape& shape, const Groups& groups = {}) {
    return text_of(program_of(AllReduce{ReduceKind::logical_and, axes, groups},
                              {Type(DType::i32, shape).with(axes, varying)}));
  };
  for (const std::string& all :
       {text({y}, {9}), text({x}, {2}), text({x}, {9}, {{0, 2}, {1, 3}}), text({x}, {9}, {{0}, {3, 1, 2}})}) {
    EXPECT_TRUE(holds(all, "stablehlo.all_gather")) << all;
    EXPECT_FALSE(holds(all, "stablehlo.all_to_all")) << all;
    EXPECT_FALSE(holds(all, "stablehlo.all_reduce")) << all;
  }
  const std::string parts = text({x}, {9});
  EXPECT_TRUE(holds(parts, "stablehlo.all_to_all")) << parts;
  EXPECT_TRUE(holds(parts, "stablehlo.all_gather")) << parts;
  EXPECT_FALSE(holds(parts, "stablehlo.all_reduce")) << parts;
}

TEST(lower_replicas, leaves_the_fold_of_bools_to_xla) {
  const std::string text = text_of(
      program_of(AllReduce{ReduceKind::logical_or, {x}}, {Type(DType::boolean, {9}).with(x, varying)}));
  EXPECT_TRUE(holds(text, "stablehlo.all_reduce")) << text;
}

TEST(lower_per_device, writes_a_bitwise_all_reduce_as_one_operation_if_asked) {
  const Program program =
      program_of(AllReduce{ReduceKind::logical_and, {x}}, {Type(DType::i32, {9}).with(x, varying)});
  const std::string text = write(lower_per_device(program, grid, {.bitwise_all_reduce = true}));
  EXPECT_TRUE(holds(text, "stablehlo.all_reduce")) << text;
  EXPECT_FALSE(holds(text, "stablehlo.all_gather")) << text;
}

TEST(lower_replicas, refuses_aliases_that_do_not_fit) {
  const Type four(DType::f32, {4}), six(DType::f32, {6});
  ProgramOf maker;
  const Var first = maker.input(four), second = maker.input(six);
  const Program program = maker.returning({second, first});
  const auto refused = [&](std::vector<std::optional<int>> aliases) {
    return refusal([&] { lower_replicas(program, grid, {.aliases = std::move(aliases)}); });
  };
  EXPECT_EQ(refused({1, 0}), "accepted");
  EXPECT_EQ(refused({{}, 0}), "accepted");
  EXPECT_EQ(refused({0, {}}), "I001 input 0 is f32[4] and may become output 0, which is f32[6]");
  EXPECT_EQ(refused({1, 1}), "I001 input 1 may become output 1, which is not there or taken");
  EXPECT_EQ(refused({2, {}}), "I001 input 0 may become output 2, which is not there or taken");
  EXPECT_EQ(refused({1}), "I001 1 aliases of 2 inputs");
}

}  // namespace
}  // namespace tutti
