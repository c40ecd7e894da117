// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/gpu/driver.hpp"
#include "tutti/base/inside.hpp"

#include <algorithm>

#include "tests/kernels/fake_gpu.hpp"
#include "tutti/kernels/gpu/handles.hpp"

namespace tutti::kernels {
namespace {

using gpu_driver = FakeGpu;
using gpu_handles = FakeGpu;

TEST_F(gpu_driver, that_is_missing_is_named_with_the_loaders_reason) {
  expect_refusal([] { Driver::open("libno_such_driver.so.1"); }, Code::device,
                 {"libno_such_driver.so.1", "cannot open shared object file",
                  "name its path in the options"});
}

TEST_F(gpu_driver, without_a_function_is_refused_by_the_functions_name) {
  expect_refusal([] { Driver::open(old_driver_path()); }, Code::device,
                 {"libold_driver.so", "cuGetErrorString", "undefined symbol", "install a newer version"});
}

TEST_F(gpu_driver, that_finds_no_gpu_says_so) {
  control.fail("cuInit", 1, 100);
  expect_refusal([] { Driver::open(fake_driver_path()); }, Code::device,
                 {"cuInit", "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device", "this machine has no GPU"});
}

TEST_F(gpu_driver, that_has_an_error_of_its_own_is_quoted_by_number) {
  control.fail("cuInit", 1, 12345);
  expect_refusal([] { Driver::open(fake_driver_path()); }, Code::device, {"cuInit", "error 12345"});
}

TEST_F(gpu_driver, has_a_version_and_devices) {
  machine({.devices = 2});
  const auto opened = Driver::open(fake_driver_path());
  EXPECT_EQ(opened->version(), 12040);
  EXPECT_EQ(count_of_devices(*opened), 2);
  const Device second(opened, 1);
  EXPECT_EQ(second.name(), "a fake GPU");
  EXPECT_EQ(second.capability(), 90);
}

TEST_F(gpu_driver, has_no_device_beyond_the_last) {
  expect_refusal([&] { device(3); }, Code::device, {"device 3", "has 1 device", "CUDA_VISIBLE_DEVICES"});
  expect_refusal([&] { device(-1); }, Code::device, {"device -1"});
}

TEST_F(gpu_driver, opens_each_device_once) {
  machine({.devices = 2});
  const auto devices = open_devices(Driver::open(fake_driver_path()), {1, 0, 1});
  EXPECT_EQ(devices[0], devices[2]);
  EXPECT_EQ(devices[1]->ordinal(), 0);
  EXPECT_EQ(control.live("context"), 2);
}

TEST_F(gpu_driver, enables_access_between_all_pairs_and_may_do_so_again) {
  machine({.devices = 3});
  const auto devices = open_devices(Driver::open(fake_driver_path()), {0, 1, 2, 0});
  EXPECT_EQ(missing_peer_access(devices), "");
  enable_peer_access(devices);
  enable_peer_access(devices);
  EXPECT_EQ(std::ranges::count(control.log(), "cuCtxEnablePeerAccess"), 12);
}

TEST_F(gpu_driver, names_the_pair_without_access) {
  machine({.devices = 2, .has_peer_access = false});
  const auto devices = open_devices(Driver::open(fake_driver_path()), {0, 1});
  EXPECT_EQ(missing_peer_access(devices), "device 0 has no access to the memory of device 1");
  expect_refusal([&] { enable_peer_access(devices); }, Code::device,
                 {"cuCtxEnablePeerAccess", "from device 0 to device 1"});
}

TEST_F(gpu_handles, are_destroyed_once_also_after_moves) {
  const auto gpu = device();
  Stream stream = make_stream(gpu);
  Stream moved = std::move(stream);
  stream = make_stream(gpu);
  moved = std::move(stream);
  const Event event = make_event(gpu);
  const DeviceMemory memory = allocate(gpu, 64);
  const HostMemory pinned = allocate_host(gpu, 64);
  const DeviceMemory nothing = allocate(gpu, 0);
  EXPECT_EQ(nothing.get(), 0U);
  EXPECT_EQ(control.live("stream"), 2);
  EXPECT_EQ(control.live("memory"), 1);
  EXPECT_EQ(control.live("host memory"), 1);
}

TEST_F(gpu_handles, of_too_much_memory_are_refused_with_the_size) {
  machine({.memory_bytes = 1000});
  const auto gpu = device();
  expect_refusal([&] { allocate(gpu, 1001); }, Code::memory,
                 {"cuMemAlloc_v2", "1001 bytes on device 0", "CUDA_ERROR_OUT_OF_MEMORY", "smaller blocks"});
  control.fail("cuMemHostAlloc", 1, 2);
  expect_refusal([&] { allocate_host(gpu, 8); }, Code::memory, {"cuMemHostAlloc", "8 pinned bytes"});
}

TEST_F(gpu_handles, of_modules_come_with_the_log_of_the_drivers_compiler) {
  const auto gpu = device();
  control.fail("cuModuleLoadDataEx", 1, 218);
  expect_refusal([&] { load_module(gpu, ".entry k()", "all_gather"); }, Code::device,
                 {"cuModuleLoadDataEx", "all_gather on device 0", "CUDA_ERROR_INVALID_PTX",
                  "\n  ptxas fake, line 7"});
  expect_refusal([&] { load_module(gpu, "no text of a kernel", "all_gather"); }, Code::device,
                 {"neither PTX nor a cubin"});
}

TEST_F(gpu_handles, of_kernels_are_found_by_name) {
  const Module module = load_module(device(), ".entry k(.param .u64 a)", "all_gather");
  EXPECT_NE(function_of(module, "k"), nullptr);
  expect_refusal([&] { function_of(module, "other"); }, Code::device,
                 {"cuModuleGetFunction", "other", "CUDA_ERROR_NOT_FOUND", "from the same manifest"});
}

TEST_F(gpu_handles, that_fail_leave_no_others_behind) {
  for (const char* function : {"cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuEventCreate"}) {
    machine({});
    control.fail(function, 1, 999);
    EXPECT_THROW(
        {
          const auto gpu = device();
          const DeviceMemory memory = allocate(gpu, 64);
          const Stream stream = make_stream(gpu);
          const Event event = make_event(gpu);
        },
        Error)
        << function;
    EXPECT_EQ(control.live(""), 0) << function;
  }
}

}  // namespace
}  // namespace tutti::kernels
