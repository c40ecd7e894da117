// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/support/command.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/base/error.hpp"
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
        "run on a=2,b=2,c=2\n", "\nforward derivative\n  ", "\ngradient\n  "})
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
                        "\\(' tutti/ops/*.hpp tutti/ops/*/*.hpp tutti/control/*/*.hpp "
                        "tutti/functions/*/*.hpp tutti/api/*.hpp";
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
read          its text is read as axis_index, broadcast_in_dim, constant, mul, ..

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

declared in tutti/ops/compare.hpp
  /// Bool, element by element. Shapes broadcast as in NumPy; a number takes the dtype of the other
  /// operand.
  /// Each throws T005 if the shapes do not broadcast, T007 if dtypes differ, T008 for a number that
  /// does not fit, T004 for an unreduced sum.
  Array operator<(const Operand& a, const Operand& b);
  // ..
  Array operator>(const Operand& a, const Operand& b);

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
read          as gt

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

beside JAX
  jax.lax.gt is a > b here.
)");
}

TEST(explain, says_whose_front_end_a_name_is) {
  const std::string psum = explain("psum").out;
  EXPECT_TRUE(psum.starts_with(
      "psum is a front end of all_reduce.\n\ndeclared in tutti/ops/collectives/all_reduce.hpp\n"))
      << psum;
  EXPECT_NE(psum.find("\nall_reduce\n  The sum, maximum or minimum "), std::string::npos) << psum;
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
    EXPECT_LT(run.out.find(name), run.out.find('\n')) << run.out;
  }
}

TEST(explain, says_in_which_namespace_a_name_is) {
  const std::string groups = explain("Groups").out;
  EXPECT_NE(groups.find("declared in tutti/devices/groups.hpp, namespace tutti::ops\n"), groups.npos)
      << groups;
  EXPECT_EQ(explain("Kernel").out, explain("ops::Kernel").out.replace(0, 5, ""));
}

TEST(explain, shows_a_function_that_records_no_op) {
  EXPECT_EQ(explain("axis_size").out, R"(axis_size

declared in tutti/ops/collectives/axis_index.hpp
  /// jax.lax.axis_size: the number of positions along `axes`; a C++ number, known when the program
  /// is traced.
  int axis_size(const AxisNames& axes);

beside JAX
  axis_size("i"): A C++ int, known when traced.
)");
  EXPECT_EQ(explained("axis_size").at("name"), "axis_size");
}

TEST(explain, says_how_names_of_jax_are_written_here) {
  EXPECT_EQ(explain("preduced").out,
            "preduced(x, \"i\") is pcast(x, \"i\", reduced) here. All casts are pcast. They batch.\n\n" +
                explain("pcast").out);
  EXPECT_TRUE(
      explain("packed_offsets")
          .out.starts_with("packed_offsets is a front end of all_to_all and cumsum; this is all_to_all.\n"));
}

// Each text comes from the row of a page.
TEST(explain, says_what_takes_the_place_of_a_name_of_jax_or_numpy) {
  for (const auto& [name, said] :
       {std::pair{"jit", "jax.jit(f) is machine.compile(f, x) here."},
        std::pair{"pmap", "jax.pmap(f, axis_name=\"i\") is shard_map over "},
        std::pair{"jnp.std", "jax.numpy.std is stddev(x) here.\n\nstddev\n"},
        std::pair{"add", "add\n  x + y, element by element"},
        std::pair{"lax.add", "jax.lax.add is a + b here.\n\noperator+\n"},
        std::pair{"allclose", "jax.numpy.allclose is composed here: all(abs(a - b) <= "},
        std::pair{"schur", "jax.lax.linalg.schur is refused: rarely used. Instead: "},
        std::pair{"conv", "jax.lax.conv is convolution(x, kernel, {.strides = "},
        std::pair{"float32", "jax.numpy.float32 is no function: dtypes: DType::boolean"},
        std::pair{"max", "jax.numpy.max is amax(x); of two arrays maximum(a, b) here.\njax.lax.max is "}}) {
    const Finished run = explain(name);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.starts_with(said)) << run.out;
    EXPECT_EQ(explain(std::string(name) + " --json").status, 0);
  }
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

declared in tutti/functions/numbers/elementary.hpp
  /// Degrees as radians, and back. Error: 1.5 units in the last place.
  Array deg2rad(const Operand& x);

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

// In one line each: names, then the beginning of what must stand there.
TEST(explain, shows_declarations_and_options_with_their_defaults) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> all{
      {"psum",
       {"Array psum(const Operand& x, const AxisNames& axes", "struct AllReduceOptions {",
        "Groups groups = {};"}},
      {"pcast", {"Array pcast(const Operand& x, const AxisNames& axes, ops::State to);", "enum class State"}},
      {"mean", {"Array mean(const Operand& x", "bool keepdims = false;"}},
      {"pad", {"enum class PadMode {", "constant_value"}},
      {"grad", {"grad(F function, Where where"}},
      {"value_and_grad", {"value_and_grad(F function"}},
      {"vmap", {"vmap(F function, ", "struct VmapOptions {", "MappedDim out = 0;"}},
      {"jvp", {"auto jvp(F function"}},
      {"vjp", {"auto vjp(F function"}},
      {"linearize", {"auto linearize(F function"}},
      {"hessian", {"hessian(F function"}},
      {"remat", {"remat(F function", "struct RematOptions {", "policy = "}},
      {"shard_map", {"shard_map(F function, ShardMapOptions options", "std::vector<std::string> axes = {};"}},
      {"custom_jvp", {"custom_jvp(F function, Rule rule"}},
      {"custom_vjp", {"custom_vjp(F function, Forward forward"}},
      {"cond", {"auto cond(const Operand& predicate, Yes yes, No no"}},
      {"switch", {"jax.lax.switch is switch_(", "auto switch_(const Operand& index"}},
      {"switch_", {"auto switch_(const Operand& index"}},
      {"scan", {"auto scan(F f, const C& init", "struct ScanOptions {", "bool reverse = false;"}},
      {"while_loop", {"C while_loop(Test test, Body body"}},
      {"fori_loop", {"C fori_loop(const Operand& lower"}},
      {"place", {"Array place(const Array& array, const Specs& spec"}},
      {"Machine::compile", {"auto compile(const F& function"}},
      {"machine.from_shards", {"Array from_shards(const Shape& whole"}},
      {"open_local", {"Machine open_local(const Mesh& mesh", "struct MachineOptions {", "int workers = 0;"}},
      {"open_xla", {"Machine open_xla(", "struct XlaOptions {"}},
      {"save_tree", {"void save_tree(const std::string& path, const T& t"}},
      {"load_tree", {"T load_tree(const std::string& path, const T& like"}},
      {"tree_map", {"tree_map("}},
      {"read_npy", {"read_npy("}},
      {"Mesh", {"class Mesh {", "int devices() const"}},
      {"add", {"Array operator+(const Operand& a, const Operand& b);"}},
      {"tutti::lower_text()", {"lower_text(", "struct TextOptions {"}}};
  for (const auto& [name, parts] : all) {
    const Finished run = explain("'" + name + "'");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.out.find("declared in tutti/"), std::string::npos) << run.out;
    for (const std::string& part : parts)
      EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
    std::istringstream lines(run.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
  }
  const nlohmann::json declarations = explained("scan").at("declarations");
  EXPECT_EQ(declarations.at(1).at("name"), "ScanOptions");
  EXPECT_EQ(declarations.at(0).at("header"), "tutti/control/flow/loops.hpp");
}

// JAX has functions of these names; the class says that ours is meant.
TEST(explain, shows_the_member_of_a_class_and_nothing_else) {
  const std::string place = explain("Machine::place").out;
  EXPECT_EQ(place.find("jax"), std::string::npos) << place;
  EXPECT_NE(place.find("Array place(const Array& array, const Specs& spec"), std::string::npos) << place;
  const std::string plan = explain("Compiled::explain").out;
  EXPECT_NE(plan.find("std::string explain() const;\n"), std::string::npos) << plan;  // no private comment
  EXPECT_EQ(explain("Machine::nope").err,
            "tutti: error[R002]: there is no member 'nope' of Machine; tutti explain Machine lists them\n");
  EXPECT_EQ(explain("Array::where").status, 1);
}

TEST(explain, takes_names_as_programs_write_them) {
  const std::string grad = explain("grad").out, collective = explain("Collective").out;
  EXPECT_EQ(explain("'grad<0, 2>'").out, grad);
  EXPECT_EQ(explain("'tutti::grad()'").out, grad);
  EXPECT_NE(collective.find("class Collective {"), std::string::npos) << collective;
  EXPECT_NE(explain("kernels::Collective").out.find("class Collective {"), std::string::npos);
}

TEST(explain, refuses_options_of_a_run_beside_a_name_that_runs_nothing) {
  for (const char* arguments :
       {"Mesh --trace t.json", "T004 --trace t.json", "grad --trace t.json", "Mesh --machine xla"}) {
    const Finished run = explain(arguments);
    EXPECT_EQ(run.status, 1) << arguments;
    EXPECT_EQ(run.out, "") << arguments;
    EXPECT_NE(run.err.find("no example is run; leave --machine, --trace and --page out"), std::string::npos)
        << run.err;
  }
}

TEST(explain, shows_the_section_of_an_error) {
  const std::string page = text_of_file("docs/errors.md");
  for (const CodeInfo& code : all_codes()) {
    const Finished run = explain(std::string(code.label));
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.out.starts_with(std::string(code.label) + " " + std::string(code.name) + "\n"))
        << run.out;
    EXPECT_NE(page.find("\n## " + run.out), std::string::npos) << code.label;
  }
  EXPECT_EQ(explain("t004").out, explain("T004").out);
  EXPECT_EQ(explained("T004").at("error"), "T004");
}

TEST(explain, lists_the_codes_beside_one_that_is_none) {
  const Finished run = explain("T099");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(
      run.err.starts_with("tutti: error[R002]: there is no error T099; there are\n  T001 axis_unbound: "))
      << run.err;
  for (const CodeInfo& code : all_codes())
    EXPECT_NE(run.err.find("\n  " + std::string(code.label) + " "), std::string::npos) << code.label;
}

// A pmean of an equal value is that value, and a sum of varying ones is what it says.
TEST(explain, marks_a_psum_that_counts_an_equal_value_once_per_device) {
  const std::string mark = "counts an equal value once per device";
  for (const char* name :
       {"psum", "all_reduce", "psum_scatter", "reduce_scatter", "psum_start", "psum_scatter_start"}) {
    const std::string text = explain(name).out;
    EXPECT_NE(text.find("I and R: " + mark), std::string::npos) << text;
    EXPECT_NE(text.find("of a value that is equal on all devices\n  program(%0: f32["), std::string::npos)
        << text;
    EXPECT_NE(text.find(mark + " along 'a'"), std::string::npos) << text;
  }
  for (const char* name : {"pmean", "pmax", "all_gather", "cast"})
    EXPECT_EQ(explain(name).out.find(mark), std::string::npos) << name;
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
  EXPECT_EQ(explain("nrom").err,
            "tutti: error[R002]: there is no op or function 'nrom'; did you mean norm?\n");
  EXPECT_EQ(
      explain("qqqqqqqq").err,
      "tutti: error[R002]: there is no op or function 'qqqqqqqq'; tutti rules lists the ops, docs/numpy.md "
      "the functions\n");
  EXPECT_EQ(explain("MPI_Allreduce").err,
            "tutti: error[R002]: 'MPI_Allreduce' is a name of MPI; docs/from_mpi.md has ours\n");
  EXPECT_EQ(explain(std::string(100'000, 'p')).status, 1);
}

TEST(explain, leads_from_names_of_numpy_to_declarations) {
  for (const char* theirs :
       {"std",          "var",           "max",         "min",        "dot",     "absolute",
        "fabs",         "ravel",         "swish",       "sigmoid",    "concat",  "subtract",
        "multiply",     "divide",        "true_divide", "remainder",  "power",   "negative",
        "greater",      "greater_equal", "less",        "less_equal", "invert",  "arcsin",
        "arccos",       "arctan",        "arctan2",     "arcsinh",    "arccosh", "arctanh",
        "permute_dims", "astype",        "radians",     "degrees",    "pmap",    "jit"}) {
    const Finished run = explain(theirs);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_NE(run.out.find(" here"), std::string::npos) << run.out;
    const bool leads =
        run.out.find("declared in ") != run.out.npos || run.out.find("See tutti explain ") != run.out.npos;
    EXPECT_TRUE(leads) << run.out;
  }
}

TEST(explain, refuses_to_explain_nothing) {
  Finished run = explain("");
  EXPECT_EQ(run.status, 1);
  EXPECT_EQ(run.err, "tutti: error[R002]: name is required; see tutti explain --help\n");
}

// The completion of shells asks for them.
TEST(explain, lists_the_names_that_it_explains) {
  const Finished run = explain("--names");
  ASSERT_EQ(run.status, 0);
  std::istringstream lines(run.out);
  std::vector<std::string> names{std::istream_iterator<std::string>(lines), {}};
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* name : {"psum", "all_reduce", "Machine", "Machine::place", "T004"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  for (std::size_t i = 0; i < names.size(); i += 40) EXPECT_EQ(explain(names[i]).status, 0) << names[i];
  EXPECT_NE(explain("--names psum").status, 0);
}

}  // namespace
}  // namespace tutti
