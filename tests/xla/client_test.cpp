// SPDX-License-Identifier: Apache-2.0
#include "tutti/xla/pjrt/client.hpp"

#include <cstdlib>

#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {
namespace {

using xla_client = FakeXla;

TEST_F(xla_client, has_the_devices_that_were_asked_for) {
  const auto opened = client(3);
  EXPECT_EQ(opened->platform(), "cpu");
  EXPECT_EQ(opened->platform_version(), "fake 1.0");
  ASSERT_EQ(opened->devices().size(), 3U);
  EXPECT_EQ(opened->devices()[2].id, 2);
  EXPECT_EQ(opened->devices()[2].kind, "fake device");
  EXPECT_TRUE(opened->devices()[2].is_addressable);
  EXPECT_EQ(control.options(), std::vector<std::string>{"cpu_device_count=3"});
}

TEST_F(xla_client, of_another_platform_is_created_without_the_option_for_cpus) {
  machine({.platform = "cuda"});
  EXPECT_EQ(client()->devices().size(), 4U);
  EXPECT_EQ(control.options(), std::vector<std::string>{});
  EXPECT_FALSE(client()->waits());
}

TEST_F(xla_client, passes_options_on_by_name_and_type) {
  Client::create(plugin(), {.cpu_devices = 1, .options = {{"note", std::string("hello")}}});
  EXPECT_EQ(control.options(), (std::vector<std::string>{"note=hello", "cpu_device_count=1"}));
}

TEST_F(xla_client, refuses_an_unknown_option_by_name) {
  expect_refusal([] { Client::create(plugin(), {.options = {{"no_such", true}}}); }, Code::device,
                 {"create a client", "no_such", "libfake_plugin.so"});
}

TEST_F(xla_client, refuses_numbers_of_devices_that_plugins_do_not_survive) {
  for (const Value& value : {Value(std::string("8")), Value(std::int64_t{-1}), Value(std::int64_t{0}),
                             Value(std::int64_t{1} << 32), Value(true)})
    expect_refusal([&] { Client::create(plugin(), {.options = {{"cpu_device_count", value}}}); },
                   Code::device, {"cpu_device_count = " + to_string(value), "at least 1"});
  expect_refusal([] { client(0); }, Code::device, {"cpu_device_count = 0"});
  EXPECT_EQ(calls("PJRT_Client_Create"), 0);
}

TEST_F(xla_client, gets_two_threads_per_device_and_leaves_the_environment_as_it_was) {
  ASSERT_EQ(std::getenv("PJRT_NPROC"), nullptr);
  client(64);
  EXPECT_GE(std::stoi(control.threads()), 128);
  EXPECT_EQ(std::getenv("PJRT_NPROC"), nullptr);
}

TEST_F(xla_client, keeps_the_number_of_threads_that_the_user_has_set) {
  setenv("PJRT_NPROC", "5", 1);
  client(8);
  EXPECT_EQ(control.threads(), "5");
  EXPECT_STREQ(std::getenv("PJRT_NPROC"), "5");
  unsetenv("PJRT_NPROC");
}

TEST_F(xla_client, without_devices_is_refused_and_destroyed) {
  machine({.devices = {{.id = 0, .process = 1}}});
  expect_refusal([] { client(); }, Code::device, {"finds no device"});
}

TEST_F(xla_client, knows_which_devices_other_processes_drive) {
  machine({.platform = "tpu",
           .devices = {{.id = 0, .process = 0, .coords = {0, 1}}, {.id = 2048, .process = 1}},
           .process = 1});
  const auto opened = client();
  EXPECT_EQ(opened->process(), 1);
  EXPECT_FALSE(opened->devices()[0].is_addressable);
  EXPECT_EQ(opened->devices()[0].attributes, (Values{{"coords", std::vector<std::int64_t>{0, 1}}}));
  EXPECT_TRUE(opened->devices()[1].is_addressable);
  const auto list = opened->choose({0, 2048});
  EXPECT_EQ(list->local, std::vector{1});
  EXPECT_EQ(list->handles, std::vector{opened->devices()[1].handle});
}

TEST_F(xla_client, has_no_other_devices_and_none_twice) {
  const auto opened = client(2);
  expect_refusal([&] { opened->choose({0, 2}); }, Code::device,
                 {"no device 2", "platform cpu has 2 devices: 0, 1"});
  expect_refusal([&] { opened->choose({1, 1}); }, Code::device, {"device 1 is named twice"});
  expect_refusal([&] { opened->choose({}); }, Code::device, {"no device is chosen"});
}

TEST_F(xla_client, tells_the_memory_of_a_device_if_the_plugin_does) {
  const auto opened = client(2);
  const Buffers x = upload_parts(opened, opened->choose({1}), parts_of_four(1));
  EXPECT_EQ(opened->memory(0)->in_use, 0);
  EXPECT_EQ(opened->memory(1)->in_use, 16);
  EXPECT_EQ(opened->memory(1)->limit, std::int64_t{1} << 30);
  EXPECT_FALSE(opened->memory(1)->peak);
  EXPECT_FALSE(opened->memory(7));
}

TEST_F(xla_client, tells_no_memory_if_the_plugin_does_not) {
  machine({.has_statistics = false});
  const auto opened = client();
  EXPECT_FALSE(opened->memory(0));
}

TEST_F(xla_client, that_cannot_be_described_is_destroyed) {
  for (const char* function :
       {"PJRT_Client_PlatformName", "PJRT_Client_PlatformVersion", "PJRT_Client_ProcessIndex",
        "PJRT_Client_Devices", "PJRT_Client_AddressableDevices", "PJRT_Device_GetDescription",
        "PJRT_DeviceDescription_Id", "PJRT_DeviceDescription_ProcessIndex", "PJRT_DeviceDescription_Kind"}) {
    control.fail(function, 1, error_code::internal, "no answer");
    expect_refusal([] { client(); }, Code::device, {"describe", "no answer"});
    EXPECT_EQ(control.live(""), 0) << function;
  }
}

TEST_F(xla_client, may_have_devices_without_attributes) {
  control.fail("PJRT_DeviceDescription_Attributes", 1, error_code::unimplemented, "none");
  EXPECT_EQ(client()->devices()[0].attributes, Values{});
}

}  // namespace
}  // namespace tutti::xla
