// SPDX-License-Identifier: Apache-2.0
// Machines of several processes on two hosts, which are network namespaces: their messages go by TCP.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/command.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti {
namespace {

Finished run_on_two_hosts(const std::string& program, int processes) {
  return run_command(fmt::format(
      "ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" timeout 300 tools/two_hosts --rate 2gbit {} {}/{}",
      processes, program_folder(), program));
}

/// Where this machine lets nobody make namespaces, there are no two hosts, in CI neither.
class two_hosts : public testing::Test {
 protected:
  void SetUp() override {
    if (has_sanitizer()) GTEST_SKIP() << "the sanitizers run the same on one host";
    static const Finished can = run_command("tools/two_hosts --can");
    if (can.status != 0) GTEST_SKIP() << can.out;
  }
};

TEST_F(two_hosts, send_each_other_no_more_than_they_must) {
  const Finished run = run_on_two_hosts("mpi_worker bytes_between_hosts", 2);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST_F(two_hosts, give_the_bits_of_one_process_for_generated_programs) {
  const Finished run = run_on_two_hosts("mpi_worker generated", 4);
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

TEST_F(two_hosts, train_digits_to_the_bits_of_one_process) {
  const auto loss = [](const Finished& run) {
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out.substr(run.out.find('\n'));  // the first line names the machine
  };
  EXPECT_EQ(loss(run_on_two_hosts("digits --steps 20 --machine mpi", 4)),
            loss(run_command(program_folder() + "/digits --steps 20")));
}

TEST_F(two_hosts, are_shown_by_the_tool) {
  const Finished run = run_on_two_hosts("tutti mpi-info --mesh i=4", 4);
  EXPECT_NE(run.out.find("processes: 4 on 2 hosts\n"), std::string::npos) << run.out << run.err;
}

}  // namespace
}  // namespace tutti
