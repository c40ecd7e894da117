// SPDX-License-Identifier: Apache-2.0
// Every front-end function names itself and its caller's line, whatever it is made of.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "tests/support/file_text.hpp"
#include "tests/support/refusal.hpp"
#include "tutti/functions/made_of_ops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Call {
  std::string_view says;  // the name in the message
  std::function<Array(Array)> with;
};

// One call a line, which shows whether the place in a message is the caller's.
const std::vector<Call>& calls() {
  static const std::vector<Call> table{
      // clang-format off
      {"add", [](Array x) { return x + 1; }},
      {"sub", [](Array x) { return 1 - x; }},
      {"mul", [](Array x) { return x * x; }},
      {"div", [](Array x) { return x / 2; }},
      {"rem", [](Array x) { return x % 2; }},
      {"and", [](Array x) { return x & true; }},
      {"or", [](Array x) { return x | true; }},
      {"xor", [](Array x) { return x ^ true; }},
      {"pow", [](Array x) { return pow(x, 2); }},
      {"maximum", [](Array x) { return maximum(x, 0); }},
      {"minimum", [](Array x) { return minimum(0, x); }},
      {"rem", [](Array x) { return rem(x, 2); }},
      {"and", [](Array x) { return logical_and(x, true); }},
      {"or", [](Array x) { return logical_or(x, true); }},
      {"xor", [](Array x) { return logical_xor(x, true); }},
      {"relu", [](Array x) { return relu(x); }},
      {"lt", [](Array x) { return x < 1; }},
      {"le", [](Array x) { return x <= 1; }},
      {"gt", [](Array x) { return x > 1; }},
      {"ge", [](Array x) { return x >= 1; }},
      {"eq", [](Array x) { return equal(x, 1); }},
      {"ne", [](Array x) { return not_equal(x, 1); }},
      {"neg", [](Array x) { return -x; }},
      {"exp", [](Array x) { return exp(x); }},
      {"log", [](Array x) { return log(x); }},
      {"tanh", [](Array x) { return tanh(x); }},
      {"sqrt", [](Array x) { return sqrt(x); }},
      {"rsqrt", [](Array x) { return rsqrt(x); }},
      {"logistic", [](Array x) { return logistic(x); }},
      {"abs", [](Array x) { return abs(x); }},
      {"sign", [](Array x) { return sign(x); }},
      {"real", [](Array x) { return real(x); }},
      {"imag", [](Array x) { return imag(x); }},
      {"complex", [](Array x) { return complex(x, 1); }},
      {"conj", [](Array x) { return conj(x); }},
      {"convert", [](Array x) { return convert(x, DType::i32); }},
      {"select", [](Array x) { return select(x, 1, x); }},
      {"where", [](Array x) { return where(true, x, 1); }},
      {"stop_gradient", [](Array x) { return stop_gradient(x); }},
      {"checkpoint_name", [](Array x) { return checkpoint_name(x, "hidden"); }},
      {"zeros_like", [](Array x) { return zeros_like(x); }},
      {"ones_like", [](Array x) { return ones_like(x); }},
      {"square", [](Array x) { return square(x); }},
      {"mean", [](Array x) { return mean(x); }},
      {"variance", [](Array x) { return variance(x); }},
      {"standardize", [](Array x) { return standardize(x); }},
      {"one_hot", [](Array x) { return one_hot(x, 3); }},
      {"logsumexp", [](Array x) { return logsumexp(x); }},
      {"softmax", [](Array x) { return softmax(x); }},
      {"log_softmax", [](Array x) { return log_softmax(x); }},
      {"cross_entropy", [](Array x) { return cross_entropy(x, x); }},
      {"reduce_sum", [](Array x) { return reduce_sum(x); }},
      {"reduce_max", [](Array x) { return reduce_max(x); }},
      {"reduce_min", [](Array x) { return reduce_min(x); }},
      {"reshape", [](Array x) { return reshape(x, {2, 2}); }},
      {"transpose", [](Array x) { return transpose(x); }},
      {"transpose", [](Array x) { return transpose(x, {0}); }},
      {"broadcast_in_dim", [](Array x) { return broadcast_in_dim(x, {2, 4}, {1}); }},
      {"broadcast_to", [](Array x) { return broadcast_to(x, {2, 4}); }},
      {"expand_dims", [](Array x) { return expand_dims(x, 0); }},
      {"dot_general", [](Array x) { return dot_general(x, x, {.lhs_contract = {0}, .rhs_contract = {0}}); }},
      {"matmul", [](Array x) { return matmul(x, x); }},
      {"psum", [](Array x) { return psum(x, "data"); }},
      {"pmean", [](Array x) { return pmean(x, "data"); }},
      {"pmax", [](Array x) { return pmax(x, "data"); }},
      {"pmin", [](Array x) { return pmin(x, "data"); }},
      {"all_gather", [](Array x) { return all_gather(x, "data"); }},
      {"psum_scatter", [](Array x) { return psum_scatter(x, "data"); }},
      {"pbroadcast", [](Array x) { return pbroadcast(x, "data"); }},
      {"pcast", [](Array x) { return pcast(x, "data", varying); }},
      {"mask", [](Array x) { return mask(x, "data"); }},
      {"at.get", [](Array x) { return x.at({ellipsis, 0}).get(); }},
      {"at.set", [](Array x) { return x.at(0).set(1); }},
      {"at.add", [](Array x) { return x.at(0).add(1); }},
      {"at.multiply", [](Array x) { return x.at(0).multiply(1); }},
      {"at.min", [](Array x) { return x.at(0).min(1); }},
      {"at.max", [](Array x) { return x.at(0).max(1); }},
      {"all", [](Array x) { return all(x); }},
      {"keep_on_one", [](Array x) { return keep_on_one(x, "data"); }},
      // clang-format on
  };
  return table;
}

// The text of the Error; the place too, unless it is a line of the table that has this name.
std::string said_at_row(const Call& call, const std::function<void()>& program) {
  try {
    program();
    return "accepted";
  } catch (const Error& error) {
    std::string row = fmt::format("{{\"{}\", ", call.says), text = error.what();
    if (source_line(error.where()).find(row) == std::string::npos) return text;
    return text.substr(to_string(error.where()).size() + 2);
  }
}

TEST(front_ends, name_themselves_and_the_line_for_an_empty_operand) {
  for (const Call& call : calls())
    EXPECT_EQ(said_at_row(call, on_devices([&](Array) { return call.with(Array()); })),
              fmt::format("{}: this array is empty; give it a value before it is used", call.says));
}

TEST(front_ends, name_themselves_and_the_line_outside_of_a_trace) {
  for (const Call& call : calls()) {
    const bool makes_data = call.says.ends_with("_like");
    EXPECT_EQ(said_at_row(call, [&] { call.with(Tensor({4}, DType::f32)); }),
              makes_data ? "accepted" : std::string(call.says) + ": " + nothing_traced);
  }
}

// The functions that make finished data outside of a trace. (`split` is numpy.split there.)
const std::set<std::string_view> makers{"arange", "eye", "fold_in", "full", "full_like", "key"};

TEST(front_ends, made_of_ops_say_outside_of_a_trace_how_to_call_them) {
  for (const FunctionRow& row : functions_made_of_ops()) {
    Arrays operands;
    for (Type type : row.operands) operands.push_back(Tensor(type.shape(), type.dtype()));
    const std::string said = refusal([&] { row.example(operands); });
    if (makers.contains(row.name)) EXPECT_EQ(said, "accepted") << row.name;
    else EXPECT_TRUE(said.starts_with("T011 ") && said.ends_with(nothing_traced)) << row.name << ": " << said;
  }
}

// Whatever is wrong with an operand of one of these types, if anything is.
TEST(front_ends, name_themselves_and_the_line_for_any_operand) {
  const Axes& axes = Mesh({{"data", 4}, {"model", 2}}).axes();
  Types types;
  for (DType dtype : all_dtypes())
    for (const Shape& shape : {Shape{}, Shape{0}, Shape{2}, Shape{2, 3}})
      for (State state : {invariant, varying, unreduced, reduced})
        types.push_back(Type(dtype, shape).with(axes[0], state));
  int refused = 0;
  for (const Call& call : calls())
    for (Type type : types) {
      std::string said = said_at_row(call, [&] {
        trace({type}, [&](const Arrays& x) {
          auto bound = Builder::current().bind(axes);
          return Arrays{call.with(x[0])};
        });
      });
      if (said == "accepted") continue;
      ++refused;
      EXPECT_EQ(said.substr(0, call.says.size() + 2), fmt::format("{}: ", call.says)) << said;
    }
  EXPECT_GT(refused, 1000);
}

TEST(front_ends, without_operands_name_themselves_and_the_line) {
  EXPECT_EQ(refusal([] { constant(1.5F); }), "T011 {file}:{line}: constant: " + nothing_traced);  // refused
}

TEST(front_ends, are_all_in_this_table) {
  std::string text = text_of_file("tests/refusals/front_ends_test.cpp");
  std::regex declaration("^Array ((?:operator)?[^ (]+)\\(Operand ");
  std::set<std::string> missing;
  for (const auto& header : std::filesystem::directory_iterator("tutti/ops")) {
    std::ifstream file(header.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch found;
      if (header.path().extension() != ".hpp" || !std::regex_search(line, found, declaration)) continue;
      std::string name = found[1];
      bool is_operator = name.starts_with("operator");
      std::string use = is_operator ? " " + name.substr(8) : name + "(";
      if (text.find(use) == std::string::npos) missing.insert(name);
    }
  }
  EXPECT_EQ(missing, std::set<std::string>{});
}

}  // namespace
}  // namespace tutti
