// SPDX-License-Identifier: Apache-2.0
// Sums and products of f16 and bf16 in the text: in f32, converted once.
#include <gtest/gtest.h>

#include "tests/support/scripted_op.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/cumulative.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/scatter.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
namespace {

const Mesh pair({{"x", 2}});
const Axis x = pair.axes()[0];

std::string text_of(const Op& op, const Types& operands, const LowerOptions& options = {}) {
  Program program;
  program.types = operands;
  for (std::size_t i = 0; i < operands.size(); ++i) program.inputs.push_back(static_cast<Var>(i));
  program.types.push_back(op->infer(operands)[0]);
  program.outputs = {static_cast<Var>(operands.size())};
  program.equations = {{op, program.inputs, program.outputs, {}}};
  return write(lower_per_device(program, pair, options));
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

/// The ops that fold, of operands of this dtype. [4] -> [] or the like.
std::vector<std::string> folds_of(DType dtype, ReduceKind kind) {
  const bool is_sum = kind == ReduceKind::sum;
  const CumulativeKind running = is_sum                     ? CumulativeKind::sum
                                 : kind == ReduceKind::prod ? CumulativeKind::prod
                                                            : CumulativeKind::max;
  const ScatterKind scattered = is_sum                     ? ScatterKind::add
                                : kind == ReduceKind::prod ? ScatterKind::multiply
                                                           : ScatterKind::max;
  const Type four(dtype, {4});
  const GatherDims elements{.offset_dims = {},
                            .collapsed_slice_dims = {Dim{0}},
                            .start_index_map = {Dim{0}},
                            .index_vector_dim = Dim{1}};
  std::vector<std::string> texts{text_of(Reduce{kind, {Dim{0}}}, {four}),
                                 text_of(Cumulative{running, Dim{0}}, {four}),
                                 text_of(Scatter{scattered, elements},
                                         {four, Type(DType::i32, {9, 1}), Type(dtype, {9})})};
  if (kind == ReduceKind::prod) return texts;
  texts.push_back(text_of(AllReduce{kind, {x}}, {four.with(x, varying)}));
  if (is_sum)
    texts.push_back(text_of(ReduceScatter{{x}, Dim{0}, Stacking::tiled}, {four.with(x, unreduced)}));
  return texts;
}

TEST(lower_halves, folds_sums_and_products_in_f32_and_converts_them_once) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const ReduceKind kind : {ReduceKind::sum, ReduceKind::prod})
      for (const std::string& text : folds_of(dtype, kind)) {
        const std::string half(name(dtype)), op = kind == ReduceKind::sum ? "add" : "multiply";
        EXPECT_TRUE(holds(text, "tensor<4x" + half + ">) -> tensor<4xf32>")) << text;
        EXPECT_TRUE(holds(text, "\"stablehlo." + op + "\"(%")) << text;
        EXPECT_TRUE(holds(text, "(tensor<f32>, tensor<f32>) -> tensor<f32>")) << text;
        EXPECT_FALSE(holds(text, "(tensor<" + half + ">, tensor<" + half + ">) -> tensor")) << text;
        EXPECT_TRUE(holds(text, "f32>) -> tensor<" + half + ">") ||
                    holds(text, "xf32>) -> tensor<4x" + half + ">") ||
                    holds(text, "xf32>) -> tensor<2x" + half + ">"))
            << text;
      }
}

TEST(lower_halves, converts_nothing_where_nothing_is_rounded) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const std::string& text : folds_of(dtype, ReduceKind::max)) EXPECT_FALSE(holds(text, "f32")) << text;
  for (const DType dtype : {DType::f32, DType::f64, DType::i32})
    for (const std::string& text : folds_of(dtype, ReduceKind::sum))
      EXPECT_FALSE(holds(text, "stablehlo.convert\"(%arg")) << text;
}

TEST(lower_halves, finds_an_op_that_folds_in_the_half_type) {
  const auto written = [](std::string_view fold, std::string_view inner, DType dtype) {
    ProgramOf program;
    const Type two(dtype, {2}), scalar(dtype, {});
    const Var input = program.input(two);
    const auto script = [=](Emitter& emitter, const Lowered& operands) -> Lowered {
      const auto body = [&](const Lowered& both) -> Lowered { return {emitter.emit(inner, both, scalar)}; };
      return emitter.emit_with_regions(fold, {operands[0], emitter.constant(Tensor({}, dtype))}, {scalar},
                                       {{{scalar, scalar}, body}});
    };
    return refusal_of(
        [&] { lower_per_device(program.returning({program.equation(scalar, {input}, script)}), pair); });
  };
  EXPECT_EQ(written("stablehlo.reduce", "stablehlo.add", DType::bf16),
            "I001: scripted: stablehlo.reduce rounds to tensor<bf16> at every element; "
            "emit_with_reducer folds in f32 and rounds once");
  for (const char* fold : {"stablehlo.all_reduce", "stablehlo.reduce_window", "stablehlo.reduce_scatter",
                           "stablehlo.scatter", "stablehlo.select_and_scatter"})
    for (const char* inner : {"stablehlo.add", "stablehlo.multiply"})
      EXPECT_TRUE(holds(written(fold, inner, DType::f16), "I001")) << fold << inner;
  EXPECT_EQ(written("stablehlo.reduce", "stablehlo.maximum", DType::bf16), "accepted");
  EXPECT_EQ(written("stablehlo.reduce", "stablehlo.add", DType::f32), "accepted");
  EXPECT_EQ(written("stablehlo.sort", "stablehlo.add", DType::f16), "accepted");
}

}  // namespace
}  // namespace tutti
