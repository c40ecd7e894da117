// SPDX-License-Identifier: Apache-2.0
// Which states every op accepts: the laws try what `infer` lets pass, so what it wrongly refuses would be
// tried by none.
#include <fmt/core.h>

#include <map>
#include <regex>
#include <set>

#include "tests/laws/law.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

bool names(const Op& op, const Axis& axis) {
  return std::regex_search(to_string(op), std::regex(fmt::format("\\b{}\\b", axis.name)));
}

// "II VV UR": the combinations of the operands' states along one axis that the op accepts in some example.
std::string accepted(const OpRow& row, bool along_its_own_axes) {
  std::set<std::string> found;
  for (const Example& example : row.examples)
    for (const Axis& axis : example_mesh().axes()) {
      if (names(example.op, axis) != along_its_own_axes) continue;
      for (const Example& variant : variants(example)) {
        std::string states;
        for (const ExampleOperand& operand : variant.operands) states += letter(operand.type.at(axis));
        found.insert(states);
      }
    }
  std::string text;
  for (const std::string& states : found) text += (text.empty() ? "" : " ") + states;
  return text;
}

struct Accepted {
  std::string along_own, along_others;
};
// clang-format off
const std::map<std::string, Accepted> table{
    {"abs", {"", "I R V"}},
    {"acos", {"", "I R V"}},
    {"acosh", {"", "I R V"}},
    {"add", {"", "II RR UU VV"}},
    {"all_gather", {"V", "I R U V"}},
    {"all_reduce", {"U V", "I R U V"}},
    {"all_to_all", {"V", "I R U V"}},
    {"and", {"", "II RR VV"}},
    {"argmax", {"", "I R V"}},
    {"argmin", {"", "I R V"}},
    {"asin", {"", "I R V"}},
    {"asinh", {"", "I R V"}},
    {"assume_invariant", {"V", "I R U V"}},
    {"atan", {"", "I R V"}},
    {"atan2", {"", "II RR VV"}},
    {"atanh", {"", "I R V"}},
    {"axis_index", {"", ""}},
    {"bitcast_convert", {"", "I R V"}},
    {"broadcast", {"V", "I R U V"}},
    {"broadcast_in_dim", {"", "I R U V"}},
    {"cast", {"I R V", "I R U V"}},
    {"cbrt", {"", "I R V"}},
    {"ceil", {"", "I R V"}},
    {"checkpoint_name", {"", "I R U V"}},
    {"check", {"", "I II IR IU IV R RI RR RU RV V VI VR VU VV"}},
    {"check_numbers", {"", "II III IIR IIU IIV IR IRI IRR IRU IRV IU IUI IUR IUU IUV IV IVI IVR IVU IVV RI RII RIR RIU RIV RR RRI RRR RRU RRV RU RUI RUR RUU RUV RV RVI RVR RVU RVV UI UII UIR UIU UIV UR URI URR URU URV UU UUI UUR UUU UUV UV UVI UVR UVU UVV VI VII VIR VIU VIV VR VRI VRR VRU VRV VU VUI VUR VUU VUV VV VVI VVR VVU VVV"}},
    {"cholesky", {"", "I R V"}},
    {"clamp", {"", "III RRR VVV"}},
    {"complex", {"", "II RR UU VV"}},
    {"concatenate", {"", "I II III R RR RRR U UU UUU V VV VVV"}},
    {"constant", {"", ""}},
    {"convert", {"", "I R U V"}},
    {"convolution", {"", "II RR RU UR VV"}},
    {"cos", {"", "I R V"}},
    {"cumlogsumexp", {"", "I R V"}},
    {"cummax", {"", "I R V"}},
    {"cummin", {"", "I R V"}},
    {"cumprod", {"", "I R V"}},
    {"cosh", {"", "I R V"}},
    {"count_leading_zeros", {"", "I R V"}},
    {"cumsum", {"", "I R U V"}},
    {"custom_jvp", {"", "II VV"}},
    {"custom_tangent", {"", "III VVV"}},
    {"custom_vjp", {"", "II VV"}},
    {"debug_print", {"", "I II IR IU IV R RI RR RU RV U UI UR UU UV V VI VR VU VV"}},
    {"digamma", {"", "I R V"}},
    {"div", {"", "II RR UR VV"}},
    {"done", {"U V", "I R U V"}},
    {"dot_general", {"", "II RR RU UR VV"}},
    {"dynamic_slice", {"", "I II III IIR IR IRI IRR R RI RII RIR RR RRI RRR U UI UII UIR UR URI URR V VV VVV"}},
    {"dynamic_update_slice", {"", "II III IIII IIIR IIR IIRI IIRR RR RRI RRII RRIR RRR RRRI RRRR UU UUI UUII UUIR UUR UURI UURR VV VVV VVVV"}},
    {"eigh", {"", "I R V"}},
    {"enter", {"I", "I R U V"}},
    {"eq", {"", "II RR VV"}},
    {"erf", {"", "I R V"}},
    {"erf_inv", {"", "I R V"}},
    {"xla_erf_inv", {"", "I R V"}},
    {"erfc", {"", "I R V"}},
    {"exchange", {"I R U V", "I R U V"}},
    {"exp", {"", "I R V"}},
    {"exp2", {"", "I R V"}},
    {"expm1", {"", "I R V"}},
    {"fft", {"", "I R U V"}},
    {"floor", {"", "I R V"}},
    {"gather", {"", "II IR RI RR UI UR VV"}},
    {"ge", {"", "II RR VV"}},
    {"gt", {"", "II RR VV"}},
    {"imag", {"", "I R U V"}},
    {"iota", {"", ""}},
    {"is_finite", {"", "I R V"}},
    {"le", {"", "II RR VV"}},
    {"leave", {"R V", "I R U V"}},
    {"lgamma", {"", "I R V"}},
    {"log", {"", "I R V"}},
    {"log10", {"", "I R V"}},
    {"log1p", {"", "I R V"}},
    {"log2", {"", "I R V"}},
    {"logistic", {"", "I R V"}},
    {"lt", {"", "II RR VV"}},
    {"lu", {"", "I R V"}},
    {"mask", {"I R", "I R U V"}},
    {"maximum", {"", "II RR VV"}},
    {"minimum", {"", "II RR VV"}},
    {"mul", {"", "II RR RU UR VV"}},
    {"ne", {"", "II RR VV"}},
    {"neg", {"", "I R U V"}},
    {"not", {"", "I R V"}},
    {"optimization_barrier", {"", "I III IIR IIU IIV IRI IRR IRU IRV IUI IUR IUU IUV IVI IVR IVU IVV R RII RIR RIU RIV RRI RRR RRU RRV RUI RUR RUU RUV RVI RVR RVU RVV U UII UIR UIU UIV URI URR URU URV UUI UUR UUU UUV UVI UVR UVU UVV V VII VIR VIU VIV VRI VRR VRU VRV VUI VUR VUU VUV VVI VVR VVU VVV"}},
    {"or", {"", "II RR VV"}},
    {"own_block", {"I", "I R U V"}},
    {"pad", {"", "II RR UU VV"}},
    {"permute", {"V", "I R U V"}},
    {"popcount", {"", "I R V"}},
    {"pow", {"", "II RR VV"}},
    {"qr", {"", "I R V"}},
    {"ragged_all_to_all", {"VVV", "III IIR RRI RRR UUI UUR VVV"}},
    {"ragged_copy", {"", "III IIR RRI RRR UUI UUR VVV"}},
    {"random_bits", {"", "I II RR V VV"}},
    {"real", {"", "I R U V"}},
    {"reduce_and", {"", "I R V"}},
    {"reduce_max", {"", "I R V"}},
    {"reduce_min", {"", "I R V"}},
    {"reduce_or", {"", "I R V"}},
    {"reduce_precision", {"", "I R U V"}},
    {"reduce_prod", {"", "I R V"}},
    {"reduce_scatter", {"U V", "I R U V"}},
    {"reduce_sum", {"", "I R U V"}},
    {"rem", {"", "II RR VV"}},
    {"reduce_window_max", {"", "I R V"}},
    {"reduce_window_min", {"", "I R V"}},
    {"reduce_window_sum", {"", "I R U V"}},
    {"remat", {"", "II IV VV"}},
    {"reshape", {"", "I R U V"}},
    {"reverse", {"", "I R U V"}},
    {"round", {"", "I R V"}},
    {"rsqrt", {"", "I R V"}},
    {"scan", {"", "II III IIII IU IV RRR UUU VV VVV VVVV"}},
    {"scatter", {"", "III IRI RIR RRR UIU URU VVV"}},
    {"scatter_add", {"", "III IRI RIR RRR UIU URU VVV"}},
    {"scatter_max", {"", "III RRR VVV"}},
    {"scatter_min", {"", "III RRR VVV"}},
    {"scatter_multiply", {"", "III RRR VVV"}},
    {"second_difference", {"", "I R U V"}},
    {"select", {"", "III IRR IUU RII RRR RUU VVV"}},
    {"shift_left", {"", "II RR VV"}},
    {"shift_right_arithmetic", {"", "II RR VV"}},
    {"shift_right_logical", {"", "II RR VV"}},
    {"select_and_gather", {"", "II RR UR VV"}},
    {"select_and_scatter", {"", "II RR UR VV"}},
    {"sign", {"", "I R V"}},
    {"sin", {"", "I R V"}},
    {"sinh", {"", "I R V"}},
    {"slice", {"", "I R U V"}},
    {"soft_threshold", {"", "II RR VV"}},
    {"sort", {"", "I II III R RR RRR V VV VVV"}},
    {"sqrt", {"", "I R V"}},
    {"start", {"U V", "I R U V"}},
    {"stop_gradient", {"", "I R U V"}},
    {"sub", {"", "II RR UU VV"}},
    {"svd", {"", "I R V"}},
    {"switch", {"", "II III IIII IRR IU IUU IV IVV IVVV RI RII RIII RRR RU RUU RV RVV RVVV VV VVV VVVV"}},
    {"tan", {"", "I R V"}},
    {"tanh", {"", "I R V"}},
    {"top_k", {"", "I R V"}},
    {"transpose", {"", "I R U V"}},
    {"triangular_solve", {"", "II RR RU VV"}},
    {"trigamma", {"", "I R V"}},
    {"while", {"", "III RIR UIU VIV VVV"}},
    {"xor", {"", "II RR VV"}},
    {"zero_tangent", {"", ""}},
};
// clang-format on

class accepted_states : public testing::TestWithParam<OpRow> {};

TEST_P(accepted_states, are_those_of_the_table) {
  auto row = table.find(GetParam().name);
  std::string own = accepted(GetParam(), true), others = accepted(GetParam(), false);
  ASSERT_NE(row, table.end()) << "add {\"" << GetParam().name << "\", {\"" << own << "\", \"" << others
                              << "\"}},";
  EXPECT_EQ(own, row->second.along_own);
  EXPECT_EQ(others, row->second.along_others);
}

INSTANTIATE_TEST_SUITE_P(every_op, accepted_states, every_op(), op_name);

}  // namespace
}  // namespace tutti
