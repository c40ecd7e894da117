// SPDX-License-Identifier: Apache-2.0
// The files that tutti run reads and writes, as a user names them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "tests/support/command.hpp"
#include "tests/support/print.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

/// A program that returns its arguments, of one type each.
std::string identity(const std::vector<std::string>& types) {
  std::string parameters, results, names, all;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const char* comma = i == 0 ? "" : ", ";
    parameters += fmt::format("{}%arg{}: tensor<{}>", comma, i, types[i]);
    results += fmt::format("{}tensor<{}>", comma, types[i]);
    names += fmt::format("{}%arg{}", comma, i);
  }
  return fmt::format("func.func @main({}) -> ({}) {{\n  return {} : {}\n}}\n", parameters, results, names,
                     results);
}

class program_files : public testing::Test {
 protected:
  program_files() {
    fs::create_directories(root);
    write("two.mlir", identity({"2xf32", "2xi32"}));
  }
  ~program_files() override { fs::remove_all(root); }

  std::string path(const std::string& file) const { return (root / file).string(); }
  void write(const std::string& file, const std::string& text) const { std::ofstream(path(file)) << text; }
  /// Runs the tool in the folder of the files.
  Finished run(const std::string& arguments) const {
    const std::string tool = fs::absolute(program_folder() + "/tutti").string();
    return run_command("cd " + root.string() + " && " + tool + " run " + arguments);
  }

  const fs::path root = fs::temp_directory_path() / ("tutti_program_files_" + std::to_string(getpid()));
  const Tensor floats{Shape{2}, {1.5F, 2.5F}};
  const Tensor integers{Shape{2}, {std::int32_t{3}, std::int32_t{4}}};
  const std::string two = "two.mlir --in 2xf32=1.5,2.5 --in 2xi32=3,4 ";
};

template <class T>
struct Case {
  const char* type;
  T found, wanted;
  const char* difference;
};

TEST_F(program_files, have_integers_that_are_compared_exactly) {
  const auto compared = [&]<class T>(const Case<T>& one) {
    write("one.mlir", identity({fmt::format("2x{}", one.type)}));
    write_npy(path("in.npy"), Tensor(Shape{2}, {one.found, T{5}}));
    write_npy(path("want.npy"), Tensor(Shape{2}, {one.wanted, T{5}}));
    const Finished run_once = run("one.mlir --in in.npy --expect want.npy");
    EXPECT_EQ(run_once.status, 5) << run_once.out;
    EXPECT_EQ(run_once.out,
              fmt::format("result0: the largest difference is {}, at element 0: {}, expected {}; allowed 0\n",
                          one.difference, one.found, one.wanted));
    EXPECT_EQ(run("one.mlir --in in.npy --expect in.npy").status, 0);
  };
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t large = std::int64_t{1} << 60;
  compared(Case<std::int64_t>{"i64", large, large + 1, "1"});
  compared(Case<std::int64_t>{"i64", least, most, "18446744073709551615"});
  compared(Case<std::uint64_t>{"ui64", ~std::uint64_t{0}, ~std::uint64_t{0} - 1, "1"});
  compared(Case<std::uint64_t>{"ui64", 0, ~std::uint64_t{0}, "18446744073709551615"});
  compared(Case<std::int32_t>{"i32", -2'000'000'000, 2'000'000'000, "4000000000"});
  compared(Case<std::uint8_t>{"ui8", 1, 255, "254"});
  compared(Case<std::int8_t>{"i8", -128, 127, "255"});
}

TEST_F(program_files, have_integers_with_a_tolerance_that_is_kept_exactly) {
  constexpr std::int64_t large = std::int64_t{1} << 60;
  write("one.mlir", identity({"i64"}));
  write_npy(path("in.npy"), Tensor::scalar(large + 1));
  write_npy(path("want.npy"), Tensor::scalar(std::int64_t{0}));
  EXPECT_EQ(run(fmt::format("one.mlir --in in.npy --expect want.npy --atol {}", large)).status, 5);
  EXPECT_EQ(run(fmt::format("one.mlir --in in.npy --expect want.npy --atol {}", 2 * large)).status, 0);
  EXPECT_EQ(run("one.mlir --in in.npy --expect want.npy --atol nan").status, 5);
}

TEST_F(program_files, of_expected_arrays_have_one_for_each_result) {
  const auto refused = [&](const NamedTensors& arrays, const std::string& message) {
    if (!arrays.empty()) write_npz(path("want.npz"), arrays);
    else write("want.npz", std::string("PK\x05\x06") + std::string(18, '\0'));  // a zip file without entries
    const Finished found = run(two + "--expect want.npz");
    EXPECT_EQ(found.status, 1);
    EXPECT_EQ(found.out, "");
    EXPECT_EQ(found.err, "tutti: error[R002]: --expect want.npz: " + message + "\n");
  };
  const std::string results =
      ", the program has 2 results: result0, result1; an archive has one array for each result";
  refused({}, "it has 0 arrays" + results);
  refused({{"arr_0", floats}}, "it has 1 array: arr_0" + results);
  refused({{"result0", floats}}, "there is no array 'result1'; it has result0");
  refused({{"result1", integers}, {"other", floats}}, "there is no array 'result0'; it has result1, other");
  refused({{"result0", floats}, {"result1", integers}, {"x", floats}},
          "it has 3 arrays: result0, result1, x" + results);
}

TEST_F(program_files, of_expected_arrays_are_matched_by_name_or_position) {
  const std::string equal = "result0: equal in all bits\nresult1: equal in all bits\n";
  for (const NamedTensors& arrays : {NamedTensors{{"result1", integers}, {"result0", floats}},
                                     NamedTensors{{"arr_0", floats}, {"arr_1", integers}}}) {
    write_npz(path("want.npz"), arrays);
    const Finished found = run(two + "--expect want.npz");
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(found.out, equal);
  }
  EXPECT_EQ(run(two + "--out out.npz --expect want.npz").status, 0);
  EXPECT_EQ(run(two + "--expect out.npz").out, equal);
}

TEST_F(program_files, of_expected_arrays_may_be_fewer_than_results) {
  write_npy(path("want.npy"), floats);
  const Finished found = run(two + "--expect want.npy");
  EXPECT_EQ(found.status, 0) << found.err;
  EXPECT_EQ(found.out, "result0: equal in all bits\nresult1: not compared; --expect has no file for it\n");
}

TEST_F(program_files, of_results_are_written_once_each) {
  const auto refused = [&](const std::string& second, const std::string& message) {
    const Finished found = run(two + "--out a.npy --out " + second);
    EXPECT_EQ(found.status, 1);
    EXPECT_EQ(found.err, "tutti: error[R002]: --out " + message + "; give each result its own\n");
    EXPECT_FALSE(fs::exists(path("a.npy")));
  };
  refused("a.npy", "a.npy: it is the file of an earlier result");
  refused("./a.npy", "./a.npy: it is the file of an earlier result, 'a.npy'");
  refused(path("a.npy"), path("a.npy") + ": it is the file of an earlier result, 'a.npy'");
}

TEST_F(program_files, of_results_are_found_unwritable_before_anything_is_read) {
  for (const char* file : {"nowhere/a.npy", "nowhere/a.npz"}) {
    const Finished found = run(fmt::format("two.mlir --in unread.npy --out {}", file));
    EXPECT_EQ(found.status, 4);
    EXPECT_EQ(found.err,
              fmt::format("tutti: error[R001]: '{}' cannot be written: No such file or directory\n", file));
  }
  write("old.npy", "old");
  EXPECT_EQ(run("two.mlir --in unread.npy --out old.npy").status, 4);
  EXPECT_EQ(fs::file_size(path("old.npy")), 3U);
  EXPECT_EQ(std::distance(fs::directory_iterator(root), fs::directory_iterator()), 2);
}

TEST_F(program_files, are_named_in_errors_without_a_place_in_our_sources) {
  write("damaged.npy", "no array");
  write("damaged.npz", "no archive");
  const auto refused = [&](const std::string& words, int status, const std::string& begin) {
    const Finished found = run(words);
    EXPECT_EQ(found.status, status) << words;
    EXPECT_EQ(found.err.rfind("tutti: error[" + begin, 0), 0U) << found.err;
    EXPECT_EQ(found.err.find(".cpp"), std::string::npos) << found.err;
  };
  refused("two.mlir --in damaged.npy", 4, "R001]: 'damaged.npy' ");
  refused("two.mlir --in damaged.npz", 4, "R001]: 'damaged.npz' ");
  refused(two + "--expect damaged.npy", 4, "R001]: 'damaged.npy' ");
  refused(two + "--expect damaged.npz", 4, "R001]: 'damaged.npz' ");
  fs::create_directory(path("folder.npy"));
  fs::create_directory(path("folder.npz"));
  refused(two + "--out folder.npy", 4, "R001]: 'folder.npy' is a folder");
  refused(two + "--out folder.npz", 4, "R001]: 'folder.npz' is a folder");
  refused("two.mlir --in 999999999999x999999999999xf32=0", 2, "T005]: tensor: shape ");
}

}  // namespace
}  // namespace tutti
