// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/files/npz.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/tensor/file_test.hpp"

namespace tutti {
namespace {

namespace fs = std::filesystem;

class npz : public FileTest {
 protected:
  npz() : FileTest("npz") {}

  std::string refusal_of(const std::string& content) const {
    std::ofstream(path(), std::ios::binary) << content;
    return refusal(path(), [&] { read_npz(path()); });
  }
};

NamedTensors some_arrays() {
  return {{"w", Tensor(Shape{2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6.5})},
          {"layers[0].bias", Tensor(Shape{2}, std::vector<double>{0.25, -1})},
          {"flags", Tensor(Shape{3}, std::vector<bool>{true, false, true})},
          {"none", Tensor(Shape{0, 4}, DType::i64)},
          {"step", Tensor::scalar(std::int32_t{41})}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// libzip says more from version to version: "Zip archive inconsistent: wrong EOCD length".
bool is_refused_by_libzip(const std::string& refusal) {
  return refusal.starts_with("is damaged or cut off (Zip archive inconsistent") &&
         refusal.ends_with("); write it again");
}

TEST_F(npz, holds_arrays_by_name_in_order) {
  write_npz(path(), some_arrays());
  EXPECT_EQ(read_npz(path()), some_arrays());
}

TEST_F(npz, has_the_same_bytes_for_the_same_arrays) {
  write_npz(path(), some_arrays());
  std::string first = bytes();
  write_npz(path(), some_arrays());
  EXPECT_EQ(bytes(), first);
}

TEST_F(npz, refuses_a_file_that_is_cut_off_wherever_that_may_be) {
  write_npz(path(), some_arrays());
  std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += 7)
    ASSERT_NE(refusal_of(whole.substr(0, size)), "not refused") << size;
  const std::string refusal = refusal_of(whole.substr(0, whole.size() - 1));
  EXPECT_NE(refusal.find("cut off"), std::string::npos) << refusal;
}

TEST_F(npz, refuses_a_file_of_another_kind) {
  EXPECT_EQ(refusal_of("w,b\n1,2\n"),
            "is not a .npz file, or cut off: it does not end as a zip file; write it with numpy.savez");
}

TEST_F(npz, refuses_a_file_that_goes_on) {
  write_npz(path(), some_arrays());
  const std::string refusal = refusal_of(bytes() + "more");
  EXPECT_TRUE(is_refused_by_libzip(refusal)) << refusal;
}

TEST_F(npz, refuses_data_that_the_checksum_does_not_fit) {
  write_npz(path(), {{"w", Tensor(Shape{3}, std::vector<float>{1, 2, 3})}});
  std::string two_as_float("\0\0\0\x40", 4), three("\0\0\x40\x40", 4);
  std::string damaged = replaced(bytes(), two_as_float + three, three + three);
  EXPECT_EQ(refusal_of(damaged), "has the entry 'w.npy', which is damaged (CRC error); write it again");
}

TEST_F(npz, refuses_an_array_of_another_size_than_its_entry) {
  write_npz(path(), {{"w", Tensor(Shape{3}, std::vector<float>{1, 2, 3})}});
  EXPECT_EQ(refusal_of(replaced(bytes(), "(3,), }         ", "(999999999,), } ")),
            "has the entry 'w.npy', which has 12 bytes of data where f32[999999999] takes 3999999996; the "
            "file is cut off or damaged, write it again");
}

// Twice in the file: before the entry and in the directory. 140 bytes are stored.
TEST_F(npz, refuses_an_entry_that_says_more_bytes_than_it_can_hold) {
  write_npz(path(), {{"w", Tensor(Shape{3}, std::vector<float>{1, 2, 3})}});
  const std::string stored("\x8c\0\0\0", 4), large("\0\0\0\x70", 4);
  const std::string refusal = refusal_of(replaced(bytes(), stored + stored, stored + large));
  if (is_refused_by_libzip(refusal)) return;  // libzip from 1.10 on compares the sizes itself
  EXPECT_EQ(refusal,
            "has the entry 'w.npy', which says 1879048192 bytes, more than its 140 compressed ones can hold; "
            "the file is damaged, write it again");
}

TEST_F(npz, finds_every_changed_byte_but_those_that_say_nothing_of_the_arrays) {
  write_npz(path(), {{"w", Tensor(Shape{3}, std::vector<float>{1, 2, 3})}});
  const NamedTensors arrays = read_npz(path());
  const std::string whole = bytes();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    std::ofstream(path(), std::ios::binary) << damaged;
    try {
      NamedTensors found = read_npz(path());
      ASSERT_EQ(found, arrays) << i;
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), Code::file) << i << ": " << error.what();
    }
  }
}

TEST_F(npz, refuses_entries_that_are_no_arrays) {
  write_npz(path(), {{"w", Tensor::scalar(1.0)}});
  EXPECT_EQ(refusal_of(replaced(bytes(), "w.npy", "w.txt")),
            "has the entry 'w.txt'; expected arrays only: names that end with .npy");
}

// A process that does not ignore SIGXFSZ dies of it, here in the middle of the arrays.
TEST_F(npz, is_the_old_one_after_a_kill_and_what_stays_goes_at_the_next_save) {
  write_npz(path(), some_arrays());
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit small{10000, 10000};
      setrlimit(RLIMIT_FSIZE, &small);
      write_npz(path(), {{"w", Tensor(Shape{100000}, DType::f32)}});
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(WTERMSIG(status), SIGXFSZ);
  }
  EXPECT_EQ(read_npz(path()), some_arrays());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
  write_npz(path(), some_arrays());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(npz, says_what_is_wrong_with_a_path_that_cannot_be) {
  const std::string long_path = path(std::string(300, 'x'));
  EXPECT_EQ(refusal(long_path, [&] { read_npz(long_path); }), "cannot be read: File name too long");
  EXPECT_EQ(refusal(long_path, [&] { write_npz(long_path, {{"w", Tensor::scalar(1.0)}}); }),
            "cannot be written: File name too long");
}

TEST_F(npz, refuses_to_write_a_zero_byte_in_a_name) {
  const std::string name("a\0b", 3);
  try {
    write_npz(path(), {{name, Tensor::scalar(1.0)}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::tree);
    EXPECT_EQ(error.message(),
              "'" + path() + "' has an array with a zero byte in its name 'a'; leave it out");
  }
}

TEST_F(npz, refuses_two_arrays_of_one_name) {
  write_npz(path(), {{"w", Tensor::scalar(1.0)}, {"v", Tensor::scalar(2.0)}});
  EXPECT_EQ(refusal_of(replaced(bytes(), "v.npy", "w.npy")),
            "has two arrays of one name; give each a name of its own");
  NamedTensors twice{{"w", Tensor::scalar(1.0)}, {"w", Tensor::scalar(2.0)}};
  try {
    write_npz(path("twice.npz"), twice);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::tree);
    EXPECT_EQ(error.message(), "'" + path("twice.npz") + "' has two arrays 'w'; give each a name of its own");
  }
  EXPECT_FALSE(fs::exists(path("twice.npz")));
}

TEST_F(npz, refuses_to_read_a_missing_file_and_a_folder) {
  EXPECT_EQ(refusal(path("none.npz"), [&] { read_npz(path("none.npz")); }),
            "cannot be read: No such file or directory");
  EXPECT_EQ(refusal(folder_.string(), [&] { read_npz(folder_.string()); }), "is a folder; name a .npz file");
}

TEST_F(npz, is_refused_if_it_expands_to_more_than_the_bound) {
  write_npz(path(), {{"a", Tensor(Shape{100}, DType::f32)}, {"b", Tensor(Shape{50}, DType::f32)}});
  constexpr std::int64_t exact = 400 + 200 + 2 * 128;  // each header takes 128 bytes
  EXPECT_EQ(read_npz(path(), {.most_bytes = exact}).size(), 2U);
  EXPECT_EQ(refusal(path(), [&] { read_npz(path(), {.most_bytes = exact - 1}); }),
            "expands to more than 855 bytes, the bound that was given; raise it if you trust the file");
  EXPECT_EQ(refusal(path(), [&] { read_npz(path(), {.most_bytes = 0}); }),
            "expands to more than 0 bytes, the bound that was given; raise it if you trust the file");
}

TEST_F(npz, quotes_100_characters_of_a_name) {
  const std::string longest(30000, 'n');
  write_npz(path(), {{longest, Tensor::scalar(1.0)}});
  EXPECT_EQ(refusal_of(replaced(bytes(), ".npy", ".txt")),
            "has the entry '" + longest.substr(0, 100) +
                "..'; expected arrays only: names that end with .npy");
  write_npz(path(), {{longest, Tensor(Shape{3}, std::vector<float>{1, 2, 3})}});
  EXPECT_EQ(refusal_of(replaced(bytes(), "'descr'", "'DESCR'")).substr(0, 162),
            "has the entry '" + longest.substr(0, 100) + "..', which the header has the key 'DESCR'; desc");
}

TEST_F(npz, refuses_to_write_where_it_cannot) {
  const std::string nowhere = path("no/such/folder/x.npz");
  EXPECT_EQ(refusal(nowhere, [&] { write_npz(nowhere, some_arrays()); }),
            "cannot be written: No such file or directory");
  EXPECT_EQ(refusal(folder_.string(), [&] { write_npz(folder_.string(), some_arrays()); }),
            "is a folder; name a .npz file");
  EXPECT_EQ(refusal("/dev/full", [&] { write_npz("/dev/full", some_arrays()); }),
            "is a device or pipe, which holds no archive; name a .npz file");
}

// In a process of its own: opening a FIFO that nobody else has open waits for ever.
TEST_F(npz, refuses_a_fifo_before_it_is_opened) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0666), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const std::string expected = "is a device or pipe, which holds no archive; name a .npz file";
    const bool is_refused = refusal(path(), [&] { write_npz(path(), some_arrays()); }) == expected &&
                            refusal(path(), [&] { read_npz(path()); }) == expected;
    _exit(is_refused ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(npz, refuses_arrays_before_it_makes_a_file) {
  const std::string nowhere = path("no/such/folder/x.npz");
  try {
    write_npz(nowhere, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::tree);
    EXPECT_EQ(error.message(), "'" + nowhere + "' would hold no array; save a tree that has one");
  }
}

// A limit on the size of files stands for a full disk.
TEST_F(npz, keeps_the_old_file_and_no_other_when_the_disk_fills_up) {
  write_npz(path(), some_arrays());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{10000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message =
      refusal(path(), [&] { write_npz(path(), {{"w", Tensor(Shape{100000}, DType::f32)}}); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot be written: File too large; free some space or write elsewhere");
  EXPECT_EQ(read_npz(path()), some_arrays());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace tutti
