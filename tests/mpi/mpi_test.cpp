// SPDX-License-Identifier: Apache-2.0
// Machines of several processes, started by mpirun: mpi_worker checks, this looks at how it ends.
#include <fmt/format.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>

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
Finished run_in_processes(const std::string& program, int processes) {
  static const std::string options = options_of_launcher();
  return run_command(
      fmt::format("ASAN_OPTIONS=\"$ASAN_OPTIONS:detect_leaks=0\" OMPI_MCA_mpi_yield_when_idle=1 "
                  "timeout -k 20 300 {} {} -n {} {}/{}",
                  launcher, options, processes, program_folder(), program));
}

Finished run_worker(const std::string& part, int processes) {
  return run_in_processes("mpi_worker " + part, processes);
}

std::string bytes_of(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
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
TEST_F(mpi, gives_the_bits_of_one_process_to_three_processes) {
  if (has_sanitizer()) GTEST_SKIP() << "takes minutes with a sanitizer; generated_on_processes runs the like";
  expect_passed("generated", 3);
}
TEST_P(mpi_processes, share_machines) { expect_passed("machines", GetParam()); }

TEST_F(mpi, exchanges_messages_of_all_sizes_and_names_those_that_differ) { expect_passed("messages", 2); }
TEST_F(mpi, is_initialised_and_finalised_by_the_library) {
  expect_passed("machines_of_the_library", 2);
  EXPECT_NE(run_worker("machines_of_the_library", 2).out.find("process 1 finalises MPI"), std::string::npos);
}
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

TEST_F(mpi, refuses_on_all_processes_what_one_refuses) {
  const Finished run = run_worker("limits", 2);
  EXPECT_NE(run.out.find("process 1: open_mpi: limit_seconds -1; ask for more than 0, or 0 to wait for ever"),
            std::string::npos)
      << run.out << run.err;
  EXPECT_NE(run.out.find("process 0: open_mpi: process 1 has failed here: limit_seconds -1;"),
            std::string::npos)
      << run.out << run.err;
}

TEST_F(mpi, waits_its_limit_for_others_to_open_their_machine) {
  const Finished run = run_worker("alone", 2);
  EXPECT_EQ(run.status, 5) << run.out << run.err;
  EXPECT_NE(run.out.find("open_mpi: not all processes of the communicator have opened a machine of it for "
                         "0.5 s"),
            std::string::npos)
      << run.out << run.err;
}

// --- The examples -----------------------------------------------------------------------------------

TEST_P(mpi_processes, train_digits_to_the_bits_of_one) {
  if (has_sanitizer())
    GTEST_SKIP() << "takes minutes with a sanitizer; the examples' processes.train_digits runs the same";
  const std::string folder = testing::TempDir() + "mpi_digits." + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  const auto train = [&](int processes, const std::string& machine) {
    const std::string options = fmt::format("digits --steps 20 {0} --curve {1}/{2}.txt --save {1}/{2}.npz",
                                            machine, folder, processes);
    return processes == 1 ? run_command(program_folder() + "/" + options)
                          : run_in_processes(options, processes);
  };
  const Finished one = train(1, ""), many = train(GetParam(), "--machine mpi --every 7");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(many.status, 0) << many.err;
  EXPECT_EQ(many.out.substr(many.out.find('\n')),
            one.out.substr(one.out.find('\n')));  // the first line names the machine
  for (const char* kind : {"txt", "npz"})
    EXPECT_EQ(bytes_of(fmt::format("{}/{}.{}", folder, GetParam(), kind)),
              bytes_of(fmt::format("{}/1.{}", folder, kind)))
        << kind;
  const auto go_on = [&](const std::string& to) {
    return fmt::format("digits --steps 23 --load {0}/1.npz --save {0}/{1}.npz", folder, to);
  };
  EXPECT_EQ(run_command(program_folder() + "/" + go_on("on")).status, 0);
  const Finished on = run_in_processes(go_on("on_many") + " --machine mpi", GetParam());
  EXPECT_EQ(on.status, 0) << on.err;
  EXPECT_EQ(bytes_of(folder + "/on_many.npz"), bytes_of(folder + "/on.npz"));
  std::filesystem::remove_all(folder);
}

TEST_F(mpi, is_asked_for_where_several_processes_were_started) {
  const Finished run = run_in_processes("digits --steps 1", 2);
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(
      run.err.find(
          "digits: error[R004]: 2 processes were started, and each would do all the work; say --machine mpi"),
      std::string::npos)
      << run.err;
}

// --- tutti mpi-info ---------------------------------------------------------------------------------

TEST_F(mpi, is_shown_by_the_tool_once_for_all_processes) {
  const Finished run = run_in_processes("tutti mpi-info --mesh i=4", 2);
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out.rfind("tutti:     "), 0U) << run.out;  // one process prints
  const std::regex report("processes: 2 on 1 host\n(.*\n)+ +0 .* i 0\\.\\.1\n +1 .* i 2\\.\\.3\n\n"
                          "link .*\n0 to 1  same host +[0-9.]+ us +[0-9.]+ GB/s\n");
  EXPECT_TRUE(std::regex_search(run.out, report)) << run.out;
}

TEST_F(mpi, refuses_in_the_tool_a_mesh_that_the_processes_do_not_divide) {
  const Finished run = run_in_processes("tutti mpi-info --mesh i=3", 2);
  EXPECT_EQ(run.status, 5) << run.out;
  EXPECT_EQ(run.out, "");
  const std::string line = "tutti: error[R004]: 2 processes do not divide the mesh i=3; start 1, 3\n";
  const std::size_t at = run.err.find(line);
  EXPECT_NE(at, std::string::npos) << run.err;
  EXPECT_EQ(at, run.err.rfind("tutti: error")) << run.err;  // one process says so
}

TEST_F(mpi, has_one_process_that_says_why_all_fail) {
  const Finished run = run_in_processes("digits --machine mpi --load nowhere.npz", 2);
  EXPECT_EQ(run.status, 4) << run.err;
  const std::string line = "digits: error[R001]: load_tree: 'nowhere.npz' cannot be read";
  const std::size_t at = run.err.find(line);
  EXPECT_NE(at, std::string::npos) << run.err;
  EXPECT_EQ(at, run.err.rfind("digits: error")) << run.err;
}

TEST_F(mpi, is_not_for_what_one_process_writes) {
  const Finished run = run_in_processes("digits --stablehlo -", 2);
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("--stablehlo: 2 processes were started, and each would write it; start one"),
            std::string::npos)
      << run.err;
}

// --- Process 1 of three fails; the others wait for one second --------------------------------------

class mpi_faults : public mpi {
 protected:
  /// `said`: what processes 0 and 2 print, with {} for their numbers and those of each other.
  static Finished expect_fault(const std::string& part, int status, const std::string& said) {
    const auto start = std::chrono::steady_clock::now();
    Finished run = run_worker(part, 3);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(run.status, status) << run.out << run.err;
    EXPECT_LT(took.count(), 20) << run.out << run.err;  // it would be for ever
    if (said.empty()) return run;
    int found = 0;
    for (const auto& [process, other] : {std::pair(0, 2), std::pair(2, 0)})
      if (run.out.find(fmt::format(fmt::runtime(said), process, other)) != std::string::npos) ++found;
    EXPECT_GT(found, 0) << run.out << run.err;  // mpirun may end one before it says its words
    return run;
  }
};

TEST_F(mpi_faults, of_a_process_that_is_stopped_are_named) {
  expect_fault(
      "stop", 5,
      "process {0} within 2 s: all_reduce: process 1 has not come here for 1 s and does not answer: it has "
      "ended, is stopped, or computes for longer than that (see limit_seconds)");
}

TEST_F(mpi_faults, of_a_process_that_is_busy_are_named) {
  expect_fault(
      "pause", 5,
      "process {0} within 2 s: all_reduce: process 1 has not come here for 1 s and does not answer: it has "
      "ended, is stopped, or computes for longer than that (see limit_seconds)");
}

TEST_F(mpi_faults, of_a_process_leave_nothing_wrong_to_one_that_comes_late) {
  const Finished run = run_worker("late", 3);
  EXPECT_EQ(run.status, 5) << run.out << run.err;
  EXPECT_NE(run.out.find("process 1: permute: process 0 has left: process 1 has not come here for 1 s"),
            std::string::npos)
      << run.out << run.err;
}

TEST_F(mpi_faults, of_a_process_whose_call_is_stopped_are_told_with_its_text) {
  const Finished run = run_worker("stopped_call", 3);
  EXPECT_EQ(run.status, 5) << run.out << run.err;
  const std::string said = "stopped before this step, because MachineOptions::stop was requested\n";
  EXPECT_TRUE(std::regex_search(run.out, std::regex("process 1: R008 [a-z_]+: " + said))) << run.out;
  for (const char* other : {"0", "2"})
    EXPECT_TRUE(std::regex_search(run.out, std::regex(std::string("process ") + other +
                                                      ": R007 .*process 1 has left: .*faults.cpp:[0-9]+: " +
                                                      "[a-z_]+: " + said)))
        << run.out;
}

TEST_F(mpi_faults, of_a_process_that_does_something_else_are_named) {
  expect_fault("another_call", 5,
               "process {0} within 2 s: all_reduce: process 1 has not come here for 1 s and waits elsewhere: "
               "at place");
}

TEST_F(mpi_faults, of_a_process_that_closes_its_machine_are_told_at_once) {
  const Finished run =
      expect_fault("end", 5,
                   "process {0} within 1 s: all_reduce: process 1 has left: it has closed the machine");
  // mpirun of Open MPI 4.1 may hang if it ends a process that is there.
  EXPECT_EQ(run.out.find("finalises MPI"), std::string::npos) << run.out;
}

TEST_F(mpi_faults, of_a_process_that_ends_by_an_error_end_the_job) {
  EXPECT_NE(expect_fault("error", 4, "").out.find("process 1: its file is gone"), std::string::npos);
}

TEST_F(mpi_faults, of_a_process_that_exits_end_the_job) { expect_fault("exit", 4, ""); }
TEST_F(mpi_faults, of_a_process_that_is_killed_end_the_job) {
  const Finished run = expect_fault("kill", 137, "");
  EXPECT_NE(run.err.find(" was told to end while it waited for process 1 in all_reduce, "), std::string::npos)
      << run.out << run.err;
}

}  // namespace
}  // namespace tutti
