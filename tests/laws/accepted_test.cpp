// SPDX-License-Identifier: Apache-2.0
// Which states every op accepts: the laws try what `infer` lets pass, so what it wrongly refuses would be tried by none.
#include <fmt/core.h>

#include <map>
#include <set>

#include "tests/laws/law.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

bool names(const Op& op, const Axis& axis) {
  return to_string(op).find(fmt::format("'{}'", axis.name)) != std::string::npos;
}

// "II VV UR": states of the operands along one axis, those beside one another that the op accepts in some example.
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
    {"add", {"", "II RR UU VV"}},
    {"all_gather", {"V", "I R U V"}},
    {"all_reduce", {"U V", "I R U V"}},
    {"and", {"", "II RR VV"}},
    {"axis_index", {"", ""}},
    {"broadcast", {"V", "I R U V"}},
    {"broadcast_in_dim", {"", "I R U V"}},
    {"cast", {"I R V", "I R U V"}},
    {"constant", {"", ""}},
    {"convert", {"", "I R U V"}},
    {"div", {"", "II RR UR VV"}},
    {"dot_general", {"", "II RR RU UR VV"}},
    {"enter", {"I", "I R U V"}},
    {"eq", {"", "II RR VV"}},
    {"exp", {"", "I R V"}},
    {"ge", {"", "II RR VV"}},
    {"gt", {"", "II RR VV"}},
    {"iota", {"", ""}},
    {"le", {"", "II RR VV"}},
    {"leave", {"R V", "I R U V"}},
    {"log", {"", "I R V"}},
    {"logistic", {"", "I R V"}},
    {"lt", {"", "II RR VV"}},
    {"mask", {"I R", "I R U V"}},
    {"maximum", {"", "II RR VV"}},
    {"minimum", {"", "II RR VV"}},
    {"mul", {"", "II RR RU UR VV"}},
    {"ne", {"", "II RR VV"}},
    {"neg", {"", "I R U V"}},
    {"or", {"", "II RR VV"}},
    {"own_block", {"I", "I R U V"}},
    {"pow", {"", "II RR VV"}},
    {"reduce_max", {"", "I R V"}},
    {"reduce_min", {"", "I R V"}},
    {"reduce_scatter", {"U", "I R U V"}},
    {"reduce_sum", {"", "I R U V"}},
    {"rem", {"", "II RR VV"}},
    {"reshape", {"", "I R U V"}},
    {"rsqrt", {"", "I R V"}},
    {"select", {"", "III IRR IUU RII RRR RUU VVV"}},
    {"sign", {"", "I R V"}},
    {"sqrt", {"", "I R V"}},
    {"stop_gradient", {"", "I R U V"}},
    {"sub", {"", "II RR UU VV"}},
    {"tanh", {"", "I R V"}},
    {"transpose", {"", "I R U V"}},
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
