// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/whole_file.hpp"

#include <fmt/core.h>

#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <new>
#include <set>

#include "tests/support/file_text.hpp"
#include "tests/tensor/failing_calls.hpp"
#include "tests/tensor/file_test.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"

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
  std::string content(const std::string& name) const { return text_of_file(path(name)); }
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
  EXPECT_EQ(names(), std::set<std::string>{"x"});  // no other file is left
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

const std::string digits = "0123456789abcdef";

TEST_F(whole_file, removes_no_files_of_other_names) {
  const std::set<std::string> others{"x.tmp",
                                     "x.4242.tmp",
                                     "x.12-0.tmp",
                                     "x.tutti-.tmp",
                                     "x.tutti-12.tmp",
                                     "x.tutti-" + digits + "0.tmp",
                                     "x.tutti-0123456789ABCDEF.tmp",
                                     "x.tutti-0123456789abcde-.tmp",
                                     "x." + digits + ".tmp",
                                     "x.other-" + digits + ".tmp",
                                     "y.tutti-" + digits + ".tmp",
                                     "x.tutti-" + digits + ".tmp~",
                                     "x.tutti-" + digits + ".tem",
                                     "tutti-" + digits + ".tmp",
                                     "x.x.tutti-" + digits + ".tmp"};
  for (const std::string& name : others) std::ofstream(path(name)) << "theirs";
  for (const std::string& stale : {"x.tutti-" + digits + ".tmp", std::string("x.tutti-0000000000000000.tmp")})
    std::ofstream(path(stale)) << "ours";
  write("x", "new");
  std::set<std::string> left = others;
  left.insert("x");
  EXPECT_EQ(names(), left);
}

TEST_F(whole_file, removes_nothing_but_files) {
  const std::string name = "x.tutti-" + digits + ".tmp";
  fs::create_directory(path(name));
  write("x", "new");
  EXPECT_EQ(names(), (std::set<std::string>{"x", name}));
  fs::remove(path(name));
  ASSERT_EQ(::mkfifo(path(name).c_str(), 0666), 0);
  write("x", "new");
  EXPECT_EQ(names(), (std::set<std::string>{"x", name}));
}

// A writer on another host does that where locks do not reach other hosts.
TEST_F(whole_file, leaves_a_file_that_took_the_name_of_the_temporary_one) {
  write("x", "old");
  std::string temporary;
  auto replace = [&] {
    for (const std::string& name : names())
      if (name != "x") temporary = name;
    fs::remove(path(temporary));
    std::ofstream(path(temporary)) << "theirs";
  };
  const std::string why = refusal(path("x"), [&] { write("x", "new", replace); });
  EXPECT_EQ(why, "cannot be written: somebody removed or replaced its temporary file '" + path(temporary) +
                     "'; write it again");
  EXPECT_EQ(content("x"), "old");
  EXPECT_EQ(content(temporary), "theirs");
}

TEST_F(whole_file, gives_up_where_each_temporary_file_is_locked_by_others) {
  const Failing locks(Call::flock, EWOULDBLOCK);
  EXPECT_TRUE(refusal(path("x"), [&] { write("x", "new"); })
                  .starts_with("cannot be written: 20 temporary files beside it were locked or removed by "
                               "others at once, the last one '" +
                               path("x.tutti-")));
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(whole_file, is_written_where_the_file_system_has_no_locks) {
  const Failing locks(Call::flock, ENOLCK);
  write("x", "new");
  EXPECT_EQ(content("x"), "new");
}

TEST_F(whole_file, leaves_no_file_and_no_descriptor_where_it_has_no_stream) {
  auto descriptors = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
  const auto before = descriptors();
  {
    const Failing streams(Call::fdopen, EMFILE);
    EXPECT_EQ(refusal(path("x"), [&] { write("x", "new"); }), "cannot be written: Too many open files");
  }
  EXPECT_EQ(names(), std::set<std::string>{});
  EXPECT_EQ(descriptors(), before);
}

std::string lack_of_memory(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::memory);
    return error.message();
  }
  return "not refused";
}

TEST_F(whole_file, lacks_memory_where_its_writer_does) {
  EXPECT_EQ(lack_of_memory([&] { write("x", "new", [] { throw std::bad_alloc(); }); }),
            "'" + path("x") + "' cannot be written: not enough memory; free some and write it again");
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(whole_file, lacks_memory_where_the_system_does) {
  const Failing streams(Call::fdopen, ENOMEM);
  EXPECT_EQ(lack_of_memory([&] { write("x", "new"); }),
            "'" + path("x") + "' cannot be written: not enough memory; free some and write it again");
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(whole_file, lacks_memory_where_the_system_does_when_it_is_read) {
  const Failing streams(Call::fopen, ENOMEM);
  EXPECT_EQ(lack_of_memory([&] { read_npy(path("x")); }),
            "'" + path("x") + "' holds more than there is memory for");
  EXPECT_EQ(lack_of_memory([&] { read_npz(path("x")); }),
            "'" + path("x") + "' holds more than there is memory for");
}

mode_t mode_of(const std::string& path) {
  struct stat found = {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_mode & mode_t{07777};
}

TEST_F(whole_file, keeps_the_mode_of_the_old_one) {
  for (const mode_t mode : {0600, 0640, 0666, 0444, 0755, 0200}) {
    fs::remove(path("x"));
    write("x", "old");
    ASSERT_EQ(::chmod(path("x").c_str(), mode), 0);
    write("x", "new");
    EXPECT_EQ(mode_of(path("x")), mode) << std::oct << mode;
  }
}

TEST_F(whole_file, keeps_the_mode_of_the_target_of_a_link) {
  write("x", "old");
  ASSERT_EQ(::chmod(path("x").c_str(), 0600), 0);
  fs::create_symlink(path("x"), path("link"));
  write("link", "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(mode_of(path("x")), mode_t{0600});
}

TEST_F(whole_file, is_readable_by_nobody_earlier_than_the_old_one_was) {
  write("x", "old");
  ASSERT_EQ(::chmod(path("x").c_str(), 0600), 0);
  write("x", "new", [&] {
    for (const std::string& name : names()) EXPECT_EQ(mode_of(path(name)), mode_t{0600}) << name;
  });
}

TEST_F(whole_file, has_the_usual_mode_if_it_is_new) {
  const mode_t mask = ::umask(027);
  write("x", "new");
  ::umask(mask);
  EXPECT_EQ(mode_of(path("x")), mode_t{0640});
}

/// Owner, group and mode of a file that another user has written over one of root's, as "1000:1000 644".
std::string rights_after_another_user_wrote(const std::string& path, const std::function<void()>& write) {
  constexpr uid_t other = 12345;
  const pid_t child = fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(other) != 0 || ::setuid(other) != 0) _exit(1);
    write();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  struct stat found = {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return fmt::format("{}:{} {:o}", found.st_uid, found.st_gid, found.st_mode & 07777U);
}

TEST_F(whole_file, keeps_owner_and_group_where_the_system_lets_it) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  write("x", "old");
  ASSERT_EQ(::chown(path("x").c_str(), 1234, 5678), 0);
  ASSERT_EQ(::chmod(path("x").c_str(), 0640), 0);
  write("x", "new");
  struct stat found = {};
  ASSERT_EQ(::stat(path("x").c_str(), &found), 0);
  EXPECT_EQ(found.st_uid, 1234U);
  EXPECT_EQ(found.st_gid, 5678U);
  EXPECT_EQ(mode_of(path("x")), mode_t{0640});
}

TEST_F(whole_file, gives_no_rights_to_a_group_that_had_none) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes another user";
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  for (const auto& [mode, kept] : {std::pair{0664, "644"}, {0660, "600"}, {0666, "666"}}) {
    write("x", "old");
    ASSERT_EQ(::chown(path("x").c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(path("x").c_str(), static_cast<mode_t>(mode)), 0);
    EXPECT_EQ(rights_after_another_user_wrote(path("x"), [&] { write("x", "new"); }),
              fmt::format("12345:12345 {}", kept));
    fs::remove(path("x"));
  }
}

TEST_F(whole_file, can_be_tried_before_anything_is_written) {
  const auto tried = [&](const std::string& file, SpecialFile special = SpecialFile::allowed) {
    return refusal(file, [&] { require_writable(file, ".txt", special, Where::here()); });
  };
  EXPECT_EQ(tried(path("x")), "not refused");
  EXPECT_EQ(names(), std::set<std::string>{});
  write("x", "old");
  EXPECT_EQ(tried(path("x")), "not refused");
  EXPECT_EQ(content("x"), "old");
  EXPECT_EQ(names(), std::set<std::string>{"x"});
  EXPECT_EQ(tried(path("no/x")), "cannot be written: No such file or directory");
  EXPECT_EQ(tried(folder_.string()), "is a folder; name a .txt file");
  EXPECT_EQ(tried("/dev/null"), "not refused");
  EXPECT_EQ(tried("/dev/null", SpecialFile::refused),
            "is a device or pipe, which holds no archive; name a .txt file");
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
