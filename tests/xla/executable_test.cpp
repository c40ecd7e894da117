// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/executable.hpp"

#include <thread>

#include "tests/support/print.hpp"
#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

/// f32[4], i32[2,3] -> i32[2,3], f32[4], without aliases.
Source swapped() {
  const Type four(DType::f32, {4}), six(DType::i32, {2, 3});
  return {.text = R"(module @swapped {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<4xf32>) {
    return %arg1, %arg0 : tensor<2x3xi32>, tensor<4xf32>
  }
})",
          .parameters = {four, six},
          .results = {six, four}};
}

class xla_executable : public FakeXla {
 protected:
  /// Opens a client with two devices.
  void open(const std::string& platform = "cpu") {
    list.reset();
    opened.reset();
    machine({.platform = platform, .devices = {{.id = 3}, {.id = 7}}});
    opened = client();
    list = opened->choose({7, 3});
  }
  Executable compile(const Source& source) const { return Executable::compile(opened, list, source); }
  Buffers four() const { return upload_parts(opened, list, parts_of_four(2)); }
  Buffers six() const {
    const Tensor part(Shape{2, 3}, std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
    return upload_parts(opened, list, {part, part});
  }
  void TearDown() override {
    list.reset();
    opened.reset();
    FakeXla::TearDown();
  }
  std::shared_ptr<const Client> opened;
  std::shared_ptr<const DeviceList> list;
};

TEST_F(xla_executable, runs_on_all_its_devices_whatever_order_the_plugin_has_them_in) {
  open();
  const Executable program = compile(swapped());
  Buffers x = four(), n = six();
  const std::vector<Buffers> results = program.run(std::vector<Argument>{{&x}, {&n}});
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].type(), Type(DType::i32, {2, 3}));
  EXPECT_EQ(results[1].download(first(2)), Tensors(2, Tensor(Shape{4}, DType::f32)));
  Buffers again = std::move(program.run(std::vector<Argument>{{&x}, {&n}}).at(1));
  program.run(std::vector<Argument>{{&again}, {&n}});  // the fake checks the device of each buffer
}

TEST_F(xla_executable, keeps_its_client_alive) {
  open();
  std::optional<Executable> program = compile(doubled());
  list.reset();
  opened.reset();
  EXPECT_EQ(control.live("client"), 1);
  program.reset();
  EXPECT_EQ(control.live(""), 0);
}

TEST_F(xla_executable, overwrites_what_is_given_away_and_nothing_else) {
  open();
  const Executable program = compile(doubled());
  Buffers x = four();
  const std::uintptr_t place = x.address(0);
  Buffers kept = std::move(program.run(std::vector<Argument>{{&x}}).front());
  EXPECT_FALSE(x.is_deleted());
  EXPECT_NE(kept.address(0), place);
  const Buffers over = std::move(program.run(std::vector<Argument>{{&x, Use::give_away}}).front());
  EXPECT_TRUE(x.is_deleted());
  EXPECT_TRUE(x.is_given_away());
  EXPECT_EQ(over.address(0), place);
}

TEST_F(xla_executable, refuses_what_was_given_away_before) {
  open();
  const Executable program = compile(doubled());
  Buffers x = four();
  program.run(std::vector<Argument>{{&x, Use::give_away}});
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::internal,
                 {"argument 0, f32[4], was given away before"});
  expect_refusal([&] { x.download(0); }, Code::internal,
                 {"download: the buffers of f32[4] were given away before"});
}

TEST_F(xla_executable, refuses_to_give_away_what_the_same_call_also_reads) {
  open();
  Source both = doubled();
  both.text.replace(both.text.find(") -> "), 5, ", %arg1: tensor<4xf32>) -> ");
  both.parameters.push_back(both.parameters[0]);
  const Executable program = compile(both);
  Buffers x = four();
  for (const auto& uses : {std::pair(Use::give_away, Use::keep), std::pair(Use::keep, Use::give_away),
                           std::pair(Use::give_away, Use::give_away)}) {
    expect_refusal([&] { program.run(std::vector<Argument>{{&x, uses.first}, {&x, uses.second}}); },
                   Code::internal, {"is given away by another argument of the same call"});
    EXPECT_FALSE(x.is_given_away());
  }
  program.run(std::vector<Argument>{{&x}, {&x}});
}

TEST_F(xla_executable, refuses_arguments_that_end_the_process_or_pass_unnoticed) {
  open();
  const Executable program = compile(swapped());
  Buffers x = four(), n = six(), gone = four();
  const Buffers taken = std::move(gone);
  const auto expect = [&](const std::vector<Argument>& arguments, std::string_view why) {
    expect_refusal([&] { program.run(arguments); }, Code::internal, {"xla: run", why});
  };
  expect({{&x}}, "1 argument for 2 parameters");
  expect({{nullptr}, {&n}}, "argument 0 has no buffers");
  expect({{&gone}, {&n}}, "argument 0 has no buffers");
  expect({{&n}, {&n}}, "argument 0 is i32[2,3] instead of f32[4]");
  const auto other = Client::create(plugin());
  Buffers foreign = upload_parts(other, other->choose({7, 3}), parts_of_four(2));
  expect({{&foreign}, {&n}}, "argument 0 is an array of another client");
  Buffers elsewhere = upload_parts(opened, opened->choose({3, 7}), parts_of_four(2));
  expect({{&elsewhere}, {&n}}, "argument 0 lies on other devices than the program");
  EXPECT_EQ(calls("PJRT_LoadedExecutable_Execute"), 0);
}

TEST_F(xla_executable, waits_for_all_devices_on_cpus_only) {
  for (const char* platform : {"cpu", "cuda"}) {
    open(platform);
    const Executable program = compile(doubled());
    Buffers x = four();
    const int before = calls("PJRT_Event_Await");
    program.run(std::vector<Argument>{{&x}});
    EXPECT_EQ(calls("PJRT_Event_Await") - before, platform == std::string("cpu") ? 2 : 0);
  }
}

TEST_F(xla_executable, reports_an_error_of_the_call) {
  open();
  const Executable program = compile(doubled());
  Buffers x = four();
  control.fail("PJRT_LoadedExecutable_Execute", 1, error_code::resource_exhausted,
               "Out of memory allocating 9 bytes.");
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::memory,
                 {"xla: run: Out of memory allocating 9 bytes; free memory"});
  control.raise("PJRT_LoadedExecutable_Execute", 1);
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::device,
                 {"PJRT_LoadedExecutable_Execute threw vector::reserve"});
}

TEST_F(xla_executable, reports_a_late_error_at_the_call_on_cpus) {
  open();
  const Executable program = compile(doubled());
  Buffers x = four();
  control.fail_late("PJRT_LoadedExecutable_Execute", 1, error_code::invalid_argument, "late");
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::internal, {"xla: run: late"});
}

TEST_F(xla_executable, without_results_reports_a_late_error_at_the_call_everywhere) {
  const Source source{.text = R"(module @no_results {
  func.func public @main(%arg0: tensor<4xf32>) -> () {
    return
  }
})",
                      .parameters = {Type(DType::f32, {4})}};
  for (const char* platform : {"cpu", "cuda"}) {
    open(platform);
    const Executable program = compile(source);
    Buffers x = four();
    EXPECT_TRUE(program.run(std::vector<Argument>{{&x}}).empty());
    control.fail_late("PJRT_LoadedExecutable_Execute", 1, error_code::resource_exhausted, "late");
    expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::memory, {"xla: run: late"});
  }
}

TEST_F(xla_executable, reports_a_late_error_where_a_result_is_looked_at_elsewhere) {
  open("cuda");
  const Executable program = compile(doubled());
  Buffers x = four();
  control.fail_late("PJRT_LoadedExecutable_Execute", 1, error_code::resource_exhausted, "late");
  const std::vector<Buffers> results = program.run(std::vector<Argument>{{&x}});
  expect_refusal([&] { results[0].wait(); }, Code::memory, {"wait for an array: late"});
  expect_refusal([&] { results[0].download(0); }, Code::memory, {"download: late"});
}

TEST_F(xla_executable, that_loses_a_gpu_says_so_at_every_later_call) {
  open("cuda");
  const Executable program = compile(doubled());
  Buffers x = four();
  control.fail("PJRT_LoadedExecutable_Execute", 1, error_code::internal, "NCCL: unhandled error");
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::device,
                 {"run: NCCL: unhandled error"});
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::device,
                 {"a device was lost before: NCCL: unhandled error"});
}

TEST_F(xla_executable, loses_no_gpu_when_the_plugin_throws_an_exception) {
  open("cuda");
  const Executable program = compile(doubled());
  Buffers x = four();
  control.raise("PJRT_LoadedExecutable_Execute", 1);
  expect_refusal([&] { program.run(std::vector<Argument>{{&x}}); }, Code::device,
                 {"PJRT_LoadedExecutable_Execute threw vector::reserve"});
  EXPECT_EQ(program.run(std::vector<Argument>{{&x}}).size(), 1U);
}

TEST_F(xla_executable, with_an_unknown_option_of_the_compiler_is_refused_by_its_name) {
  open();
  Source source = doubled();
  source.overrides = {{"xla_known", true}, {"no_such_option", false}};
  expect_refusal([&] { compile(source); }, Code::device,
                 {"compile: No such compile option: 'no_such_option'; give an option that this plugin has"});
  source.overrides = {{"", false}};
  expect_refusal([&] { compile(source); }, Code::device, {"No such compile option: ''"});
  for (const char* name : {"xla_known", ""}) {
    source.overrides = {{name, true}};
    control.fail("PJRT_Client_Compile", 1, error_code::invalid_argument, "another reason");
    expect_refusal([&] { compile(source); }, Code::internal, {"compile: another reason (plugin"});
  }
}

TEST_F(xla_executable, of_text_that_the_plugin_does_not_read_is_refused_with_its_first_line) {
  open();
  Source broken = doubled();
  broken.text = "module {}";
  expect_refusal([&] { compile(broken); }, Code::internal,
                 {"xla: compile: -:1:1: error: no @main (plugin ", "StableHLO 1.20.0",
                  "\n  StableHLO_v1.20.0"});
}

TEST_F(xla_executable, that_the_plugin_cannot_compile_is_refused_with_advice) {
  open();
  control.fail("PJRT_Client_Compile", 1, error_code::unimplemented, "Unsupported reduction computation");
  expect_refusal([&] { compile(doubled()); }, Code::device,
                 {"compile: Unsupported reduction computation; use another plugin"});
}

TEST_F(xla_executable, with_other_results_than_expected_is_refused) {
  open();
  for (const Types& results : {Types{}, Types{Type(DType::i32, {4})}, Types{Type(DType::f32, {5})},
                               Types{Type(DType::f32, {2, 2})}}) {
    Source source = doubled();
    source.results = results;
    expect_refusal([&] { compile(source); }, Code::internal, {"1 result of the compiled program are not ("});
  }
}

TEST_F(xla_executable, that_cannot_be_described_is_destroyed) {
  open();
  for (const char* function : {"PJRT_LoadedExecutable_GetExecutable",
                               "PJRT_LoadedExecutable_AddressableDevices", "PJRT_Executable_NumOutputs",
                               "PJRT_Executable_OutputElementTypes", "PJRT_Executable_OutputDimensions"}) {
    control.fail(function, 1, error_code::internal, "no answer");
    expect_refusal([&] { compile(doubled()); }, Code::device, {"compile: no answer"});
    EXPECT_EQ(control.live("loaded") + control.live("executable"), 0) << function;
  }
}

TEST_F(xla_executable, tells_memory_and_cost_if_the_plugin_does) {
  open();
  const Executable program = compile(swapped());
  EXPECT_EQ(program.memory()->arguments, 16 + 24);
  EXPECT_EQ(program.memory()->results, 24 + 16);
  EXPECT_EQ(program.memory()->peak, 80);
  EXPECT_EQ(*program.cost(), (Values{{"flops", 8.0F}}));
  for (const char* function : {"PJRT_Executable_GetCompiledMemoryStats", "PJRT_Executable_GetCostAnalysis"})
    control.fail(function, 1, error_code::unimplemented, "none");
  EXPECT_FALSE(program.memory());
  EXPECT_FALSE(program.cost());
}

TEST_F(xla_executable, is_loaded_again_from_its_bytes) {
  open();
  const Executable program = compile(doubled());
  const auto bytes = program.serialised();
  ASSERT_TRUE(bytes);
  const Executable loaded = Executable::load(opened, list, doubled(), *bytes);
  Buffers x = four();
  EXPECT_EQ(loaded.run(std::vector<Argument>{{&x}})[0].download(1), Tensor(Shape{4}, DType::f32));
  expect_refusal([&] { Executable::load(opened, list, doubled(), bytes->substr(0, bytes->find('\n') + 1)); },
                 Code::device, {"load a compiled program: these bytes are no program"});
}

TEST_F(xla_executable, is_loaded_for_as_many_devices_as_it_was_compiled_for) {
  open();
  const std::string bytes = compile(doubled()).serialised().value();
  const auto one = opened->choose({3});
  expect_refusal([&] { Executable::load(opened, one, doubled(), bytes); }, Code::device,
                 {"load a compiled program: the program is for 2 devices instead of 1; compile it again"});
  EXPECT_EQ(calls("PJRT_Executable_DeserializeAndLoad"), 0);
}

TEST_F(xla_executable, is_not_loaded_from_bytes_of_others) {
  open();
  const std::string bytes = compile(doubled()).serialised().value();
  const std::string line = bytes.substr(0, bytes.find('\n'));
  for (const std::string& wrong :
       {std::string(), std::string("other bytes"), line, line + "x\n", line.substr(0, line.size() - 1) + "\n",
        line.substr(0, line.size() - 1) + "-2\n", line + std::string(40, '9') + "\n"})
    expect_refusal([&] { Executable::load(opened, list, doubled(), wrong); }, Code::device,
                   {"load a compiled program", "compile it again"});
  EXPECT_EQ(calls("PJRT_Executable_DeserializeAndLoad"), 0);
}

TEST_F(xla_executable, has_bytes_even_if_the_plugin_throws_when_it_frees_its_own) {
  open();
  const Executable program = compile(doubled());
  control.raise("free_serialised", 1);
  EXPECT_TRUE(program.serialised());
}

TEST_F(xla_executable, has_no_bytes_if_the_plugin_cannot) {
  open();
  const Executable program = compile(doubled());
  control.fail("PJRT_Executable_Serialize", 1, error_code::unimplemented, "no");
  EXPECT_FALSE(program.serialised());
  control.fail("PJRT_Executable_Serialize", 1, error_code::internal, "broken");
  expect_refusal([&] { program.serialised(); }, Code::device, {"serialise: broken"});
}

TEST_F(xla_executable, lets_one_thread_launch_at_a_time) {
  open();
  const Executable program = compile(doubled());
  const auto run = [&] {
    Buffers x = four();
    for (int i = 0; i < 50; ++i) program.run(std::vector<Argument>{{&x}});
  };
  std::thread other(run);
  run();
  other.join();
  EXPECT_EQ(calls("PJRT_LoadedExecutable_Execute"), 100);
}

}  // namespace
}  // namespace tutti::xla
