// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/support/file_text.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

/// A folder of its own for a test of a kind of files, removed afterwards.
class FileTest : public testing::Test {
 protected:
  explicit FileTest(const std::string& kind)
      : folder_(std::filesystem::temp_directory_path() /
                ("tutti_" + kind + "_test_" + std::to_string(::getpid()))),
        usual_name_("x." + kind) {
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return path(usual_name_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// All bytes of the usual file.
  std::string bytes() const { return text_of_file(path()); }

  /// The message of reading or writing, without the file's name, which it checks.
  template <class F>
  std::string refusal(const std::string& file, F f) const {
    try {
      f();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::file);
      const std::string start = "'" + file + "' ";
      EXPECT_EQ(error.message().substr(0, start.size()), start);
      return error.message().substr(std::min(start.size(), error.message().size()));
    }
    return "not refused";
  }

  std::filesystem::path folder_;

 private:
  std::string usual_name_;
};

}  // namespace tutti
