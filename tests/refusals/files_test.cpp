// SPDX-License-Identifier: Apache-2.0
// Files that cannot be read or written: the line that wants them, the file, and what is wrong with it. What
// damage is found is in tests/tensor/npy_test.cpp.
#include <fmt/core.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/refusal.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

std::string temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / fmt::format("tutti_{}_{}", getpid(), name);
}

TEST(files, that_are_missing_are_refused) {
  expect_refused(
      [] {
        read_npy("nowhere.npy");  // refused
      },
      "R001 {file}:{line}: 'nowhere.npy' cannot be read: No such file or directory");
}

TEST(files, that_are_no_arrays_are_refused) {
  expect_refused(
      [] {
        read_npy("README.md");  // refused
      },
      "R001 {file}:{line}: 'README.md' is not a .npy file: it does not start with \\x93NUMPY; write it with "
      "numpy.save");
}

TEST(files, that_are_cut_off_are_refused) {
  std::string path = temporary("cut.npy");
  write_npy(path, Tensor({2}, std::vector<float>{1, 2}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  expect_refused(
      [&] {
        read_npy(path);  // refused
      },
      fmt::format(
          "R001 {{file}}:{{line}}: '{}' has 7 bytes of data where f32[2] takes 8; the file is cut off or "
          "damaged, write it again",
          path));
  std::filesystem::remove(path);
}

TEST(files, for_timelines_that_cannot_be_written_are_refused_when_the_machine_is_opened) {
  Mesh mesh({{"x", 2}});
  expect_refused(
      [&] {
        open_local(mesh, {.trace = "nowhere/t.json"});  // refused
      },
      "R001 {file}:{line}: open_local: 'nowhere/t.json' cannot be written: No such file or directory");
  expect_refused(
      [&] {
        open_local(mesh, {.trace = "tests"});  // refused
      },
      "R001 {file}:{line}: open_local: 'tests' cannot be written: Is a directory");
  expect_refused(
      [&] {
        open_local(mesh, {.trace = "/dev/full"});  // refused
      },
      "R001 {file}:{line}: open_local: '/dev/full' cannot be written: No space left on device");
}

TEST(files, that_cannot_be_written_are_refused) {
  expect_refused(
      [] {
        write_npy("nowhere/x.npy", Tensor({2}, DType::f32));  // refused
      },
      "R001 {file}:{line}: 'nowhere/x.npy' cannot be written: No such file or directory");
}

}  // namespace
}  // namespace tutti
