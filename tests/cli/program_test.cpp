// SPDX-License-Identifier: Apache-2.0
// tutti run, check and print, as a user calls them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "tests/support/command.hpp"
#include "tests/support/print.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"
#include "tutti/tensor/files/safetensors.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;
using Floats = std::vector<float>;

const std::string step =
    "module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
    "  sdy.mesh @mesh = <[\"x\"=4]>\n"
    "  func.func public @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>} "
    "loc(\"w\"), %arg1: "
    "tensor<i32>) -> (tensor<4x2xf32> {jax.result_info = \"w\"}, tensor<2xf32> {jax.result_info = \"sum\"}) "
    "{\n"
    "    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{\"x\"}, {}]>, <@mesh, []>] "
    "out_shardings=[<@mesh, [{\"x\"}, {}]>, <@mesh, [{}]>] manual_axes={\"x\"} (%arg2: tensor<1x2xf32>, "
    "%arg3: tensor<i32>) "
    "{\n"
    "      %1 = stablehlo.convert %arg3 : (tensor<i32>) -> tensor<f32>\n"
    "      %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x2xf32>\n"
    "      %3 = stablehlo.multiply %arg2, %2 : tensor<1x2xf32> loc(\"model.py\":7:3)\n"
    "      %4 = \"stablehlo.all_reduce\"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = "
    "1>, "
    "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({\n"
    "      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):\n"
    "        %6 = stablehlo.add %arg4, %arg5 : tensor<f32>\n"
    "        stablehlo.return %6 : tensor<f32>\n"
    "      }) : (tensor<1x2xf32>) -> tensor<1x2xf32>\n"
    "      %5 = stablehlo.reshape %4 : (tensor<1x2xf32>) -> tensor<2xf32>\n"
    "      sdy.return %3, %5 : tensor<1x2xf32>, tensor<2xf32>\n"
    "    } : (tensor<4x2xf32>, tensor<i32>) -> (tensor<4x2xf32>, tensor<2xf32>)\n"
    "    return %0#0, %0#1 : tensor<4x2xf32>, tensor<2xf32>\n"
    "  }\n"
    "}\n";

class program : public testing::Test {
 protected:
  program() {
    fs::create_directories(root);
    write("step.mlir", step);
    write_npy(path("w.npy"), w);
    write_npy(path("twice.npy"), twice);
  }
  ~program() override { fs::remove_all(root); }

  std::string path(const std::string& file) const { return (root / file).string(); }
  void write(const std::string& file, const std::string& text) const { std::ofstream(path(file)) << text; }
  /// Runs the tool in the folder of the files.
  Finished run(const std::string& arguments, const std::string& before = "") const {
    const std::string tool = fs::absolute(program_folder() + "/tutti").string();
    return run_command("cd " + root.string() + " && " + before + tool + " " + arguments);
  }

  const fs::path root = fs::temp_directory_path() / ("tutti_program_" + std::to_string(getpid()));
  const Tensor w{Shape{4, 2}, Floats{1, 2, 3, 4, 5, 6, 7, 8}};
  const Tensor twice{Shape{4, 2}, Floats{2, 4, 6, 8, 10, 12, 14, 16}};
  const Tensor sum{Shape{2}, Floats{32, 40}};
};

TEST_F(program, is_run_on_arrays_and_numbers) {
  const Finished found = run("run step.mlir --in w.npy --in i32=2");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.out,
            "w: f32[4,2]\n[[ 2.  4.]\n [ 6.  8.]\n [10. 12.]\n [14. 16.]]\nsum: f32[2]\n[32. 40.]\n");
  EXPECT_EQ(run("run step.mlir --in arg1=i32=2 --in w=w.npy").out, found.out);
  EXPECT_EQ(run("run - --in w.npy --in i32=2", "cat step.mlir | ").out, found.out);
  write_npz(path("all.npz"), {{"arg1", Tensor::scalar(std::int32_t{2})}, {"w", w}});
  EXPECT_EQ(run("run step.mlir --in all.npz").out, found.out);
  EXPECT_EQ(run("run step.mlir --in all.npz:w --in all.npz:arg1").out, found.out);
}

TEST_F(program, writes_its_results) {
  EXPECT_EQ(run("run step.mlir --in w.npy --in i32=2 --out a.npy --out b.npy").status, 0);
  EXPECT_EQ(read_npy(path("a.npy")), twice);
  EXPECT_EQ(read_npy(path("b.npy")), sum);
  EXPECT_EQ(run("run step.mlir --in w.npy --in i32=2 --out both.npz").status, 0);
  const NamedTensors both = read_npz(path("both.npz"));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].first, "w");
  EXPECT_EQ(both[1].second, sum);
  EXPECT_EQ(run("run step.mlir --in w.npy --in i32=2 --out both.safetensors").status, 0);
  EXPECT_EQ(read_safetensors(path("both.safetensors")).size(), 2U);
  EXPECT_EQ(run("run step.mlir --in w=both.safetensors:w --in i32=2 --expect both.safetensors").status, 5);
  EXPECT_EQ(run("run step.mlir --in w.npy --in i32=2 --expect both.safetensors").status, 0);
}

TEST_F(program, is_compared_with_what_is_expected) {
  const Finished same = run("run step.mlir --in w.npy --in i32=2 --expect twice.npy");
  EXPECT_EQ(same.status, 0);
  const std::string rest = "sum: not compared; --expect has no file for it\n";
  EXPECT_EQ(same.out, "w: equal in all bits\n" + rest);
  const Finished other = run("run step.mlir --in w.npy --in i32=2 --expect w.npy");
  EXPECT_EQ(other.status, 5);
  EXPECT_EQ(other.out,
            "w: the largest difference is 8, at element 7: 16, expected 8; allowed 8e-05\n" + rest);
  EXPECT_EQ(run("run step.mlir --in w.npy --in i32=2 --expect w.npy --rtol 1").status, 0);
  EXPECT_EQ(run("run step.mlir --in w.npy --in i32=2 --expect w.npy --atol 8").status, 0);
}

TEST_F(program, takes_random_numbers_that_a_seed_gives) {
  const std::string first = run("run step.mlir --random --seed 3").out;
  EXPECT_NE(first.find("seed 3"), std::string::npos);
  EXPECT_EQ(run("run step.mlir --random --seed 3").out, first);
  EXPECT_NE(run("run step.mlir --random --seed 4").out, first);
  EXPECT_NE(run("run step.mlir --zeros").out.find("[0. 0.]"), std::string::npos);
}

TEST_F(program, says_how_long_its_calls_take) {
  const std::string text = run("run step.mlir --random --repeat 5").out;
  EXPECT_NE(text.find("4 calls: min "), std::string::npos) << text;
  EXPECT_NE(text.find("read "), std::string::npos) << text;
}

TEST_F(program, lists_its_parameters_where_one_is_missing) {
  const Finished missing = run("run step.mlir --in w.npy --out out.npy");
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "tutti: error[T015]: 'arg1' is not given; say --in once per argument, in order or "
                         "by name, or --random\n"
                         "  the program takes:\n    w: f32[4,2] P(x)\n    arg1: i32[]\n"
                         "  tutti run step.mlir --in w.npy --in arg1=FILE.npy\n");
  EXPECT_FALSE(fs::exists(path("out.npy")));
  const auto refused = [&](const std::string& words, int status, const std::string& part) {
    const Finished found = run("run step.mlir " + words);
    EXPECT_EQ(found.status, status) << words;
    EXPECT_NE(found.err.find(part), std::string::npos) << found.err;
  };
  refused("--in 2x3xf32=1 --in i32=2", 2, "it is f32[2,3], but 'w' is f32[4,2]");
  refused("--in w.npy --in f32=2", 2, "it is f32[], but 'arg1' is i32[]");
  refused("--in w.npy --in i32=2 --in i32=3", 2, "the program takes 2 arguments");
  refused("--in w=w.npy --in w=w.npy", 2, "'w' is given twice");
  refused("--in nowhere.npy", 4, "'nowhere.npy' cannot be read");
  refused("--in 3xf32=1,2", 1, "2 numbers for f32[3]");
  refused("--in f32=one", 1, "'one' is no number of f32");
  refused("--in i8=300", 1, "'300' is no number of i8");
  refused("--in u8=-1", 1, "'-1' is no number of u8");
  refused("--in v=w.npy", 2,
          "--in v=w.npy: the program has no parameter 'v'; is it 'w'?\n  the program takes:\n");
  refused("--in arg1=v=w.npy", 2, "the program has no parameter 'v'");
  refused("--in something=w.npy", 2, "the program has no parameter 'something'\n  the program takes:\n");
  refused("--in 2x3xq32=1", 1, "--in 2x3xq32=1: there is no dtype 'q32'; use one of bool, u8, i8, ");
  refused("--in arg1=q32=1", 1, "there is no dtype 'q32'");
  refused("--in 'no folder=1/x.npy'", 2, "the program has no parameter 'no folder'");
  refused("--random --out a.txt", 1, "write results to .npy files");
  refused("--random --out a.npy --out b.npy --out c.npy", 1, "the program has 2 results");
  refused("--random --function other", 1, "has no function @other");
}

TEST_F(program, refuses_options_that_mean_nothing) {
  const auto refused = [&](const std::string& words, const std::string& message) {
    const Finished found = run("run step.mlir --in w.npy --in i32=2 " + words);
    EXPECT_EQ(found.status, 1) << words;
    EXPECT_EQ(found.err.rfind("tutti: error[R002]: " + message, 0), 0U) << found.err;
  };
  refused("--random --zeros", "--random excludes --zeros");
  refused("--mesh ''", "--mesh: the value is empty; give one, or leave the option out");
  refused("--random --seed -1", "--seed: -1 is negative; give 0 or more");
  refused("--platform-index -1", "--platform-index: -1 is negative; give 0 or more");
}

TEST_F(program, is_told_how_to_be_called) {
  const auto command = [&](const std::string& words) {
    const Finished found = run("run " + words);
    EXPECT_EQ(found.status, 2) << found.err;
    return found.err.substr(found.err.rfind("\n  ") + 3);
  };
  EXPECT_EQ(command("step.mlir"), "tutti run step.mlir --in w=FILE.npy --in arg1=FILE.npy\n");
  std::string named = step;
  named.replace(named.find("loc(\"w\")"), 8, "loc(\"params['w']\")");
  write("a step.mlir", named);
  EXPECT_EQ(command("'a step.mlir' --in arg1=i32=2"),
            "tutti run 'a step.mlir' --in arg1=i32=2 --in 'params['\\''w'\\'']=FILE.npy'\n");
  write_npy(path("FILE.npy"), w);
  EXPECT_EQ(run("run 'a step.mlir' --in arg1=i32=2 --in 'params['\\''w'\\'']=FILE.npy'").status, 0);
  std::string with_equals = step;
  with_equals.replace(with_equals.find("loc(\"w\")"), 8, "loc(\"w=1\")");
  write("step.mlir", with_equals);
  EXPECT_EQ(command("step.mlir --function main"),
            "tutti run step.mlir --in arg0=FILE.npy --in arg1=FILE.npy\n");
}

TEST_F(program, takes_files_of_folders_with_an_equals_sign) {
  fs::create_directory(path("run=1"));
  write_npy(path("run=1/w.npy"), w);
  write_npz(path("run=1/all.npz"), {{"w", w}});
  EXPECT_EQ(run("run step.mlir --in run=1/w.npy --in i32=2").status, 0);
  EXPECT_EQ(run("run step.mlir --in run=1/all.npz:w --in i32=2").status, 0);
}

TEST_F(program, is_refused_before_anything_is_written) {
  write("sizes.mlir", "func.func @main(%x: tensor<4xf32>) -> tensor<i32> {\n  %0 = "
                      "\"stablehlo.get_dimension_size\"(%x) <{dimension = 0 : i64}> : "
                      "(tensor<4xf32>) -> tensor<i32>\n  return %0 : tensor<i32>\n}\n");
  const Finished found = run("run sizes.mlir --random --out out.npy");
  EXPECT_EQ(found.status, 3);
  EXPECT_NE(found.err.find("stablehlo.get_dimension_size, 1 time, first at sizes.mlir:2:8"),
            std::string::npos)
      << found.err;
  EXPECT_FALSE(fs::exists(path("out.npy")));
  const Finished checked = run("check sizes.mlir");
  EXPECT_EQ(checked.status, 0);
  EXPECT_NE(checked.out.find("sizes.mlir: 1 function, 2 operations: legal; it is not run here"),
            std::string::npos);
}

TEST_F(program, is_checked_to_its_end) {
  std::string damaged = step;
  damaged.replace(damaged.find("%arg2, %2"), 9, "%arg2, %9");
  damaged.replace(damaged.find("stablehlo.reshape"), 17, "stablehlo.reshap");
  write("damaged.mlir", damaged);
  const Finished found = run("check damaged.mlir step.mlir");
  EXPECT_EQ(found.status, 3);
  EXPECT_NE(found.err.find("damaged.mlir:7:38: %9 is not defined here\n"), std::string::npos) << found.err;
  EXPECT_NE(found.err.find("StableHLO has no operation 'stablehlo.reshap'; is it stablehlo.reshape?"),
            std::string::npos);
  EXPECT_EQ(found.out, "step.mlir: 1 function, 10 operations: right\n");
  const nlohmann::json json = nlohmann::json::parse(run("check damaged.mlir --json").out);
  EXPECT_EQ(json[0]["errors"].size(), 2U);
  EXPECT_EQ(json[0]["errors"][0]["line"], 7);
  EXPECT_EQ(json[0]["errors"][0]["code"], "S001");
}

TEST_F(program, is_checked_for_what_it_takes_as_given) {
  std::string assumed = step;
  assumed.replace(assumed.find("sdy.return %3, %5"), 17, "sdy.return %3, %8");
  assumed.replace(assumed.find("      %5 = "), 0,
                  "      %7 = sdy.sharding_constraint %3 <@mesh, [{?}, {?}]> : tensor<1x2xf32>\n"
                  "      %8 = stablehlo.reshape %7 : (tensor<1x2xf32>) -> tensor<2xf32>\n");
  write("assumed.mlir", assumed);
  const Finished found = run("check assumed.mlir");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(
      found.err,
      "tutti: warning: assumed.mlir:4:12: a result varies along 'x', but its sharding does not name it: "
      "the value of the first device is taken; tutti run --check-assumptions compares all\n");
  EXPECT_EQ(found.out, "assumed.mlir: 1 function, 12 operations: right\n"
                       "assumed.mlir: 1 sharding is a hint to the compiler, not followed here\n");
  const nlohmann::json json = nlohmann::json::parse(run("check assumed.mlir --json").out);
  EXPECT_EQ(json[0]["warnings"].size(), 1U);
  EXPECT_EQ(json[0]["warnings"][0]["line"], 4);
  EXPECT_EQ(json[0]["hints"], 1);
  EXPECT_EQ(run("run assumed.mlir --in w.npy --in i32=2 --check-assumptions").status, 2);
}

TEST_F(program, without_main_is_nothing_to_run) {
  write("empty.mlir", "module {}\n");
  std::string other = step;
  other.replace(other.find("@main"), 5, "@step");
  write("other.mlir", other);
  const Finished found = run("check empty.mlir other.mlir");
  EXPECT_EQ(found.status, 0);
  EXPECT_EQ(found.out, "empty.mlir: 0 functions, 0 operations: legal; there is nothing to run\n"
                       "other.mlir: 1 function, 10 operations: legal; there is nothing to run\n");
  EXPECT_EQ(found.err, "tutti: warning: empty.mlir: there is no function to run\n"
                       "tutti: warning: other.mlir: there is no function @main to run; tutti run --function "
                       "step runs another one\n");
  EXPECT_EQ(run("run other.mlir --zeros --function step").status, 0);
  const nlohmann::json json = nlohmann::json::parse(run("check empty.mlir --json").out);
  EXPECT_EQ(json[0]["warnings"][0]["message"], "there is no function to run");
  EXPECT_EQ(json[0]["warnings"][0]["file"], "empty.mlir");
}

TEST_F(program, is_printed_with_states_and_places) {
  const std::string text = run("print step.mlir").out;
  EXPECT_NE(text.find("f32[1,2]{V:x} = mul"), std::string::npos) << text;
  EXPECT_NE(text.find("// model.py:7:3"), std::string::npos) << text;
  EXPECT_NE(text.find("= all_reduce{kind=sum, axes='x'}"), std::string::npos) << text;
  write("generic.mlir", run("print step.mlir --form generic --locations").out);
  const auto without_places = [](const std::string& printed) {
    return std::regex_replace(printed, std::regex(" +// .*"), "");
  };
  EXPECT_EQ(without_places(run("print generic.mlir").out), without_places(text));
  EXPECT_EQ(run("print generic.mlir --form generic --locations").out,
            run("print step.mlir --form generic --locations").out);
}

TEST_F(program, in_another_form_is_named) {
  const auto refused = [&](const std::string& bytes, const std::string& what) {
    write("other", bytes);
    const Finished found = run("run other --random");
    EXPECT_EQ(found.status, 4) << what;
    EXPECT_NE(found.err.find(what), std::string::npos) << found.err;
    EXPECT_NE(found.err.find("the text comes from Python"), std::string::npos) << found.err;
  };
  refused("ML\xEFR\x0DStableHLO_v1", "is MLIR's bytecode");
  refused(std::string("\x20\0\0\0\0\0ML\xEFR\x0D", 11), "is a program that jax.export has serialized");
  refused("HloModule jit_f, entry_computation_layout={}", "is HLO");
  refused("{ lambda ; a:f32[]. let in (a,) }", "is a jaxpr");
  refused("\x1f\x8b\x08", "is a compressed file");
  refused("\n  \n", "is empty");
  EXPECT_EQ(run("run .").status, 4);
  EXPECT_NE(run("run .").err.find("is a folder"), std::string::npos);
  EXPECT_EQ(run("check nowhere.mlir").status, 4);
}

TEST_F(program, has_assumptions_that_are_compared) {
  std::string dropped = step;
  dropped.replace(dropped.find("sdy.return %3, %5"), 17, "sdy.return %3, %7");
  dropped.replace(dropped.find("%5 = stablehlo.reshape %4"), 25, "%7 = stablehlo.reshape %3");
  write("dropped.mlir", dropped);
  EXPECT_EQ(run("run dropped.mlir --in w.npy --in i32=2").status, 0);
  const Finished compared = run("run dropped.mlir --in w.npy --in i32=2 --check-assumptions");
  EXPECT_EQ(compared.status, 2);
  EXPECT_NE(compared.err.find("T004"), std::string::npos) << compared.err;
}

TEST_F(program, runs_with_a_copy_of_each_value_per_device) {
  const std::string words = "run step.mlir --in w.npy --in i32=2";
  const Finished apart = run(words + " --per-device");
  EXPECT_EQ(apart.status, 0) << apart.err;
  EXPECT_EQ(apart.out, run(words).out);
  for (const char* option : {"--per-device", "--check-nans", "--check-assumptions"}) {
    const Finished refused = run(fmt::format("{} {} --machine xla", words, option));
    EXPECT_EQ(refused.status, 1) << option;
    EXPECT_NE(refused.err.find("--check-nans, --check-assumptions and --per-device look at virtual devices"),
              std::string::npos)
        << refused.err;
  }
}

}  // namespace
}  // namespace tutti
