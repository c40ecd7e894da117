// SPDX-License-Identifier: Apache-2.0
// open_xla with the fake plugin: its calls of the plugin, and every error.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "tests/xla/fake_xla.hpp"
#include "tutti/tutti.hpp"

namespace tutti::xla {
namespace {

namespace fs = std::filesystem;
using fake_pjrt::Machine;

const Mesh pair({{"x", 2}});

class xla_machine : public FakeXla {
 protected:
  static tutti::Machine open(XlaOptions options = {}, const Mesh& mesh = pair) {
    options.plugin = fake_plugin_path();
    return open_xla(mesh, options);
  }
  /// One device's function: x + x, f32[2].
  static auto doubled_on(const tutti::Machine& machine) {
    return machine.compile(shard_map([](Array x) { return x + x; },
                                     {.mesh = pair, .in = P("x"), .out = P("x")}),
                           abstract({4}, DType::f32));
  }
  static Array four() { return Tensor(Shape{4}, {1.0F, 2.0F, 3.0F, 4.0F}); }
};

std::string content(const fs::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

TEST_F(xla_machine, runs_a_program_on_the_devices_of_its_mesh) {
  const tutti::Machine machine = open();
  EXPECT_EQ(machine.description(), "2 cpu devices of XLA (x=2)");
  EXPECT_EQ(machine.workers(), 0);
  const auto program = doubled_on(machine);
  EXPECT_EQ(program(four()).values<float>(), std::vector<float>(4));  // the fake computes zeros
  EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 2);
}

TEST_F(xla_machine, has_no_memory_to_fill) {
  try {
    open().empty({4}, DType::f32, P("x"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.label(), "R004");
    EXPECT_EQ(
        error.message(),
        "empty: 2 cpu devices of XLA (x=2) keep their memory to themselves; fill a Tensor and use place or "
        "from_shards");
  }
}

TEST_F(xla_machine, needs_borrowed_memory_until_the_call_returns) {
  auto mine = std::make_shared<std::vector<float>>(4, 1.0F);
  const std::weak_ptr<std::vector<float>> seen = mine;
  const auto program = doubled_on(open());
  Array x = Tensor::borrow({4}, *mine, mine);
  mine.reset();
  program(x);
  EXPECT_FALSE(seen.expired());
  x = Array();
  EXPECT_TRUE(seen.expired());
}

TEST_F(xla_machine, uploads_an_array_once_while_it_lives) {
  const auto program = doubled_on(open());
  {
    const Array x = four();
    program(x);
    program(x);
    EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 2);
    EXPECT_NE(program.explain().find("copied into place: 16 B by 2 calls, by the last one nothing\n"),
              std::string::npos)
        << program.explain();
    EXPECT_NE(program.explain().find("kept on the devices: 16 B"), std::string::npos) << program.explain();
  }
  program(four());  // given away: not kept
  EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 4);
  EXPECT_EQ(program.explain().find("kept on the devices"), std::string::npos) << program.explain();
}

TEST_F(xla_machine, gives_away_the_copy_of_an_array_that_is_given_away) {
  const auto program = doubled_on(open());
  Array x = four();
  program(x);
  program(std::move(x));
  EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 2);
  EXPECT_EQ(control.live("buffer"), 0);
}

TEST_F(xla_machine, refuses_ops_with_an_effect_where_it_cannot_call_back) {
  const auto noisy = [](Array x) {
    debug_print({"x {}", {"train.cpp", 8}}, x);
    return x;
  };
  for (const std::string platform : {"cpu", "cuda"}) {  // the fake plugin has no FFI
    machine({.platform = platform, .devices = {{0}, {1}}});
    expect_refusal(
        [&] { open().compile(noisy, abstract({4}, DType::f32)); }, Code::refused_rule,
        {"train.cpp:8: debug_print: lower is refused: lines are written on the local machine and on "
         "XLA's CPUs only"});
  }
}

TEST_F(xla_machine, places_an_array_at_once_and_leaves_what_lies_there) {
  const tutti::Machine machine = open();
  const Array x = machine.place(four(), P("x"));
  EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 2);
  EXPECT_EQ(machine.place(x, P("x")).data(), x.data());
  EXPECT_EQ(x.values<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(x.data()->shard(1), Tensor(Shape{2}, {3.0F, 4.0F}));
  const Array whole = machine.place(x, P());
  EXPECT_EQ(whole.data()->shard(1), Tensor(Shape{4}, {1.0F, 2.0F, 3.0F, 4.0F}));
}

TEST_F(xla_machine, gives_away_an_argument_without_another_owner) {
  const tutti::Machine machine = open();
  const auto program = doubled_on(machine);
  Array x = machine.place(four(), P("x")), kept = x;
  program(std::move(x));
  EXPECT_EQ(kept.values<float>(), (std::vector<float>{1, 2, 3, 4}));
  const std::weak_ptr<const GlobalArray> data = kept.data();
  program(std::move(kept));
  EXPECT_TRUE(data.expired());
}

TEST_F(xla_machine, programs_and_arrays_outlive_it) {
  auto program = doubled_on(open());
  const Array y = program(four());
  program = doubled_on(open());
  EXPECT_EQ(y.values<float>(), std::vector<float>(4));
}

TEST_F(xla_machine, shares_a_client_with_another_one_of_the_same_plugin) {
  const tutti::Machine first = open(), second = open();
  EXPECT_EQ(control.live("client"), 1);
}

TEST_F(xla_machine, takes_the_devices_that_are_named) {
  machine({.platform = "cuda", .devices = {{3}, {5}, {9}}});
  const tutti::Machine machine = open({.devices = {9, 3}});
  const Array x = machine.place(four(), P("x"));
  EXPECT_EQ(x.values<float>(), (std::vector<float>{1, 2, 3, 4}));
  expect_refusal([&] { open({.devices = {9}}); }, Code::device,
                 {"open_xla: 1 device number for the mesh x=2"});
  expect_refusal([&] { open({.devices = {9, 4}}); }, Code::device,
                 {"there is no device 4; platform cuda has"});
}

TEST_F(xla_machine, has_no_more_devices_than_the_plugin) {
  machine({.platform = "cuda", .devices = {{0}, {1}}});
  expect_refusal([&] { open({}, Mesh({{"x", 4}})); }, Code::device,
                 {"open_xla: xla: the mesh x=4 has 4 devices, and the plugin has 2"});
}

TEST_F(xla_machine, throws_a_late_error_where_a_result_is_looked_at_with_the_line_of_the_call) {
  machine({.platform = "cuda", .devices = {{0}, {1}}});
  const auto program = doubled_on(open());
  control.fail_late("PJRT_LoadedExecutable_Execute", 1, 8, "no room on device 1");
  const Array x = program(four(), Where{"train.cpp", 31});
  expect_refusal([&] { x.tensor(); }, Code::memory, {"train.cpp:31: call: xla: ", "no room on device 1"});
}

TEST_F(xla_machine, is_lost_with_a_device) {
  machine({.platform = "cuda", .devices = {{0}, {1}}});
  const tutti::Machine machine = open();
  const auto program = doubled_on(machine);
  const Array before = program(four());
  control.fail("PJRT_LoadedExecutable_Execute", 1, 14, "device 1 has fallen off the bus");
  expect_refusal([&] { program(four()); }, Code::device, {"call: xla: run: device 1 has fallen off the bus"});
  for (const auto& use : {std::function<void()>([&] { program(four()); }),
                          {[&] { machine.place(four(), P("x")); }},
                          {[&] { before.tensor(); }},
                          {[&] { doubled_on(machine); }}})
    expect_refusal(use, Code::device, {"a device was lost before: device 1 has fallen off the bus"});
}

TEST_F(xla_machine, tells_which_argument_has_no_room) {
  const auto program = doubled_on(open());
  control.fail("PJRT_Client_BufferFromHostBuffer", 2, 8, "no room");
  expect_refusal([&] { program(four()); }, Code::memory, {"argument", "xla: upload: no room"});
}

TEST_F(xla_machine, frees_its_copies_before_it_gives_up_an_upload) {
  const tutti::Machine machine = open();
  const auto program = doubled_on(machine);
  const Array x = four(), y = four();
  program(x);
  control.fail("PJRT_Client_BufferFromHostBuffer", 1, 8, "no room");
  program(y);
  program(x);  // again
  EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 7);
}

TEST_F(xla_machine, frees_its_copies_before_it_gives_up_a_call) {
  const tutti::Machine machine = open();
  const auto program = doubled_on(machine);
  const Array x = four(), y = four();
  program(x);
  control.fail("PJRT_LoadedExecutable_Execute", 1, 8, "no room");
  EXPECT_EQ(program(y).values<float>(), std::vector<float>(4));
  EXPECT_EQ(calls("PJRT_LoadedExecutable_Execute"), 3);
  control.fail("PJRT_LoadedExecutable_Execute", 1, 8, "no room");
  expect_refusal([&] { program(four()); }, Code::memory, {"call: xla: run: no room"});  // it keeps no copy
}

TEST_F(xla_machine, does_not_give_an_argument_away_twice) {
  const tutti::Machine machine = open();
  const auto program = doubled_on(machine);
  const Array x = four();
  program(x);
  Array y = machine.place(four(), P("x"));
  control.fail("PJRT_LoadedExecutable_Execute", 1, 8, "no room");
  expect_refusal([&] { program(std::move(y)); }, Code::memory, {"call: xla: run: no room"});
  program(x);  // its copy was freed for this call
  EXPECT_EQ(calls("PJRT_Client_BufferFromHostBuffer"), 6);
}

TEST_F(xla_machine, writes_a_module_that_the_plugin_refuses_to_a_file) {
  const tutti::Machine machine = open();
  control.fail("PJRT_Client_Compile", 1, 12, "Unsupported reduction computation");
  try {
    doubled_on(machine);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::device);
    ASSERT_EQ(error.notes().size(), 1U);
    const std::string note = error.notes()[0], start = "the module is in ";
    ASSERT_TRUE(note.starts_with(start)) << note;
    const fs::path file = note.substr(start.size());
    EXPECT_NE(content(file).find("stablehlo.add"), std::string::npos);
    fs::remove(file);
  }
}

TEST_F(xla_machine, names_the_line_that_the_plugin_names) {
  const tutti::Machine machine = open();
  for (const std::string message :
       {"model.cpp:7:0: error: unknown op",
        "Unsupported %add, metadata={source_file=\"model.cpp\" source_line=7 x"}) {
    control.fail("PJRT_Client_Compile", 1, 12, message);
    const auto program = shard_map([](Array x) { return maximum({x, Where{"model.cpp", 7}}, x); },
                                   {.mesh = pair, .in = P("x"), .out = P("x")});
    expect_refusal([&] { machine.compile(program, abstract({4}, DType::f32)); }, Code::device,
                   {"model.cpp:7: maximum: xla: compile: "});
  }
}

TEST_F(xla_machine, reads_a_compiled_program_from_the_cache) {
  const fs::path folder = fs::temp_directory_path() / "tutti_xla_machine_cache";
  fs::remove_all(folder);
  const tutti::Machine machine = open({.cache = folder.string()});
  const auto compiled = doubled_on(machine);  // the fake plugin's bytes are the address of its program
  EXPECT_EQ(calls("PJRT_Client_Compile"), 1);
  const auto program = doubled_on(machine);
  EXPECT_EQ(calls("PJRT_Client_Compile"), 1);
  EXPECT_NE(program.explain().find("read from the cache by XLA"), std::string::npos) << program.explain();
  EXPECT_EQ(program(four()).values<float>(), std::vector<float>(4));
  // A cache file with other bytes after the key, or a truncated one, is compiled again.
  for (const fs::directory_entry& file : fs::directory_iterator(folder)) fs::resize_file(file.path(), 40);
  const auto anew = doubled_on(machine);
  EXPECT_EQ(calls("PJRT_Client_Compile"), 2);
  control.fail("PJRT_Executable_DeserializeAndLoad", 1, 3, "of another version");
  doubled_on(machine);
  EXPECT_EQ(calls("PJRT_Client_Compile"), 3);
  const auto other = open({.cache = folder.string(), .compiler_options = {{"xla_cpu_fast", true}}});
  doubled_on(other);
  EXPECT_EQ(calls("PJRT_Client_Compile"), 4);
  fs::remove_all(folder);
}

TEST_F(xla_machine, needs_no_cache_that_can_be_written) {
  const tutti::Machine machine = open({.cache = "/dev/null/cache"});
  EXPECT_EQ(doubled_on(machine)(four()).values<float>(), std::vector<float>(4));
}

TEST_F(xla_machine, records_what_it_does) {
  const fs::path file = fs::temp_directory_path() / "tutti_xla_machine_trace.json";
  {
    const auto program = doubled_on(open({.trace = file.string()}));
    program(four(), Where{"train.cpp", 31}).tensor();
  }
  const std::string text = content(file);
  for (const char* part :
       {R"("cat":"compile")", R"("cat":"upload")", R"("cat":"call")", R"("cat":"download")",
        R"("line":"train.cpp:31")", R"("name":"program 1")", R"("events_left_out":)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  fs::remove(file);
}

TEST_F(xla_machine, explains_time_and_memory) {
  const auto program = doubled_on(open());
  const std::string text = program.explain();
  for (const char* part : {"on 2 cpu devices of XLA (x=2), plugin ", "compiled by XLA in ",
                           "memory of one device", "cost of one device, as XLA estimates it: "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// The child has none of the plugin's threads.
TEST_F(xla_machine, of_its_parent_is_refused_in_a_forked_child) {
  const tutti::Machine machine = open();
  const auto program = doubled_on(machine);
  const Array x = machine.place(four(), P("x"));
  const std::vector<std::function<void()>> uses{
      [&] { program(four()); },   [&] { doubled_on(machine); }, [&] { machine.place(four(), P()); },
      [&] { program.explain(); }, [&] { x.values<float>(); },   [] { open(); }};
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int refused = 0;
    for (const std::function<void()>& use : uses) try {
        use();
      } catch (const Error& error) {
        refused += error.code() == Code::device ? 1 : 0;
      }
    _exit(refused);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(uses.size()));
}

TEST(open_xla, looks_for_the_plugin_first) {
  expect_refusal([] { open_xla(pair, {.plugin = "no/such/plugin.so"}); }, Code::device,
                 {"machine_test.cpp", "open_xla: ", "no/such/plugin.so"});
}

}  // namespace
}  // namespace tutti::xla
