// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/whole_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <set>

#include "tests/tensor/file_test.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class whole_file : public FileTest {
 protected:
  whole_file() : FileTest("whole_file") {}

  void write(const std::string& name, const std::string& text, const std::function<void()>& meanwhile = {}) {
    write_whole(path(name), ".txt", Where::here(), [&](std::FILE* to) {
      std::fputs(text.c_str(), to);
      std::fflush(to);
      if (meanwhile) meanwhile();
    });
  }
  /// A process that writes the file and is killed when all is written but its name.
  void write_and_be_killed(const std::string& name) {
    const pid_t child = fork();
    if (child == 0) write(name, "new", [] { kill(getpid(), SIGKILL); });
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
  }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.insert(entry.path().filename().string());
    return found;
  }
};

// While the file is written, somebody makes a folder of its name.
TEST_F(whole_file, says_why_it_cannot_have_its_name) {
  auto make_folder = [&] { fs::create_directory(path("x")); };
  EXPECT_EQ(refusal(path("x"), [&] { write("x", "new", make_folder); }), "cannot be written: Is a directory");
  EXPECT_TRUE(fs::is_empty(path("x")));
  EXPECT_EQ(names(), std::set<std::string>{"x"});  // nothing is left beside it
}

TEST_F(whole_file, is_the_old_one_after_a_kill_and_what_stays_goes_at_the_next_save) {
  for (const std::string& name : {std::string("x"), std::string(255, 'n')}) {
    write(name, "old");
    for (int i = 0; i < 40; ++i) write_and_be_killed(name);
    EXPECT_EQ(content(name), "old");
    EXPECT_EQ(names().size(), 2U);  // that of the last
    write(name, "new");
    EXPECT_EQ(content(name), "new");
    EXPECT_EQ(names(), std::set<std::string>{name});
    fs::remove(path(name));
  }
}

TEST_F(whole_file, leaves_the_temporary_file_of_a_live_writer) {
  auto write_another = [&] {
    write("x", "inner");
    EXPECT_EQ(content("x"), "inner");
    EXPECT_EQ(names().size(), 2U);
  };
  write("x", "outer", write_another);
  EXPECT_EQ(content("x"), "outer");
  EXPECT_EQ(names(), std::set<std::string>{"x"});
}

TEST_F(whole_file, removes_no_files_of_other_names) {
  const std::set<std::string> others{"x.tmp",      "x..tmp",     "x.1a.tmp", "y.1-0.tmp",
                                     "x.1-0.tmp~", "x.1-0.temp", "1-0.tmp",  "x.x.1-0.tmp"};
  for (const std::string& name : others) std::ofstream(path(name)) << "theirs";
  for (const char* stale : {"x.12-0.tmp", "x.12-1.tmp", "x.12.tmp"}) std::ofstream(path(stale)) << "ours";
  fs::create_directory(path("x.13-0.tmp"));
  write("x", "new");
  std::set<std::string> left = others;
  left.insert({"x", "x.13-0.tmp"});
  EXPECT_EQ(names(), left);
}

TEST_F(whole_file, can_have_a_name_of_255_bytes_but_no_longer_one) {
  const std::string longest(255, 'x'), longer(256, 'x');
  write(longest, "new");
  EXPECT_EQ(content(longest), "new");
  bool called = false;
  EXPECT_EQ(refusal(path(longer), [&] { write(longer, "new", [&] { called = true; }); }),
            "cannot be written: File name too long");
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace tutti
