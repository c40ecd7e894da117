// SPDX-License-Identifier: Apache-2.0
// A trace that cannot be written on: calls lose nothing by it, the file stays whole, and its machine says why
// it ends.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tests/support/timeline_file.hpp"
#include "tutti/base/error.hpp"
#include "tutti/control/flow/loops.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/run/machine.hpp"
#include "tutti/run/watch/timeline.hpp"

namespace tutti {
namespace {

/// While it lives, files of this process end at a size, as on a full disk. Only the message differs.
class FullAt {
 public:
  explicit FullAt(std::uintmax_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FullAt() {
    setrlimit(RLIMIT_FSIZE, &before_);
    static_cast<void>(std::signal(SIGXFSZ, handler_));
  }
  FullAt(const FullAt&) = delete;
  FullAt& operator=(const FullAt&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

class TraceFailures : public testing::Test {
 protected:
  Machine opened() const { return open_local(Mesh(), {.trace = file_.path()}); }
  TimelineFile read() const { return read_timeline(file_.path(), 1); }
  std::uintmax_t size() const { return std::filesystem::file_size(file_.path()); }
  std::string too_large() const { return "'" + file_.path() + "' cannot be written: File too large"; }

  static Array one_more(const Array& x) { return x + 1.0; }
  static Array hundred_more(const Array& x) {
    return fori_loop(0, 100, [](const Array&, const Array& c) { return c + 1.0; }, x);
  }
  static Array many_more(const Array& x) {
    return fori_loop(0, 20'000, [](const Array&, const Array& c) { return c + 1.0; }, x);
  }
  static Array start() { return Tensor({3}, std::vector<float>{1, 2, 4}); }

  TemporaryName file_{"failing.json"};
};

class a_full_disk : public TraceFailures, public testing::WithParamInterface<int> {};

TEST_P(a_full_disk, costs_no_result_and_leaves_the_file_whole) {
  Machine machine = opened();
  auto run = machine.compile(hundred_more, start());
  Array x = run(start());
  const std::size_t events = read().events.size();
  ASSERT_GE(events, 100U);  // to be told in more digits than none
  {
    FullAt limit(size() + static_cast<std::uintmax_t>(GetParam()));
    for (std::int64_t call = 1; call <= 3; ++call) {
      x = run(std::move(x));
      EXPECT_EQ(machine.trace_failure(), too_large());
      EXPECT_EQ(machine.events_left_out(), call * static_cast<std::int64_t>(events));
    }
  }
  EXPECT_EQ(run(std::move(x)).tensor(), Tensor({3}, std::vector<float>{501, 502, 504}));
  TimelineFile file = read();
  EXPECT_EQ(file.events.size(), events);
  EXPECT_EQ(file.left_out, static_cast<std::int64_t>(events));  // of the call in which it failed
}

// After as many bytes more: none, in the first event, in its middle.
INSTANTIATE_TEST_SUITE_P(, a_full_disk, testing::Values(0, 1, 60), testing::PrintToStringParamName());

TEST_F(TraceFailures, in_the_middle_of_a_long_call_keep_what_was_written_of_it) {
  std::size_t all = 0;
  {
    Machine machine = opened();
    machine.compile(many_more, start())(start());
    all = read().events.size();
  }
  const std::uintmax_t half = size() / 2;
  ASSERT_GT(half, std::uintmax_t{1} << 20);
  Machine machine = opened();
  auto run = machine.compile(many_more, start());
  FullAt limit(half);
  EXPECT_EQ(run(start()).tensor(), Tensor({3}, std::vector<float>{20'001, 20'002, 20'004}));
  EXPECT_EQ(machine.trace_failure(), too_large());
  TimelineFile file = read();
  EXPECT_GT(file.events.size(), 0U);
  EXPECT_EQ(file.events.size() + static_cast<std::size_t>(machine.events_left_out()), all);
}

TEST_F(TraceFailures, do_not_hide_why_a_call_fails) {
  Team team(1);
  Timeline recorder(1, file_.path());
  Opaque burning{[](const kernel::Unit&) { throw Error(Code::device, {}, "it is on fire"); }};
  Executable executable(test_program(Mesh(), {{DType::f32, {3}}},
                                     [&](const Arrays& x) { return Builder::current().add(burning, x); }, {}),
                        Mesh(), team, {.timeline = &recorder});
  FullAt limit(size());
  try {
    executable.run({start().data()});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it is on fire"), std::string::npos) << error.what();
  }
  EXPECT_EQ(recorder.failure(), too_large());
}

TEST_F(TraceFailures, at_once_are_errors) {
  for (const auto& [path, why] : {std::pair{"/dev/full", "No space left on device"},
                                  {"no/folder/t.json", "No such file or directory"},
                                  {"tests", "Is a directory"}})
    try {
      open_local(Mesh(), {.trace = path}, Where{"model.cpp", 7});
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::file);
      EXPECT_EQ(error.what(),
                std::string("model.cpp:7: open_local: '") + path + "' cannot be written: " + why);
    }
}

TEST_F(TraceFailures, of_a_second_machine_on_the_file_of_the_first_are_errors) {
  TemporaryName other("other_name.json");
  std::filesystem::create_symlink(file_.path(), other.path());
  std::optional<Machine> first = opened();
  auto run = first->compile(one_more, start());
  run(start());
  const std::size_t events = read().events.size();
  for (const std::string& path : {file_.path(), other.path()}) {
    try {
      open_local(Mesh(), {.trace = path}, Where{"model.cpp", 7});
      FAIL() << "two machines write " << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::file);
      EXPECT_EQ(error.what(), "model.cpp:7: open_local: '" + path +
                                  "' is being written by another machine; name a file of its own for each");
    }
    run(start());
  }
  EXPECT_EQ(read().events.size(), 3 * events);
  first.reset();
  EXPECT_THROW(opened(), Error);  // its programs are still there
  run = open_local(Mesh()).compile(one_more, start());
  EXPECT_EQ(opened().trace_failure(), "");
  EXPECT_TRUE(read().events.empty());
}

TEST_F(TraceFailures, do_not_come_from_a_device_that_all_may_write) {
  Machine one = open_local(Mesh(), {.trace = "/dev/null"}), two = open_local(Mesh(), {.trace = "/dev/null"});
  for (const Machine& machine : {one, two}) machine.compile(one_more, start())(start());
  EXPECT_EQ(one.trace_failure() + two.trace_failure(), "");
}

}  // namespace
}  // namespace tutti
