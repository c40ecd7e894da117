// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/whole_file.hpp"

#include <gtest/gtest.h>

#include "tests/tensor/file_test.hpp"

namespace tutti {
namespace {

class whole_file : public FileTest {
 protected:
  whole_file() : FileTest("whole_file") {}
};

// While the file is written, somebody makes a folder of its name.
TEST_F(whole_file, says_why_it_cannot_have_its_name) {
  auto write = [&](const std::string& to) {
    open_to_write(to);
    std::filesystem::create_directory(path());
  };
  EXPECT_EQ(refusal(path(), [&] { write_whole(path(), ".txt", Where::here(), write); }),
            "cannot be written: Is a directory");
  EXPECT_TRUE(std::filesystem::is_empty(path()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // nothing is left beside it
}

}  // namespace
}  // namespace tutti
