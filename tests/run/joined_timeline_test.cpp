// SPDX-License-Identifier: Apache-2.0
// The trace of several processes: one file, which process 0 makes of those of all.
#include "tutti/run/watch/joined_timeline.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/run/harness.hpp"
#include "tests/support/file_text.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/run/local_backend.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// Process 0 closes its machine last: it waits for the others for one second only.
TEST(joined_timelines, have_the_tracks_of_all_processes) {
  const TemporaryName trace("joined.json"), second("joined.1.json"), third("joined.2.json");
  const Mesh mesh({{"i", 3}});
  std::latch others_have_closed(2);
  as_processes(3, [&](int self, std::unique_ptr<Transport> transport) {
    {
      const Machine machine(
          std::make_shared<LocalBackend>(Processes::of(mesh, 3, self), std::move(transport),
                                         MachineOptions{.workers = 1, .trace = trace.path()}));
      const auto run = machine.compile(shard_map([](Array v) { return psum(v, "i"); },
                                                 {.mesh = mesh, .in = P("i"), .out = P()}),
                                       abstract({6}, DType::f32));
      const Array x = Tensor({6}, std::vector<float>(6, 1.0F));
      for (int call = 0; call < 2; ++call) run(x);
      if (self == 0) others_have_closed.wait();
    }
    if (self > 0) others_have_closed.count_down();
  });
  EXPECT_FALSE(std::filesystem::exists(second.path()) || std::filesystem::exists(third.path()));

  const auto file = nlohmann::json::parse(text_of_file(trace.path()));
  EXPECT_EQ(file.at("otherData").at("events_left_out"), 0);
  std::map<int, std::string> names;
  std::map<int, int> calls;
  for (const auto& event : file.at("traceEvents")) {
    const int pid = event.at("pid");
    if (event.at("name") == "process_name") names[pid] = event.at("args").at("name");
    if (event.at("ph") != "X") continue;
    calls[pid] += event.at("cat") == "call" ? 1 : 0;
    EXPECT_GE(event.at("ts").get<double>(), 0);
  }
  EXPECT_EQ(names, (std::map<int, std::string>{{1, "process 0 of tutti on i=3"},
                                               {2, "process 1 of tutti on i=3"},
                                               {3, "process 2 of tutti on i=3"}}));
  EXPECT_EQ(calls, (std::map<int, int>{{1, 2}, {2, 2}, {3, 2}}));
}

TEST(joined_timelines, stay_apart_while_a_process_records) {
  const TemporaryName trace("apart.json"), second("apart.1.json");
  const Mesh mesh({{"i", 2}});
  std::latch are_open(2), has_closed(1);
  as_processes(2, [&](int self, std::unique_ptr<Transport> transport) {
    {
      const LocalBackend machine(Processes::of(mesh, 2, self), std::move(transport),
                                 MachineOptions{.workers = 1, .trace = trace.path()});
      are_open.arrive_and_wait();
      if (self == 1) has_closed.wait();
    }
    if (self == 0) has_closed.count_down();
  });
  EXPECT_EQ(text_of_file(trace.path()).find("\"pid\":2"), std::string::npos);
  EXPECT_NE(text_of_file(second.path()).find("\"pid\":2"), std::string::npos);
}

// Process 1 began 1.5 us later, and left three events out. Process 2 has something else, process 3 nothing,
// process 4 has what an earlier job left.
TEST(joined_timelines, have_one_clock) {
  const TemporaryName trace("clock.json"), second("clock.1.json"), third("clock.2.json"),
      fifth("clock.4.json");
  const auto write = [](const std::string& path, std::int64_t began, const std::string& event, int left_out,
                        int job = 8) {
    std::ofstream(path) << "{\"displayTimeUnit\":\"ns\",\"beganUnixNs\":" << began << ",\"job\":" << job
                        << ",\"traceEvents\":[\n{\"ph\":\"M\"},\n"
                        << event << "\n],\"otherData\":{\"events_left_out\":   " << left_out << "}}\n";
  };
  write(trace.path(), 1'000'000, R"({"name":"a","args":{"ts":7},"pid":1,"tid":1,"ts":0.250,"dur":1.000})", 0);
  write(second.path(), 1'001'500, R"({"name":"b","args":{},"pid":2,"tid":1,"ts":1.000,"dur":1.000})", 3);
  std::ofstream(third.path()) << "something else\n";
  write(fifth.path(), 1'002'000, R"({"name":"c","args":{},"pid":5,"tid":1,"ts":1.000,"dur":1.000})", 0, 7);
  EXPECT_TRUE(join_timelines(trace.path(), 5));
  EXPECT_EQ(text_of_file(trace.path()),
            R"({"displayTimeUnit":"ns","beganUnixNs":1000000,"job":8,"traceEvents":[
{"ph":"M"},
{"name":"a","args":{"ts":7},"pid":1,"tid":1,"ts":0.250,"dur":1.000},
{"ph":"M"},
{"name":"b","args":{},"pid":2,"tid":1,"ts":2.500,"dur":1.000}
],"otherData":{"events_left_out":3}}
)");
  EXPECT_FALSE(std::filesystem::exists(second.path()));
  EXPECT_TRUE(std::filesystem::exists(fifth.path()));
  EXPECT_EQ(text_of_file(third.path()), "something else\n");
}

}  // namespace
}  // namespace tutti
