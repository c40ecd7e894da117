// SPDX-License-Identifier: Apache-2.0
// Groups on fake GPUs: numbers, halves, buffers, time-outs, failures.
#include "tutti/kernels/gpu/group.hpp"

#include <algorithm>
#include <cstring>

#include "tests/kernels/calls.hpp"
#include "tests/kernels/fake_gpu.hpp"
#include "tests/kernels/kernel_model.hpp"
#include "tests/kernels/specs.hpp"
#include "tests/support/refusal.hpp"

namespace tutti::kernels {
namespace {

class gpu_group : public FakeGpu {
 protected:
  static GroupOptions options() { return {.driver = fake_driver_path(), .timeout_s = 0.02}; }
  std::shared_ptr<Group> group(const std::vector<int>& devices = {0, 0}, GroupOptions with = options()) {
    return std::make_shared<Group>(devices, with);
  }
  static Manifest manifest(CollectiveKind kind, Variant variant, Shape shape = {64}, int world = 2) {
    CollectiveSpec spec = spec_for(kind, DType::f32, std::move(shape), world);
    spec.variant = variant;
    return manifest_of(spec, Target::nvidia);
  }
  static std::uint32_t word_at(DeviceAddress address) {
    std::uint32_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(address), 4);  // device addresses are the host's
    return word;
  }
  /// The address of a rank's pad, as the first rank's kernels find it.
  static DeviceAddress pad(const Group& group, int rank) {
    DeviceAddress address = 0;
    const DeviceAddress entry =
        group.memory().table(ArgumentKind::signal_table, 0) + 8 * static_cast<DeviceAddress>(rank);
    std::memcpy(&address, reinterpret_cast<const void*>(entry), 8);
    return address;
  }
  std::ptrdiff_t count(const std::string& function) const {
    return std::ranges::count(control.log(), function);
  }
};

TEST_F(gpu_group, gives_each_call_as_many_numbers_as_it_has_barriers) {
  const auto ranks = group();
  EXPECT_EQ(ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard)).sequence, 1U);
  EXPECT_EQ(ranks->begin(manifest(CollectiveKind::all_reduce, Variant::two_shot)).sequence, 2U);
  EXPECT_EQ(ranks->begin(manifest(CollectiveKind::all_gather, Variant::push)).sequence, 4U);
  EXPECT_EQ(ranks->begin(manifest(CollectiveKind::all_gather, Variant::packets)).sequence, 6U);
  EXPECT_EQ(ranks->begin(manifest(CollectiveKind::all_gather, Variant::two_launches)).sequence, 7U);
}

TEST_F(gpu_group, has_halves_of_stagings_and_of_inboxes_that_take_turns_for_themselves) {
  const auto ranks = group();
  const auto half = [&](Variant variant) {
    return ranks->begin(manifest(CollectiveKind::all_gather, variant)).half;
  };
  EXPECT_EQ(half(Variant::standard), 0);
  EXPECT_EQ(half(Variant::packets), 0);
  EXPECT_EQ(half(Variant::push), 1) << "has no staging: does not take a turn";
  EXPECT_EQ(half(Variant::standard), 1);
  EXPECT_EQ(half(Variant::packets), 1);
  EXPECT_EQ(half(Variant::standard), 0);
}

TEST_F(gpu_group, begins_with_pads_one_number_behind) {
  GroupOptions with = options();
  with.first_sequence = 0;
  const auto ranks = group({0, 0}, with);
  ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard));
  const Pads pads = ranks->memory().pads();
  for (int rank : {0, 1})
    for (int offset = 0; offset < pads.rows * pads.row_bytes; offset += 4)
      ASSERT_EQ(word_at(pad(*ranks, rank) + static_cast<DeviceAddress>(offset)), 0xffff'ffffU);
}

TEST_F(gpu_group, fills_pads_and_inboxes_again_before_old_numbers_seem_to_be_ahead) {
  GroupOptions with = options();
  with.refresh = 3;
  const auto ranks = group({0, 0}, with);
  const Manifest gather = manifest(CollectiveKind::all_gather, Variant::standard);
  const Manifest packets = manifest(CollectiveKind::all_gather, Variant::packets);
  EXPECT_EQ(ranks->begin(gather).sequence, 1U);
  EXPECT_EQ(ranks->begin(packets).sequence, 2U);  // grows, so fills
  EXPECT_EQ(ranks->begin(gather).sequence, 3U);
  EXPECT_EQ(ranks->begin(gather).sequence, 4U);
  EXPECT_EQ(word_at(pad(*ranks, 1)), 1U);
  EXPECT_EQ(ranks->begin(gather).sequence, 5U);
  EXPECT_EQ(word_at(pad(*ranks, 1)), 4U);
  DeviceAddress inbox = 0;
  std::memcpy(&inbox, reinterpret_cast<const void*>(ranks->memory().table(ArgumentKind::inbox_table, 1)), 8);
  EXPECT_EQ(word_at(inbox + 4), 4U);
  const std::ptrdiff_t fills = count("cuMemsetD32Async");
  ranks->begin(gather);
  ranks->begin(gather);
  EXPECT_EQ(count("cuMemsetD32Async"), fills);
}

TEST_F(gpu_group, grows_its_staging_when_a_kernel_needs_more_and_keeps_it_for_smaller_ones) {
  const auto ranks = group();
  ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard, {64}));
  EXPECT_EQ(ranks->memory().staging().bytes_per_half, 256);
  const int live = control.live("memory");
  ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard, {1000}));
  EXPECT_EQ(ranks->memory().staging().bytes_per_half, 4000);
  EXPECT_EQ(control.live("memory"), live);
  ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard, {64}));
  EXPECT_EQ(ranks->memory().staging().bytes_per_half, 4000);
  EXPECT_EQ(ranks->memory().inboxes().bytes_per_half, 0);
  ranks->begin(manifest(CollectiveKind::all_gather, Variant::packets));
  EXPECT_EQ(ranks->memory().inboxes().bytes_per_half, 2 * packet_inbox_bytes);
}

TEST_F(gpu_group, without_memory_for_a_large_call_still_runs_small_ones) {
  machine({.memory_bytes = 1 << 20});
  const auto ranks = group();
  ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard, {64}));
  expect_refusal([&] { ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard, {1 << 20})); },
                 Code::memory, {"cuMemAlloc_v2", "4194304 bytes on device 0"});
  EXPECT_EQ(ranks->begin(manifest(CollectiveKind::all_gather, Variant::standard, {64})).sequence, 2U);
  EXPECT_EQ(ranks->memory().staging().bytes_per_half, 256);
}

TEST_F(gpu_group, refuses_to_begin_without_devices_or_time) {
  expect_refusal([&] { group({}); }, Code::argument, {"a group of no devices"});
  expect_refusal([&] { group(std::vector<int>(257, 0)); }, Code::argument, {"a group of 257 ranks", "256"});
  expect_refusal([&] { group({0, 3}); }, Code::device, {"device 3"});
  expect_refusal([&] { group({0}, {.driver = fake_driver_path(), .timeout_s = 0}); }, Code::argument,
                 {"a time-out of 0 s", "positive"});
}

TEST_F(gpu_group, waits_until_all_streams_are_done) {
  GroupOptions patient = options();
  patient.timeout_s = 600;
  const auto ranks = group({0, 0}, patient);
  Calls calls(ranks, gather_of(DType::f32, {64}, 2));
  int kernels = 0;
  control.on_kernel([&](const fake_cuda::Launch&) { ++kernels; });
  calls.launch();
  control.delay_queries(5);
  ranks->wait();
  EXPECT_EQ(kernels, 4);
}

TEST_F(gpu_group, names_ranks_whose_kernels_do_not_end_and_is_broken_then) {
  machine({.devices = 2});
  {
    const auto ranks = group({0, 1});
    Calls calls(ranks, gather_of(DType::f32, {64}, 2));
    control.hang("all_gather_f32_w2_standard");
    calls.launch();
    expect_refusal([&] { ranks->wait(); }, Code::device,
                   {"the work of ranks 0, 1 is not done after 0.04 s", "make another group"});
    expect_refusal([&] { calls.launch(); }, Code::device,
                   {"the group is broken", "first error: the work of ranks"});
    expect_refusal([&] { ranks->wait(); }, Code::device, {"the group is broken"});
  }
  // The driver would wait for the kernels: nothing is destroyed.
  EXPECT_GT(control.live("memory"), 0);
  EXPECT_EQ(control.live("context"), 2);
  machine({});
}

/// A kernel that gives up waits, as emit/barrier.cpp writes it.
void give_up(const fake_cuda::Launch& launch, int block, std::initializer_list<int> peers) {
  auto* words = reinterpret_cast<std::uint32_t*>(launch.arguments.back());
  words[0] = 1;
  for (int peer : peers) {
    words[2 * (1 + block * 2 + peer)] = 1;
    words[2 * (1 + block * 2 + peer) + 1] = static_cast<std::uint32_t>(launch.arguments[3]);
  }
}

TEST_F(gpu_group, names_waits_that_kernels_gave_up) {
  machine({.devices = 2});
  const auto ranks = group({0, 1});
  Calls calls(ranks, gather_of(DType::f32, {4096}, 2));
  calls.launch();
  ranks->wait();
  control.on_kernel([](const fake_cuda::Launch& launch) {
    if (launch.device == 1) give_up(launch, 3, {0});
  });
  calls.launch();
  expect_refusal(
      [&] { ranks->wait(); }, Code::device,
      {"all_gather_f32_w2_standard: rank 1, block 3 waited 0.02 s in vain for number 2 of rank 0"});
  expect_refusal([&] { calls.launch(); }, Code::device, {"the group is broken", "number 2 of rank 0"});
}

TEST_F(gpu_group, counts_waits_beyond_the_first_four) {
  const auto ranks = group({0, 0});
  Calls calls(ranks, gather_of(DType::f32, {1 << 14}, 2));
  control.on_kernel([](const fake_cuda::Launch& launch) {
    for (int block = 0; block < 4; ++block) give_up(launch, block, {0, 1});
  });
  calls.launch();
  expect_refusal([&] { ranks->wait(); }, Code::device, {"rank 0, block 1", "and 12 waits more"});
}

TEST_F(gpu_group, is_broken_by_a_launch_that_some_ranks_have_not) {
  machine({.devices = 2});
  const auto ranks = group({0, 1});
  Calls calls(ranks, gather_of(DType::f32, {64}, 2));
  control.fail("cuLaunchCooperativeKernel", 2, 719);
  expect_refusal([&] { calls.launch(); }, Code::device,
                 {"cuLaunchCooperativeKernel", "CUDA_ERROR_LAUNCH_FAILED"});
  expect_refusal([&] { calls.launch(); }, Code::device, {"the group is broken", "CUDA_ERROR_LAUNCH_FAILED"});
}

/// All that a program may ask of a group: calls of several kinds, growth, a fill, copies, arrays.
void run_program(const std::vector<int>& devices) {
  const auto ranks =
      std::make_shared<Group>(devices,
                              GroupOptions{.driver = fake_driver_path(), .timeout_s = 0.02, .refresh = 3});
  Calls gather(ranks, gather_of(DType::f32, {64}, 2));
  gather.inputs.upload(inputs_of(gather.spec));
  gather.launch();
  Calls large(ranks, gather_of(DType::f32, {640}, 2));
  large.launch();
  gather.launch();
  CollectiveSpec push = gather.spec;
  push.variant = Variant::push;
  Calls pushed(ranks, push);
  pushed.launch();
  Calls copied(ranks, gather_of(DType::f32, {4, 4}, 2, Dim{1}), {.backend = Backend::library});
  copied.launch();
  ranks->wait();
  gather.outputs.download();
}

TEST_F(gpu_group, leaves_no_handle_behind_whichever_call_of_the_driver_fails) {
  for (const std::vector<int>& devices : {std::vector<int>{0, 0}, std::vector<int>{0, 1}}) {
    machine({.devices = 2});
    run_program(devices);
    const std::vector<std::string> log = control.log();
    EXPECT_EQ(control.misuses(), std::vector<std::string>{});
    std::map<std::string, int> calls;
    for (const std::string& function : log) ++calls[function];
    ASSERT_GT(calls.size(), 20U);
    for (const auto& [function, times] : calls)
      for (int nth = 1; nth <= times; ++nth) {
        machine({.devices = 2});
        control.fail(function, nth, 999);
        const std::string said = refusal([&] { run_program(devices); });
        // Errors of calls that destroy, or of the last query before that, come too late to be told.
        const bool names_it = said == "accepted" || said.find(function + ":") != said.npos;
        EXPECT_TRUE(names_it) << function << " " << nth << ": " << said;
        const bool destroys =
            function.find("Destroy") != function.npos || function.find("Free") != function.npos ||
            function.find("Unload") != function.npos || function.find("Release") != function.npos;
        if (destroys) continue;  // the handle whose destruction failed is left
        EXPECT_EQ(control.live(""), 0) << function << " " << nth;
        EXPECT_EQ(control.misuses(), std::vector<std::string>{}) << function << " " << nth;
      }
  }
  machine({});
}

}  // namespace
}  // namespace tutti::kernels
