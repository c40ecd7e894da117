// SPDX-License-Identifier: Apache-2.0
// A file that is replaced while it is read is the old one or the new one, never a damaged one.
#include <sys/wait.h>

#include <chrono>
#include <csignal>

#include "tests/tensor/failing_calls.hpp"
#include "tests/tensor/file_test.hpp"
#include "tutti/tensor/files/npy.hpp"
#include "tutti/tensor/files/npz.hpp"

namespace tutti {
namespace {

class replaced_file : public FileTest {
 protected:
  replaced_file() : FileTest("replaced") { write(small_); }

  static Tensor filled(std::int64_t elements, float value) {
    return {Shape{elements}, std::vector<float>(static_cast<std::size_t>(elements), value)};
  }
  void write(const Tensor& tensor) const {
    write_npy(path("x.npy"), tensor);
    write_npz(path("x.npz"), {{"w", tensor}, {"step", Tensor::scalar(1.0F)}});
  }
  bool is_old_or_new(const Tensor& tensor) const { return tensor == small_ || tensor == large_; }
  void read_both() const {
    EXPECT_TRUE(is_old_or_new(read_npy(path("x.npy"))));
    const NamedTensors arrays = read_npz(path("x.npz"));
    ASSERT_EQ(arrays.size(), 2U);
    EXPECT_TRUE(is_old_or_new(arrays[0].second));
  }

  const Tensor small_ = filled(3, 1), large_ = filled(5000, 2);
};

TEST_F(replaced_file, is_what_was_opened_if_another_takes_its_name_at_once) {
  for (int i = 0; i < 4; ++i) {
    const AfterEachOpen replaces([&, turn = i]() mutable { write(++turn % 2 == 0 ? small_ : large_); });
    read_both();
  }
}

// Two processes as in life: one saves, one reads.
TEST_F(replaced_file, is_the_old_or_the_new_one_while_another_process_saves) {
  const pid_t writer = fork();
  ASSERT_GE(writer, 0);
  if (writer == 0) {
    alarm(60);
    for (;;) {
      write(large_);
      write(small_);
    }
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end && !HasFailure()) EXPECT_NO_THROW(read_both());
  EXPECT_EQ(kill(writer, SIGKILL), 0);
  waitpid(writer, nullptr, 0);
}

}  // namespace
}  // namespace tutti
