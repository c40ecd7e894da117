// SPDX-License-Identifier: Apache-2.0
// Machines of several processes, started by mpirun: mpi_worker checks, this looks at how it ends.
#include <fmt/format.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "tests/support/command.hpp"
#include "tests/support/sanitizer.hpp"

namespace tutti {
namespace {

const std::string launcher = TUTTI_MPIEXEC;  // of the MPI that the library was built with

/// Open MPI refuses to start more processes than there are cores, or as root; and it leaves each of few
/// processes one core, which they cannot share.
std::string options_of_launcher() {
  const std::string version =
      run_command(launcher + " --version").out;  // "(OpenRTE) 4.1.4", "(Open MPI) 5.0.7"
  const bool is_open_mpi = version.find("Open") != std::string::npos;
  return is_open_mpi ? "--oversubscribe --allow-run-as-root --bind-to none" : "";
}

/// Processes that wait give way to others: there are more of them than cores. Leaks are MPI's own.
Finished run_worker(const std::string& part, int processes) {
  static const std::string options = options_of_launcher();
  return run_command(
      fmt::format("ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMPI_MCA_mpi_yield_when_idle=1 "
                  "timeout 300 {} {} -n {} {}/mpi_worker {}",
                  launcher, options, processes, program_folder(), part));
}

class mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (access(launcher.c_str(), X_OK) == 0) return;
    const std::string missing = "mpirun is missing (openmpi-bin)";
    ASSERT_FALSE(std::getenv("CI") || std::getenv("TUTTI_REQUIRE_ORACLES")) << missing;
    GTEST_SKIP() << missing;
  }

  static void expect_passed(const std::string& part, int processes) {
    const Finished run = run_worker(part, processes);
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    const std::string line = " checks\n";  // of every process
    int reports = 0;
    for (std::size_t at = 0; (at = run.out.find(line, at)) != std::string::npos; ++at) ++reports;
    EXPECT_EQ(reports, processes) << run.out << run.err;
  }
};

class mpi_processes : public mpi, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(of, mpi_processes, testing::Values(2, 4, 8), testing::PrintToStringParamName());

TEST_P(mpi_processes, give_the_bits_of_one_process_for_every_op) {
  if (has_sanitizer())
    GTEST_SKIP() << "takes minutes with a sanitizer; law processes runs the same on mailboxes";
  expect_passed("examples", GetParam());
}
TEST_P(mpi_processes, give_the_bits_of_one_process_for_generated_programs) {
  if (has_sanitizer()) GTEST_SKIP() << "takes minutes with a sanitizer; generated_on_processes runs the like";
  expect_passed("generated", GetParam());
}
TEST_P(mpi_processes, share_machines) { expect_passed("machines", GetParam()); }

TEST_F(mpi, exchanges_messages_of_all_sizes_and_names_those_that_differ) { expect_passed("messages", 2); }
TEST_F(mpi, is_initialised_and_finalised_by_the_library) { expect_passed("machines_of_the_library", 2); }
TEST_F(mpi, takes_calls_in_turn_where_it_says_so) { expect_passed("machines_in_turn", 2); }
TEST_F(mpi, takes_calls_from_its_main_thread_alone_where_it_says_so) { expect_passed("main_thread", 2); }
TEST_F(mpi, refuses_machines) { expect_passed("refusals", 2); }

TEST_F(mpi, is_one_process_without_mpirun) {
  const Finished run = run_command("ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" " + program_folder() +
                                   "/mpi_worker machines_of_the_library");
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

// Without the error of both processes one would wait for the other: in MPI_Finalize, or for a message.
TEST_F(mpi, ends_processes_that_open_different_machines) {
  const Finished run = run_worker("differences", 2);
  EXPECT_EQ(run.status, 5) << run.out << run.err;
  EXPECT_NE(run.out.find(
                "open_mpi: process 1 opens another machine than process 0: line 7 is `check_nans true`, "
                "there `check_nans false`\n"),
            std::string::npos)
      << run.out;
}

}  // namespace
}  // namespace tutti
