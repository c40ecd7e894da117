// SPDX-License-Identifier: Apache-2.0
// Reports of `tutti mpi-info` made by hand: without MPI, and of hosts that are not here.
#include "tutti/cli/mpi/mpi_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tutti/base/error.hpp"
#include "tutti/cli/mpi/mpi_survey.hpp"
#include "tutti/cli/mpi/mpi_traps.hpp"
#include "tutti/cli/words/options.hpp"

namespace tutti::cli {
namespace {

MpiProcess process_on(const std::string& host) {
  const MpiVersion mpi{"Open MPI 4.1.4", "3.1"};
  return {.host = host,
          .processors = 4,
          .processors_of_host = 4,
          .instruction_set = "AVX2",
          .tutti = "0.1.0",
          .built_with = mpi,
          .runs_with = mpi,
          .threads = MpiThreads::multiple};
}

/// One process on each of `hosts`, which may repeat.
MpiReport report_of(const std::vector<std::string>& hosts) {
  MpiReport report;
  for (const std::string& host : hosts) report.processes.push_back(process_on(host));
  report.started = static_cast<int>(hosts.size());
  return report;
}

using Lines = std::vector<std::string>;

TEST(mpi_info, shows_processes_by_host_with_boxes_and_links) {
  MpiReport report = report_of({"big", "small", "big"});
  report.processes[1].processors = 2;
  report.processes[1].processors_of_host = 2;
  report.mesh = "i=6";
  report.boxes = boxes_of("i=6", "", 3);
  report.links = {{.process = 2, .latency_us = 0.5, .gb_per_second = 8},
                  {.process = 1, .latency_us = 12.345, .gb_per_second = 1.25}};
  EXPECT_EQ(mpi_report_text(report),
            R"(tutti:     0.1.0
MPI:       Open MPI 4.1.4 (MPI 3.1), built with Open MPI 4.1.4 (MPI 3.1)
threads:   MPI_THREAD_MULTIPLE
processes: 3 on 2 hosts
mesh:      i=6

process  host   processors  kernels  devices
      0  big    4 of 4      AVX2     i 0..1
      2  big    4 of 4      AVX2     i 4..5
      1  small  2 of 2      AVX2     i 2..3

link                8 bytes   4 MiB
0 to 2  same host   0.50 us   8.00 GB/s
0 to 1  other host  12.35 us  1.25 GB/s

traps:
- hint: host big has 2 processes; one per host with MachineOptions::workers sends less: )"
            "mpirun --map-by ppr:1:node --bind-to none\n");
}

TEST(mpi_info, shows_one_process_without_links_and_how_to_start_more) {
  EXPECT_EQ(mpi_report_text(report_of({"here"})), R"(tutti:     0.1.0
MPI:       Open MPI 4.1.4 (MPI 3.1), built with Open MPI 4.1.4 (MPI 3.1)
threads:   MPI_THREAD_MULTIPLE
processes: 1; to start more: mpirun -n 4 tutti mpi-info

process  host  processors  kernels
      0  here  4 of 4      AVX2

traps:     none found
)");
}

TEST(mpi_info, is_json_with_the_same_facts) {
  MpiReport report = report_of({"here", "here"});
  report.processes[1].processors = 3;
  report.processes[0].built_with.library = "";
  report.mesh = "i=4";
  report.boxes = boxes_of("i=4", "", 2);
  report.links = {{.process = 1, .latency_us = 0.5, .gb_per_second = 8}};
  const auto json = nlohmann::ordered_json::parse(mpi_report_json(report).dump());
  EXPECT_EQ(json["mesh"], "i=4");
  EXPECT_EQ(json["processes"][0]["built_with"].dump(), R"({"library":null,"standard":"3.1"})");
  EXPECT_EQ(json["processes"][1].dump(),
            R"({"process":1,"host":"here","processors":3,"processors_of_host":4,"instruction_set":"AVX2",)"
            R"("tutti":"0.1.0","mpi":{"library":"Open MPI 4.1.4","standard":"3.1"},)"
            R"("built_with":{"library":"Open MPI 4.1.4","standard":"3.1"},"threads":"MPI_THREAD_MULTIPLE",)"
            R"("devices":{"i":{"first":2,"size":2}}})");
  EXPECT_EQ(json["links"].dump(),
            R"([{"process":1,"is_on_same_host":true,"latency_us":0.5,"gb_per_second":8.0}])");
  EXPECT_EQ(json["traps"].dump(), "[]");
  const auto of_one = mpi_report_json(report_of({"here"}));
  EXPECT_TRUE(of_one["mesh"].is_null());
  EXPECT_TRUE(of_one["processes"][0]["devices"].is_null());
}

TEST(mpi_info, shortens_the_version_of_mpi) {
  EXPECT_EQ(short_mpi_version("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI 4.1.4");
  EXPECT_EQ(short_mpi_version("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7"),
            "MPICH Version: 4.0.2");
  EXPECT_EQ(short_mpi_version("Some vendor's MPI \n"), "Some vendor's MPI");
  EXPECT_EQ(short_mpi_version(""), "");
}

// --- Boxes ------------------------------------------------------------------------------------------

std::string text_of(const std::vector<MpiBox>& boxes) {
  std::string text;
  for (const MpiBox& box : boxes) text += to_string(box) + "; ";
  return text;
}

TEST(mpi_info, has_boxes_as_open_mpi_makes_them) {
  EXPECT_EQ(text_of(boxes_of("data=4,model=2", "", 2)), "data 0..1, model 0..1; data 2..3, model 0..1; ");
  EXPECT_EQ(text_of(boxes_of("data=4,model=2", "model=2", 2)), "data 0..3, model 0; data 0..3, model 1; ");
  EXPECT_EQ(text_of(boxes_of("data=3", "", 1)), "data 0..2; ");
}

std::string refusal_of(const std::string& mesh, const std::string& split, int count) try {
  return text_of(boxes_of(mesh, split, count));
} catch (const Error& error) {
  return std::string(error.label()) + " " + error.message();
}

TEST(mpi_info, refuses_what_open_mpi_refuses) {
  EXPECT_EQ(refusal_of("i=8", "", 3), "R004 3 processes do not divide the mesh i=8; start 1, 2, 4, 8");
  EXPECT_EQ(refusal_of("i=8", "i=2", 4),
            "R004 split: there are 2 boxes, and 4 processes; start 2, or change the split");
  EXPECT_EQ(refusal_of("i=8", "j=2", 2),
            "T001 split: there is no axis 'j', the mesh is i=8; use one of its axes");
  EXPECT_EQ(refusal_of("i=0", "", 1), "T014 mesh: axis 'i' has size 0; a size is at least 1");
  EXPECT_EQ(refusal_of("i=2", "i=0", 1), "T014 --split: axis 'i' has size 0; a size is at least 1");
}

TEST(mpi_info, refuses_a_split_without_a_mesh) {
  try {
    mpi_info({.mesh = "", .split = "i=2", .json = false});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::usage);
    EXPECT_EQ(error.message(), "--split i=2: there is no mesh to split; give one with --mesh");
  }
}

// This test program compiles the command without MPI.
TEST(mpi_info, is_refused_without_mpi) {
  try {
    mpi_info({});
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::device);
    EXPECT_EQ(error.message(),
              "mpi-info: this program was built without MPI; install libopenmpi-dev and build it again");
  }
}

// --- Traps ------------------------------------------------------------------------------------------

TEST(mpi_traps, are_not_found_where_there_are_none) {
  EXPECT_EQ(traps_of(report_of({"a"})), Lines{});
  EXPECT_EQ(traps_of(report_of({"a", "a", "a", "a"})), Lines{});
  EXPECT_EQ(traps_of(report_of({"a", "b"})), Lines{});
}

TEST(mpi_traps, are_processes_that_a_foreign_launcher_has_started) {
  MpiReport report = report_of({"a"});
  report.started = 4;
  EXPECT_EQ(traps_of(report),
            Lines{"4 processes were started, and MPI sees 1: the launcher belongs to another MPI; take the "
                  "mpirun of Open MPI 4.1.4 (MPI 3.1), or with Slurm srun --mpi=pmix"});
}

TEST(mpi_traps, are_processes_that_differ) {
  MpiReport report = report_of({"a", "b", "c", "d"});
  report.processes[1].tutti = "0.2.0";
  report.processes[2].runs_with.library = "Open MPI 4.1.5";
  report.processes[3].instruction_set = "AVX3";
  EXPECT_EQ(traps_of(report), (Lines{"process 1 on host b has Tutti 0.2.0, process 0 has Tutti 0.1.0: "
                                     "open_mpi refuses them (R007); install one version on all hosts",
                                     "process 2 on host c has Open MPI 4.1.5 (MPI 3.1), process 0 has Open "
                                     "MPI 4.1.4 (MPI 3.1): their messages may not fit; load the same MPI on "
                                     "all hosts",
                                     "process 3 on host d has AVX3 kernels, process 0 has AVX2 kernels: "
                                     "open_mpi refuses them (R007); take hosts with one kind of processor"}));
}

TEST(mpi_traps, are_an_mpi_of_another_major_version) {
  MpiReport report = report_of({"a", "b"});
  for (MpiProcess& process : report.processes) process.runs_with.library = "Open MPI 5.0.7";
  EXPECT_EQ(traps_of(report),
            Lines{"on host a Tutti was built with Open MPI 4.1.4 and runs with Open MPI 5.0.7: their calls "
                  "may differ; load the MPI that it was built with, or build Tutti again"});
  for (MpiProcess& process : report.processes) process.runs_with.library = "Open MPI 4.2.0";
  EXPECT_EQ(traps_of(report), Lines{});
  for (MpiProcess& process : report.processes) process.built_with.library = "";  // not known
  EXPECT_EQ(traps_of(report), Lines{});
}

TEST(mpi_traps, are_threads_that_may_not_call_mpi) {
  MpiReport report = report_of({"a", "a"});
  report.processes[1].threads = MpiThreads::serialized;
  EXPECT_EQ(traps_of(report), Lines{});
  EXPECT_NE(mpi_report_text(report).find("\nthreads:   MPI_THREAD_SERIALIZED: works; calls from several "
                                         "threads take turns\n"),
            std::string::npos)
      << mpi_report_text(report);
  report.processes[1].threads = MpiThreads::funneled;
  EXPECT_EQ(traps_of(report), Lines{"MPI gives MPI_THREAD_FUNNELED: only the main thread of a process may "
                                    "use a machine, and nothing travels while it computes; take an MPI that "
                                    "gives MPI_THREAD_MULTIPLE"});
}

TEST(mpi_traps, are_bindings_that_leave_processors_idle) {
  MpiReport report = report_of({"a", "a"});
  for (MpiProcess& process : report.processes) process.processors = 1;
  EXPECT_EQ(traps_of(report),
            Lines{"host a: 2 processes may use 2 of 4 processors (Open MPI binds each process to one core at "
                  "-n 1 and -n 2); say mpirun --bind-to none; for one process per host, with "
                  "MachineOptions::workers, --map-by node --bind-to none"});
  for (MpiProcess& process : report.processes) process.processors = 2;
  EXPECT_EQ(traps_of(report), Lines{});
}

TEST(mpi_traps, are_more_processes_than_processors) {
  EXPECT_EQ(traps_of(report_of({"a", "a", "a", "a", "a"})),
            Lines{"host a: 5 processes on 4 processors take turns; start fewer there, or set "
                  "OMPI_MCA_mpi_yield_when_idle=1"});
}

TEST(mpi_traps, end_with_a_hint_if_hosts_have_several_processes) {
  EXPECT_EQ(traps_of(report_of({"a", "b", "b"})),
            Lines{"hint: host b has 2 processes; one per host with MachineOptions::workers sends less: "
                  "mpirun --map-by ppr:1:node --bind-to none"});
}

}  // namespace
}  // namespace tutti::cli
