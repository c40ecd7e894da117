// SPDX-License-Identifier: Apache-2.0
// The examples of every op, written as StableHLO and read again, give the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "tests/support/example_programs.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/op_bounds.hpp"
#include "tests/support/read_back.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/parse/parse.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti::ops {
void PrintTo(const OpRow& row, std::ostream* out) { *out << row.name; }
}  // namespace tutti::ops

namespace tutti {
namespace {

/// Ops whose text gives other bits, with the reason.
const std::map<std::string, std::string>& other_bits() {
  static const std::string several = "the text computes it by several functions";
  static const std::map<std::string, std::string> all{{"eigh", several},
                                                      {"exp2", several},
                                                      {"log10", several},
                                                      {"log2", several},
                                                      {"lu", several},
                                                      {"qr", several},
                                                      {"xla_erf_inv", "it is read as erf_inv"}};
  return all;
}

class round_trip : public testing::TestWithParam<OpRow> {};

TEST_P(round_trip, gives_the_same_bits) {
  for (const Example& example : GetParam().examples) {
    const Program program = program_of({example});
    const Values inputs = random_inputs({example});
    const Program again = read_back(program, example_mesh());
    const Values ours = run_on_machine(program, example_mesh(), inputs);
    if (run_on_machine(again, example_mesh(), inputs) == ours) continue;
    EXPECT_TRUE(other_bits().contains(GetParam().name)) << to_string(program) << to_string(again);
  }
}

TEST_P(round_trip, gives_the_same_numbers) {
  if (!other_bits().contains(GetParam().name)) return;
  for (const Example& example : GetParam().examples) {
    OpRow row = GetParam();
    row.examples = {example};
    const Program program = program_without_phases(row.examples);
    const Values inputs = random_inputs(row.examples);
    const Values ours = run_on_machine(program, example_mesh(), inputs);
    const Values theirs = run_on_machine(read_back(program, example_mesh()), example_mesh(), inputs);
    EXPECT_EQ(difference(program, ours, theirs, bounds_for(row, program, inputs, ours, Peer::xla)), "");
  }
}

TEST_P(round_trip, is_written_alike_in_both_forms) {
  for (const Example& example : GetParam().examples) {
    const stablehlo::Module module = lower_per_device(program_of({example}), example_mesh());
    const std::string generic = stablehlo::write(module);
    const std::string pretty = stablehlo::write(module, {stablehlo::TextForm::pretty});
    EXPECT_TRUE(stablehlo::parse(pretty, "pretty").module == stablehlo::parse(generic, "generic").module)
        << pretty;
  }
}

/// The equations of a program without the casts, which a text does not have: "reverse{dims=[0, 1]}".
std::vector<std::string> equations_of(const Program& program) {
  std::vector<std::string> all;
  for (const Equation& equation : without_dead_code(program).equations)
    if (!to_string(equation.op).starts_with("cast{")) all.push_back(to_string(equation.op));
  return all;
}

bool has_empty_inputs(const Program& program) {
  return std::ranges::any_of(program.types_of(program.inputs),
                             [](const Type& type) { return type.shape().elements() == 0; });
}

/// Ops that are another program when they are read again, with the reason.
const std::map<std::string, std::string>& other_programs() {
  static const std::string several = "the text computes it by several operations",
                           clamped = "starts are brought inside by operations of the text",
                           none = "the text has nothing of it",
                           tiled = "the text has the tiled form only, between reshapes",
                           simpler = "some of its types are computed by other operations, or by none",
                           apart = "padding and dilation are written apart",
                           wide = "halves are accumulated in f32",
                           order = "the text lists dims, groups or pairs in ascending order";
  static const std::map<std::string, std::string> all{{"abs", simpler},
                                                      {"add", simpler},
                                                      {"all_gather", tiled},
                                                      {"all_reduce", order},
                                                      {"all_to_all", tiled},
                                                      {"assume_invariant", none},
                                                      {"axis_index", several},
                                                      {"broadcast", several},
                                                      {"checkpoint_name", none},
                                                      {"cholesky", several},
                                                      {"concatenate", simpler},
                                                      {"convert", simpler},
                                                      {"convolution", several},
                                                      {"cumlogsumexp", wide},
                                                      {"cummax", simpler},
                                                      {"cummin", simpler},
                                                      {"cumsum", wide},
                                                      {"cumprod", wide},
                                                      {"scatter_add", wide},
                                                      {"scatter_multiply", wide},
                                                      {"custom_jvp", none},
                                                      {"custom_tangent", none},
                                                      {"custom_vjp", none},
                                                      {"done", none},
                                                      {"dynamic_slice", clamped},
                                                      {"dynamic_update_slice", clamped},
                                                      {"eigh", several},
                                                      {"exchange", several},
                                                      {"exp2", several},
                                                      {"gather", clamped},
                                                      {"log10", several},
                                                      {"log2", several},
                                                      {"lu", several},
                                                      {"mask", several},
                                                      {"mul", simpler},
                                                      {"own_block", several},
                                                      {"permute", order},
                                                      {"qr", several},
                                                      {"ragged_all_to_all", several},
                                                      {"ragged_copy", several},
                                                      {"random_bits", several},
                                                      {"reduce_and", order},
                                                      {"reduce_max", order},
                                                      {"reduce_min", order},
                                                      {"reduce_or", order},
                                                      {"reduce_prod", order},
                                                      {"reduce_scatter", tiled},
                                                      {"reduce_sum", order},
                                                      {"reduce_window_max", simpler},
                                                      {"reduce_window_min", simpler},
                                                      {"reduce_window_sum", wide},
                                                      {"remat", none},
                                                      {"select_and_scatter", apart},
                                                      {"reverse", order},
                                                      {"scan", several},
                                                      {"second_difference", several},
                                                      {"sign", simpler},
                                                      {"slice", simpler},
                                                      {"soft_threshold", several},
                                                      {"start", none},
                                                      {"stop_gradient", none},
                                                      {"switch", several},
                                                      {"top_k", several},
                                                      {"transpose", simpler},
                                                      {"while", several},
                                                      {"xla_erf_inv", several},
                                                      {"zero_tangent", none}};
  return all;
}

TEST_P(round_trip, gives_the_same_program_where_the_text_has_one_operation) {
  bool is_same = true;
  for (const Example& example : GetParam().examples) {
    const Program program = program_of({example});
    if (has_empty_inputs(program)) continue;
    is_same = is_same && equations_of(read_back(program, example_mesh())) == equations_of(program);
  }
  EXPECT_NE(is_same, other_programs().contains(GetParam().name));
}

std::string name_of(const testing::TestParamInfo<OpRow>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(all, round_trip, testing::ValuesIn(lowered_ops()), name_of);

}  // namespace
}  // namespace tutti
