// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/support/command.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/control/all_ops.hpp"
#include "tutti/functions/made_of_ops.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {
namespace {

Finished explain(const std::string& arguments) {
  return run_command(program_folder() + "/tutti explain " + arguments);
}
nlohmann::json explained(const std::string& name) {
  return nlohmann::json::parse(explain(name + " --json").out);
}

class ExplainEveryOp : public testing::TestWithParam<std::string> {};

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const OpRow& row : all_ops()) names.push_back(row.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(ops, ExplainEveryOp, testing::ValuesIn(all_names()),
                         [](const auto& row) { return row.param; });

TEST_P(ExplainEveryOp, has_every_section_in_lines_of_a_terminal) {
  Finished run = explain(GetParam());
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.substr(0, GetParam().size() + 1), GetParam() + "\n");
  for (const char* section :
       {"\nfront ends    ", "\nshapes        ", "\nstates        ", "\ncommunicates  ", "\njvp           ",
        "\ntranspose     ", "\nbatch         ", "\nlower         ", "\nexample\n  program(",
        "\nrun on a=2,b=2,c=2\n", "\nforward derivative\n  ", "\ngradient\n  "})
    EXPECT_NE(run.out.find(section), std::string::npos) << section;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

TEST_P(ExplainEveryOp, shows_a_derivative_where_there_is_a_rule) {
  const nlohmann::json text = explained(GetParam());
  const bool has_rule = text.at("rules").at("jvp").at("state") == "rule";
  const bool has_numbers = std::regex_search(text.at("example").get<std::string>(),
                                             std::regex(R"(^program\([^)]*: (b?f[0-9]|complex))"));
  if (!has_rule || !has_numbers) return;
  EXPECT_TRUE(text.at("forward_derivative").get<std::string>().starts_with("program(")) << text;
}

TEST_P(ExplainEveryOp, is_batched_unless_it_is_the_same_in_every_lane) {
  const bool is_same = GetParam() == "constant" || GetParam() == "iota";
  EXPECT_EQ(explained(GetParam()).at("batched").empty(), is_same);
}

// Its users' names are declared where users see them.
TEST_P(ExplainEveryOp, names_functions_that_there_are) {
  const nlohmann::json text = explained(GetParam());
  for (const auto& name : text.at("front_ends")) {
    std::string words = name.get<std::string>();
    if (!std::regex_match(words, std::regex("[a-z0-9_]+"))) continue;  // "x + y"
    std::string found = "grep -qE '[ ]" + words +
                        "\\(' tutti/ops/*.hpp tutti/control/*/*.hpp tutti/functions/*/*.hpp "
                        "tutti/api/*.hpp";
    EXPECT_EQ(run_command(found).status, 0) << words;
  }
}

TEST(explain, tells_all_of_own_block) {
  EXPECT_EQ(explain("own_block").out, R"(own_block
  Of a value that is equal on all devices, each device keeps the block at its own position.

front ends    none: recorded by rules and transforms
shapes        f32[3,2] -> f32[3]
              f64[6,2] -> f64[3,2]
              f32[3,4] -> f32[3]
              f64[12,2] -> f64[3,2]
              .. and 3 more
dtypes        bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64, complex64, complex128
states        own: the op says itself what it takes
              along a: I -> V, V -> -, U -> -, R -> -
              V: own_block: f32[3,2]{V:a} is different on each device along 'a'; a device's own
              block is taken of a value that all hold
              U: own_block: f32[3,2]{U:a} is an unreduced sum over 'a'; a device's own block is
              taken of a value that all hold
              R: own_block: f32[3,2]{R:a} is equal on all devices, with a partial gradient along
              'a'; a device's own block is taken of a value that all hold
              along b, c: I -> I, V -> V, U -> U, R -> R
communicates  no
jvp           has a rule
transpose     has a rule
batch         has a rule
lower         stablehlo.partition_id, stablehlo.convert, stablehlo.constant, stablehlo.divide,
              stablehlo.multiply, stablehlo.dynamic_slice, stablehlo.reshape

example
  program(%0: f32[3,2]) {
    %1: f32[3]{V:a} = own_block{axes='a', dim=1, stacking=new_dim} %0
    return %1
  }

run on a=2,b=2,c=2
  %0   all devices [[-2. 0.5] [-1.5 1. ] [-1. 1.5]]
  %1   a=0         [-2. -1.5 -1. ]
       a=1         [0.5 1. 1.5]

forward derivative
  program(%0: f32[3,2], %1: f32[3,2]) {
    %2: f32[3]{V:a} = own_block{axes='a', dim=1, stacking=new_dim} %0
    %3: f32[3]{V:a} = own_block{axes='a', dim=1, stacking=new_dim} %1
    return %2, %3
  }

gradient
  program(%0: f32[3,2], %2: f32[3]{V:a}) {
    %1: f32[3]{V:a} = own_block{axes='a', dim=1, stacking=new_dim} %0
    %3: f32[3,2] = all_gather{axes='a', dim=1, stacking=new_dim, to=I} %2
    return %1, %3
  }

batched over c
  program(%0: f32[2,3,2]) {
    %1: f32[2,3]{V:a} = own_block{axes='a', dim=2, stacking=new_dim} %0
    return %1
  }
)");
}

TEST(explain, tells_all_of_a_comparison) {
  EXPECT_EQ(explain("gt").out, R"(gt
  x is greater than y, element by element; false for NaN.

front ends    x > y
family        eq, ge, gt, le, lt, ne
shapes        f64[2,3], f64[2,3] -> bool[2,3]
              f32[], f32[] -> bool[]
              i32[7], i32[7] -> bool[7]
              bool[5], bool[5] -> bool[5]
              .. and 1 more
dtypes        bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64
states        alike: operands agree, joining I < R < V; U is refused
              along every axis:
              x \ y  I  V  U  R
              I      I  V  -  R
              V      V  V  -  V
              U      -  -  -  -
              R      R  V  -  R
              U: gt: the left operand is an unreduced sum over 'a' (f64[2,3]{U:a}), which only
              linear functions take. Reduce first: psum(left, "a")
communicates  no
jvp           has a rule
transpose     refused: the result of a comparison is bool, which has no cotangent
batch         has a rule
lower         stablehlo.compare

example
  program(%0: f64[2,3]{V:a}, %1: f64[2,3]{V:a}) {
    %2: bool[2,3]{V:a} = gt %0, %1
    return %2
  }

run on a=2,b=2,c=2
  %0   a=0         [[-2. 0.5 -1.5] [ 1. -1. 1.5]]
       a=1         [[-0.5 2. 0. ] [-2. 0.5 -1.5]]
  %1   a=0         [[-1.5 1. -1. ] [ 1.5 -0.5 2. ]]
       a=1         [[ 0. -2. 0.5] [-1.5 1. -1. ]]
  %2   a=0         [[false false false] [false false false]]
       a=1         [[false true false] [false false false]]

forward derivative
  program(%0: f64[2,3]{V:a}, %1: f64[2,3]{V:a}, %2: f64[2,3]{V:a}, %3: f64[2,3]{V:a}) {
    %4: bool[2,3]{V:a} = gt %0, %1
    return %4
  }

gradient
  program(%0: f64[2,3]{V:a}, %1: f64[2,3]{V:a}) {
    %2: bool[2,3]{V:a} = gt %0, %1
    %3: f64[] = constant{value=0}
    %4: f64[2,3] = broadcast_in_dim{to=[2,3], dims=[]} %3
    %5: f64[2,3]{V:a} = cast{axes='a', from=I, to=V} %4
    %6: f64[] = constant{value=0}
    %7: f64[2,3] = broadcast_in_dim{to=[2,3], dims=[]} %6
    %8: f64[2,3]{V:a} = cast{axes='a', from=I, to=V} %7
    return %2, %5, %8
  }

batched over c
  program(%0: f64[2,2,3]{V:a}, %1: f64[2,2,3]{V:a}) {
    %2: bool[2,2,3]{V:a} = gt %0, %1
    return %2
  }
)");
}

TEST(explain, says_whose_front_end_a_name_is) {
  EXPECT_EQ(explain("psum").out, "psum is a front end of all_reduce.\n\n" + explain("all_reduce").out);
  EXPECT_EQ(explain("shard_map").out.substr(0, 61),
            "shard_map is a front end of enter and leave; this is enter.\n\n");
}

// Every function of jax/_src/lax/parallel.py, and what else is started here.
TEST(explain, answers_for_every_function_over_devices) {
  for (const char* name : {"all_gather",
                           "all_gather_invariant",
                           "all_gather_reduced",
                           "all_gather_start",
                           "all_to_all",
                           "all_to_all_start",
                           "axis_index",
                           "axis_size",
                           "packed_offsets",
                           "pargmax",
                           "pargmin",
                           "pbroadcast",
                           "pbroadcast_start",
                           "pcast",
                           "pmax",
                           "pmax_start",
                           "pmean",
                           "pmean_start",
                           "pmin",
                           "pmin_start",
                           "ppermute",
                           "ppermute_start",
                           "precv",
                           "preduced",
                           "psend",
                           "pshuffle",
                           "psum",
                           "psum_scatter",
                           "psum_scatter_start",
                           "psum_start",
                           "pswapaxes",
                           "pvary",
                           "ragged_all_to_all",
                           "reduced_vary_cast",
                           "ragged_all_to_all_start",
                           "unreduced_psum",
                           "unreduced_psum_scatter",
                           "vary_unreduced_cast"}) {
    Finished run = explain(name);
    EXPECT_EQ(run.status, 0) << name << run.err;
    EXPECT_TRUE(run.out.starts_with(name)) << run.out;
  }
}

TEST(explain, says_that_a_number_is_none_of_the_program) {
  EXPECT_EQ(
      explain("axis_size").out,
      "axis_size\n  The number of devices along the axes, known when the program is traced: a C++ int. It "
      "records no op.\n");
  EXPECT_EQ(explained("axis_size").at("function"), "axis_size");
}

TEST(explain, says_how_names_of_jax_are_written_here) {
  EXPECT_EQ(explain("preduced").out,
            "preduced of jax.lax is pcast(x, axes, reduced) here.\n\n" + explain("cast").out);
  EXPECT_EQ(explain("packed_offsets").out,
            "packed_offsets is a front end of all_to_all and cumsum; this is all_to_all.\n\n" +
                explain("all_to_all").out);
}

TEST(explain, writes_a_timeline_of_the_run_of_its_example) {
  TemporaryName trace("explained.json");
  EXPECT_EQ(explain("psum --trace " + trace.path()).out, explain("psum").out);
  TimelineFile file = read_timeline(trace.path(), 2);
  EXPECT_EQ(file.of_category("call").size(), 1U);
  EXPECT_EQ(file.named("all_reduce", 0).size(), 1U);
  Finished refused = explain("psum --trace no/folder/t.json");
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err,
            "tutti: error[R001]: 'no/folder/t.json' cannot be written: No such file or directory\n");
  EXPECT_EQ(refused.status, 4);
  Finished full = run_command("trap '' XFSZ; ulimit -f 1; " + program_folder() +
                              "/tutti explain psum --trace " + trace.path());  // 512 bytes
  EXPECT_EQ(full.out, "");
  EXPECT_EQ(full.err, "tutti: error[R001]: '" + trace.path() + "' cannot be written: File too large\n");
  EXPECT_EQ(full.status, 4);
}

TEST(explain, lists_the_family_of_an_op) {
  EXPECT_EQ(explained("gt").at("family"), nlohmann::json({"eq", "ge", "gt", "le", "lt", "ne"}));
  EXPECT_TRUE(explained("iota").at("family").empty());
}

TEST(explain, knows_which_states_a_product_takes) {
  std::map<std::string, std::string> results;
  const nlohmann::json text = explained("mul");
  for (const auto& row : text.at("states")) results[row.at("operands")] = row.at("result");
  std::map<std::string, std::string> by_definition{{"II", "I"}, {"IV", "V"}, {"IU", "U"}, {"IR", "R"},
                                                   {"VI", "V"}, {"VV", "V"}, {"VU", "-"}, {"VR", "V"},
                                                   {"UI", "U"}, {"UV", "-"}, {"UU", "-"}, {"UR", "U"},
                                                   {"RI", "R"}, {"RV", "V"}, {"RU", "U"}, {"RR", "R"}};
  EXPECT_EQ(results, by_definition);
}

// Two devices exchange their values.
TEST(explain, runs_the_example_on_devices_with_other_values) {
  nlohmann::json text = explained("permute");
  EXPECT_EQ(text.at("example"), "program(%0: f32[3,2]{V:a}) {\n"
                                "  %1: f32[3,2]{V:a} = permute{axes='a', pairs=[(0, 1), (1, 0)]} %0\n"
                                "  return %1\n}\n");
  std::map<std::string, std::string> at;
  for (const auto& value : text.at("values"))
    at[value.at("variable").get<std::string>() + " " + value.at("position").get<std::string>()] =
        value.at("value");
  ASSERT_EQ(at.size(), 4U);
  EXPECT_NE(at["%0 a=0"], at["%0 a=1"]);
  EXPECT_EQ(at["%1 a=0"], at["%0 a=1"]);
  EXPECT_EQ(at["%1 a=1"], at["%0 a=0"]);
}

TEST(explain, shows_what_a_function_is_made_of) {
  EXPECT_EQ(explain("hypot --json").status, 0);
  EXPECT_EQ(explain("deg2rad").out, R"(deg2rad
  A function made of ops; it follows numpy.deg2rad.

call          deg2rad(x)
made of       constant, broadcast_in_dim, mul

example
  program(%0: f32[4]) {
    %1: f32[] = constant{value=0.017453292}
    %2: f32[4] = broadcast_in_dim{to=[4], dims=[]} %1
    %3: f32[4] = mul %0, %2
    return %3
  }
)");
  const nlohmann::json text = explained("jacfwd");
  EXPECT_EQ(text.at("source"), "jax.jacfwd");
  EXPECT_NE(explain("jacfwd").out.find("A transform, shown on a function"), std::string::npos);
}

TEST(explain, shows_every_function_made_of_ops) {
  for (const FunctionRow& row : functions_made_of_ops()) {
    const Program program = trace(row.operands, row.example).program;
    EXPECT_NO_THROW(check(program)) << row.name;
    EXPECT_FALSE(program.outputs.empty()) << row.name;
  }
}

TEST(explain, refuses_an_unknown_name_with_names_like_it) {
  Finished run = explain("al_gather");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err,
            "tutti: error[R002]: there is no op or function 'al_gather'; did you mean all_gather?\n");
  EXPECT_EQ(explain("scater").err,
            "tutti: error[R002]: there is no op or function 'scater'; did you mean scatter?\n");
  EXPECT_EQ(
      explain("qqqqqqqq").err,
      "tutti: error[R002]: there is no op or function 'qqqqqqqq'; tutti rules lists the ops, docs/numpy.md "
      "the functions\n");
}

TEST(explain, leads_from_names_of_numpy_to_names_that_it_knows) {
  for (const char* theirs :
       {"std",      "var",          "max",           "min",       "dot",        "absolute",
        "fabs",     "ravel",        "swish",         "sigmoid",   "concat",     "subtract",
        "multiply", "divide",       "true_divide",   "remainder", "power",      "float_power",
        "negative", "greater",      "greater_equal", "less",      "less_equal", "invert",
        "arcsin",   "arccos",       "arctan",        "arctan2",   "arcsinh",    "arccosh",
        "arctanh",  "permute_dims", "astype",        "radians",   "degrees",    "pmap"}) {
    const std::string error = explain(theirs).err, before = "'; it is ", after = " here\n";
    const std::size_t from = error.find(before) + before.size(), to = error.rfind(after);
    ASSERT_TRUE(from > before.size() && to > from && to != error.npos) << theirs << ": " << error;
    EXPECT_EQ(explain(error.substr(from, to - from)).status, 0) << error;
  }
  EXPECT_EQ(explain("std").err, "tutti: error[R002]: there is no op or function 'std'; it is stddev here\n");
  EXPECT_EQ(explain("dot").err, "tutti: error[R002]: there is no op or function 'dot'; it is matmul here\n");
}

TEST(explain, refuses_to_explain_nothing) {
  Finished run = explain("");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "tutti: error[R002]: op is required; see tutti explain --help\n");
}

}  // namespace
}  // namespace tutti
