// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/plugin.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/command.hpp"
#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

using xla_plugin = FakeXla;

TEST_F(xla_plugin, that_is_missing_is_named_with_the_loaders_reason) {
  expect_refusal([] { Plugin::open("no_such_plugin.so"); }, Code::device,
                 {"no_such_plugin.so", "cannot open shared object file", "name the file of a PJRT plugin"});
}

TEST_F(xla_plugin, whose_name_is_too_long_for_a_file_is_refused) {
  expect_refusal([] { Plugin::open(std::string(5000, 'a')); }, Code::device,
                 {"cannot be opened", "File name too long"});
}

TEST_F(xla_plugin, that_is_no_library_is_refused) {
  expect_refusal([] { Plugin::open("README.md"); }, Code::device,
                 {"README.md", "cannot be opened", "invalid ELF header"});
}

/// A copy of the fake plugin with the first `bytes` bytes.
std::string cut_plugin(std::uintmax_t bytes) {
  const auto copy =
      std::filesystem::temp_directory_path() / ("tutti_cut_plugin_" + std::to_string(getpid()) + ".so");
  std::filesystem::copy_file(fake_plugin_path(), copy, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(copy, bytes);
  return copy.string();
}

// Without a check the process ends with SIGBUS for most of them.
TEST_F(xla_plugin, that_is_cut_off_is_refused_wherever_that_may_be) {
  const std::uintmax_t whole = std::filesystem::file_size(fake_plugin_path());
  std::string file;
  for (std::uintmax_t bytes = 0; bytes < whole; bytes += whole / 97) {
    file = cut_plugin(bytes);
    const char* why = bytes < 64 ? "file too short" : "is cut off: it has ";
    expect_refusal([&] { Plugin::open(file); }, Code::device, {file, why});
  }
  file = cut_plugin(whole - 1);
  expect_refusal(
      [&] { Plugin::open(file); }, Code::device,
      {fmt::format("{} is cut off: it has {} bytes, and its headers tell of {}; install the plugin "
                   "again",
                   file, whole - 1, whole)});
  std::filesystem::remove(file);
}

// Offsets and sizes that overflow, in the header, in a segment.
TEST_F(xla_plugin, whose_headers_tell_of_too_much_is_refused) {
  const std::uintmax_t whole = std::filesystem::file_size(fake_plugin_path());
  for (const int place : {0x20, 0x28, 0x48, 0x60}) {  // e_phoff, e_shoff, p_offset, p_filesz of the first
    const std::string file = cut_plugin(whole);
    std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
        .seekp(place)
        .write("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
    expect_refusal([&] { Plugin::open(file); }, Code::device, {"is cut off: it has "});
    std::filesystem::remove(file);
  }
}

TEST_F(xla_plugin, that_is_no_file_is_refused) {
  expect_refusal([] { Plugin::open("/dev/null"); }, Code::device, {"/dev/null is a device or pipe"});
  expect_refusal([] { Plugin::open("./tests"); }, Code::device, {"./tests is a folder"});
  expect_refusal([] { Plugin::open("tests"); }, Code::device, {"tests is a folder"});
}

TEST_F(xla_plugin, that_is_another_library_is_refused) {
  expect_refusal([] { Plugin::open(program_folder() + "/libmany_cpus.so"); }, Code::device,
                 {"libmany_cpus.so", "is no PJRT plugin", "GetPjrtApi"});
}

TEST_F(xla_plugin, has_versions_and_attributes) {
  const auto opened = plugin();
  EXPECT_EQ(opened->minor_version(), 115);
  EXPECT_EQ(opened->stablehlo(), "1.20.0");
  EXPECT_EQ(opened->oldest_stablehlo(), "0.9.0");
  ASSERT_EQ(opened->attributes().size(), 3U);
  EXPECT_EQ(opened->attributes()[2], (Values::value_type{"xla_version", std::int64_t{2}}));
  EXPECT_EQ(opened->description(), "plugin " + fake_plugin_path() + ", PJRT 0.115, StableHLO 1.20.0");
}

TEST_F(xla_plugin, is_initialised_once_however_often_it_is_opened) {
  EXPECT_EQ(plugin(), plugin());
  EXPECT_EQ(calls("PJRT_Plugin_Initialize"), 1);
}

TEST_F(xla_plugin, that_is_too_old_is_refused_with_both_versions) {
  machine({.minor = 80});
  expect_refusal([] { plugin(); }, Code::device,
                 {"libfake_plugin.so", "0.80", "0.81", "install a newer plugin"});
  machine({.minor = 81});
  EXPECT_EQ(plugin()->minor_version(), 81);
}

TEST_F(xla_plugin, of_another_major_version_is_refused) {
  machine({.major = 1});
  expect_refusal([] { plugin(); }, Code::device, {"version 1.115", "a later 0.x"});
}

TEST_F(xla_plugin, whose_table_ends_before_a_function_that_is_needed_is_refused_by_its_name) {
  machine({.functions = 91});
  expect_refusal([] { plugin(); }, Code::device, {"has no function PJRT_Executable_OutputDimensions"});
  machine({.functions = 92});
  EXPECT_NE(plugin(), nullptr);
}

TEST_F(xla_plugin, whose_table_has_a_null_pointer_is_refused_by_the_functions_name) {
  machine({.missing_function = 55});
  expect_refusal([] { plugin(); }, Code::device, {"has no function PJRT_LoadedExecutable_Execute"});
}

TEST_F(xla_plugin, may_lack_functions_that_only_tell) {
  machine({.functions = 92});  // no statistics of compiled programs
  const auto opened = client();
  const Executable executable = Executable::compile(opened, opened->choose({0}), doubled());
  EXPECT_FALSE(executable.memory());
}

TEST_F(xla_plugin, whose_start_fails_says_why_and_may_start_later) {
  control.fail("PJRT_Plugin_Initialize", 1, 14, "the driver is too old\nsecond line");
  expect_refusal([] { plugin(); }, Code::device,
                 {"xla: start the plugin: the driver is too old (plugin ", "PJRT 0.115", "\n  second line"});
  EXPECT_NE(plugin(), nullptr);
}

TEST_F(xla_plugin, is_initialised_once_even_if_its_attributes_fail) {
  control.fail("PJRT_Plugin_Attributes", 1, error_code::internal, "no answer");
  expect_refusal([] { plugin(); }, Code::device, {"read the plugin's attributes: no answer"});
  EXPECT_EQ(plugin()->stablehlo(), "1.20.0");
  EXPECT_EQ(calls("PJRT_Plugin_Initialize"), 1);
}

TEST_F(xla_plugin, is_opened_and_makes_clients_under_one_lock) {
  int calls_under_lock = 0;
  const auto watch = [&] {
    std::thread([&] {  // a thread must not ask for a lock that it has
      if (environment_lock().try_lock()) environment_lock().unlock();
      else ++calls_under_lock;
    })
        .join();
  };
  control.watch("PJRT_Plugin_Initialize", watch);
  control.watch("PJRT_Client_Create", watch);
  client();
  EXPECT_EQ(calls_under_lock, 2);
  EXPECT_TRUE(environment_lock().try_lock());
  environment_lock().unlock();
}

TEST_F(xla_plugin, that_lets_exceptions_out_is_quoted_as_an_error) {
  control.raise("PJRT_Client_Create", 1);
  expect_refusal([] { client(); }, Code::device,
                 {"create a client", "PJRT_Client_Create threw vector::reserve"});
}

TEST_F(xla_plugin, of_the_future_may_want_larger_structs) {
  machine({.minor = 200, .functions = 160, .larger = 64});
  const auto opened = client();
  const auto devices = opened->choose({0, 1});
  const Executable executable = Executable::compile(opened, devices, doubled());
  Buffers x = upload_parts(opened, devices, parts_of_four(2));
  const Argument argument{&x};
  EXPECT_EQ(executable.run({&argument, 1})[0].download(0), Tensor(Shape{4}, DType::f32));
  control.fail("PJRT_LoadedExecutable_Execute", 1, error_code::resource_exhausted, "full");
  expect_refusal([&] { executable.run({&argument, 1}); }, Code::memory, {"xla: run: full"});
}

TEST_F(xla_plugin, reports_codes_as_kinds_of_errors) {
  const auto opened = plugin();
  const auto refused = [&](int code) {
    control.fail("PJRT_Client_Create", 1, code, "why");
    try {
      Client::create(opened);
    } catch (const Error& error) {
      return error.code();
    }
    return Code::internal;
  };
  EXPECT_EQ(refused(error_code::resource_exhausted), Code::memory);
  for (const int code : {error_code::invalid_argument, error_code::unimplemented, error_code::unavailable})
    EXPECT_EQ(refused(code), Code::device) << code;
}

}  // namespace
}  // namespace tutti::xla
