// SPDX-License-Identifier: Apache-2.0
// Collectives on fake GPUs: their kernels are functions of the host, which get at data as the launcher tells
// them.
#include "tutti/kernels/gpu/collective.hpp"

#include <algorithm>

#include "tests/kernels/calls.hpp"
#include "tests/kernels/fake_gpu.hpp"
#include "tests/kernels/kernel_model.hpp"
#include "tests/kernels/specs.hpp"

namespace tutti::kernels {
namespace {

class gpu_collective : public FakeGpu {
 protected:
  /// The model ends with the group, before handles are counted.
  std::shared_ptr<Group> group(const std::vector<int>& devices, GroupOptions options = {}) {
    options.driver = fake_driver_path();
    options.timeout_s = 0.05;
    return std::make_shared<Group>(devices, options);
  }
  /// Launches the call with this number, and waits.
  void run(Calls& calls, int number, KernelModel& model) {
    calls.inputs.upload(inputs_of(calls.spec, number));
    calls.launch();
    if (calls.collective.manifest()) model.expect(*calls.collective.manifest());
    calls.collective.wait();
    EXPECT_EQ(difference(calls.outputs.download(), outputs_of(calls.spec, number)), "")
        << to_string(calls.spec) << ", call " << number << "\n"
        << calls.collective.description();
  }
  void run_all(const std::vector<int>& devices, const CollectiveOptions& options = {}) {
    KernelModel model(control);
    const auto ranks = group(devices);
    for (const CollectiveSpec& spec : specs_of_world(ranks->world(), DType::u16, DType::f32, {3, 5}))
      for (Variant variant : variants_of(spec.kind)) {
        CollectiveSpec wanted = spec;
        wanted.variant = variant;
        Calls calls(ranks, wanted, options);
        for (int call = 0; call < 3; ++call) run(calls, call, model);
        EXPECT_TRUE(calls.collective.manifest()) << calls.collective.description();
      }
    EXPECT_EQ(model.faults(), std::vector<std::string>{});
  }
};

std::vector<int> ordinals(int n) {
  std::vector<int> all;
  for (int i = 0; i < n; ++i) all.push_back(i);
  return all;
}

TEST_F(gpu_collective, of_each_kind_and_variant_moves_what_the_spec_says_on_devices_of_their_own) {
  for (int world : {1, 2, 3, 5}) {
    machine({.devices = world});
    run_all(ordinals(world));
  }
}

TEST_F(gpu_collective, of_each_kind_moves_what_the_spec_says_on_one_device) {
  for (int world : {2, 3, 8}) {
    machine({});
    run_all(std::vector<int>(static_cast<std::size_t>(world), 0));
  }
}

TEST_F(gpu_collective, of_each_variant_runs_on_one_device_at_once_if_that_is_asked_for) {
  machine({.multiprocessors = 64});
  run_all({0, 0, 0}, {.sharing = SharedDevice::concurrent});
}

TEST_F(gpu_collective, runs_on_two_devices_that_ranks_share) {
  machine({.devices = 2});
  run_all({0, 1, 0, 1, 1});
}

TEST_F(gpu_collective, has_each_encoding) {
  machine({.devices = 2});
  for (Encoding encoding : all_encodings()) run_all({0, 1}, {.encoding = encoding});
}

TEST_F(gpu_collective, has_right_data_in_calls_of_changing_sizes_and_kinds_across_the_wrap_around) {
  machine({.devices = 2});
  KernelModel model(control);
  GroupOptions options;
  options.first_sequence = 0xffff'ffe0;
  options.refresh = 7;
  const auto ranks = group({0, 1}, options);
  std::vector<std::unique_ptr<Calls>> all;
  for (std::int64_t size : {8, 3000, 200})
    for (Variant variant : {Variant::standard, Variant::packets, Variant::push, Variant::two_launches}) {
      CollectiveSpec spec = gather_of(DType::f32, {size}, 2);
      spec.variant = variant;
      all.push_back(std::make_unique<Calls>(ranks, spec));
    }
  CollectiveSpec two_shot = spec_for(CollectiveKind::all_reduce, DType::f32, {70}, 2);
  two_shot.variant = Variant::two_shot;
  all.push_back(std::make_unique<Calls>(ranks, two_shot));
  for (int round = 0; round < 4; ++round)
    for (std::size_t i = 0; i < all.size(); ++i) run(*all[(5 * i) % all.size()], round, model);
  EXPECT_EQ(model.faults(), std::vector<std::string>{});
}

TEST_F(gpu_collective, has_right_data_in_calls_that_nobody_waits_for) {
  machine({.devices = 2});
  KernelModel model(control);
  const auto ranks = group({0, 1});
  Calls first(ranks, gather_of(DType::f32, {8}, 2)), second(ranks, gather_of(DType::f32, {16}, 2));
  RankArrays other(ranks, DType::f32, {16});
  first.inputs.upload(inputs_of(first.spec));
  second.inputs.upload(inputs_of(second.spec));
  for (int call = 0; call < 5; ++call)
    for (Calls* calls : {&first, &second}) {
      calls->launch();
      model.expect(*calls->collective.manifest());
    }
  ranks->wait();
  EXPECT_EQ(difference(first.outputs.download(), outputs_of(first.spec)), "");
  EXPECT_EQ(difference(second.outputs.download(), outputs_of(second.spec)), "");
  EXPECT_EQ(model.faults(), std::vector<std::string>{});
}

TEST_F(gpu_collective, may_be_in_place_as_the_docs_say) {
  KernelModel model(control);
  const auto ranks = group({0, 0});
  Calls sum(ranks, spec_for(CollectiveKind::all_reduce, DType::f32, {12}, 2));
  sum.inputs.upload(inputs_of(sum.spec));
  sum.collective.launch(sum.inputs.addresses(), sum.inputs.addresses());
  model.expect(*sum.collective.manifest());
  EXPECT_EQ(difference(sum.inputs.download(), outputs_of(sum.spec)), "");

  Calls gather(ranks, gather_of(DType::f32, {4, 4}, 2));
  Tensors outputs = outputs_of(gather.spec);
  gather.outputs.upload(outputs);
  std::vector<DeviceAddress> own(gather.outputs.addresses().begin(), gather.outputs.addresses().end());
  own[1] += 64;
  gather.collective.launch(own, gather.outputs.addresses());
  model.expect(*gather.collective.manifest());
  EXPECT_EQ(difference(gather.outputs.download(), outputs), "");
}

TEST_F(gpu_collective, refuses_addresses_that_are_missing_misaligned_or_overlap) {
  const auto ranks = group({0, 0});
  Calls gather(ranks, gather_of(DType::f32, {4, 4}, 2, Dim{1})),
      exchange(ranks, spec_for(CollectiveKind::all_to_all, DType::f32, {4}, 2));
  std::vector<DeviceAddress> in(gather.inputs.addresses().begin(), gather.inputs.addresses().end());
  std::vector<DeviceAddress> out(gather.outputs.addresses().begin(), gather.outputs.addresses().end());
  const auto refused = [&](std::initializer_list<std::string_view> parts) {
    expect_refusal([&] { gather.collective.launch(in, out); }, Code::argument, parts);
  };
  in[1] += 4;
  refused(
      {"all_gather f32[4,4]", "the input of rank 1 begins at 0x", "no multiple of 16 bytes", "cuMemAlloc"});
  in[1] = 0;
  refused({"the input of rank 1 has no address"});
  in[1] = out[1];
  refused({"the input of rank 1 overlaps the output of rank 1", "blocks are contiguous"});
  in.pop_back();
  refused({"1 input for 2 ranks"});
  in = {gather.inputs.addresses()[0], out[0] + 64};
  refused({"the input of rank 1 overlaps the output of rank 0"});
  in[1] = gather.inputs.addresses()[1];
  out[1] = out[0] + 16;
  refused({"the output of rank 0 overlaps the output of rank 1"});
  expect_refusal(
      [&] { exchange.collective.launch(exchange.inputs.addresses(), exchange.inputs.addresses()); },
      Code::argument, {"all_to_all", "overlaps", "use separate arrays"});
  EXPECT_TRUE(control.launches().empty());
}

TEST_F(gpu_collective, without_elements_launches_nothing) {
  const auto ranks = group({0, 0, 0});
  Calls calls(ranks, gather_of(DType::f32, {0, 3}, 3));
  calls.launch();
  calls.collective.wait();
  EXPECT_EQ(calls.outputs.download().at(2).shape(), Shape({0, 3}));
  EXPECT_TRUE(control.launches().empty());
}

TEST_F(gpu_collective, of_two_launches_publishes_on_all_ranks_before_any_rank_consumes) {
  const auto ranks = group({0, 0, 0});
  Calls calls(ranks, gather_of(DType::f32, {64}, 3));
  EXPECT_NE(calls.collective.description().find("3 ranks share device 0"), std::string::npos);
  const std::size_t before = control.log().size();
  calls.launch();
  calls.collective.wait();
  std::vector<std::string> kernels;
  for (const fake_cuda::Launch& launch : control.launches()) {
    kernels.push_back(launch.kernel.substr(launch.kernel.rfind('_') + 1));
    EXPECT_FALSE(launch.is_cooperative);
  }
  EXPECT_EQ(kernels,
            (std::vector<std::string>{"publish", "publish", "publish", "consume", "consume", "consume"}));
  std::vector<std::string> log = control.log();
  log.erase(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(before));
  const auto first = std::ranges::find(log, "cuLaunchKernel");
  const std::vector<std::string> queued(first, first + 14);
  EXPECT_EQ(queued, (std::vector<std::string>{"cuLaunchKernel", "cuLaunchKernel", "cuLaunchKernel",
                                              "cuEventRecord", "cuStreamWaitEvent", "cuEventRecord",
                                              "cuStreamWaitEvent", "cuEventRecord", "cuStreamWaitEvent",
                                              "cuStreamWaitEvent", "cuLaunchKernel", "cuLaunchKernel",
                                              "cuLaunchKernel", "cuMemcpyDtoHAsync_v2"}));
}

TEST_F(gpu_collective, is_cooperative_if_each_rank_has_a_device) {
  machine({.devices = 2});
  const auto ranks = group({1, 0});
  Calls calls(ranks, gather_of(DType::f32, {64}, 2));
  EXPECT_EQ(calls.collective.description(), "kernel all_gather_f32_w2_standard, 1 blocks of 4 warps");
  calls.launch();
  calls.collective.wait();
  ASSERT_EQ(control.launches().size(), 2U);
  for (const fake_cuda::Launch& launch : control.launches()) EXPECT_TRUE(launch.is_cooperative);
  EXPECT_EQ(control.launches()[0].device, 1);
  EXPECT_EQ(control.launches()[0].arguments[2], 0U);
}

TEST_F(gpu_collective, has_a_smaller_grid_where_not_all_blocks_are_resident) {
  machine({.devices = 2, .multiprocessors = 3, .blocks_per_multiprocessor = 1});
  KernelModel model(control);
  const auto ranks = group({0, 1});
  Calls calls(ranks, gather_of(DType::f32, {1 << 12}, 2));
  EXPECT_NE(calls.collective.description().find("3 blocks of 4 warps: a grid of 3 instead of 8"),
            std::string::npos)
      << calls.collective.description();
  run(calls, 0, model);
  EXPECT_EQ(control.launches()[0].grid, 3U);
  EXPECT_EQ(model.faults(), std::vector<std::string>{});
}

TEST_F(gpu_collective, runs_two_launches_where_kernels_cannot_run_at_once) {
  struct Row {
    fake_cuda::Machine of;
    std::vector<int> devices;
    CollectiveOptions options;
    std::string_view why;
  };
  const std::vector<Row> rows{
      {{.multiprocessors = 1, .blocks_per_multiprocessor = 1},
       {0, 0},
       {.sharing = SharedDevice::concurrent},
       "the blocks of all ranks do not fit"},
      {{}, {0, 0, 0}, {.sharing = SharedDevice::concurrent, .connections = 2}, "runs 2 streams at once"},
      {{.devices = 2, .has_cooperative_launch = false}, {0, 1}, {}, "device 0 has no cooperative launches"}};
  for (const Row& row : rows) {
    machine(row.of);
    const auto ranks = group(row.devices);
    const auto world = static_cast<int>(row.devices.size());
    const auto collective = Collective::make(ranks, gather_of(DType::f32, {64}, world), row.options);
    EXPECT_EQ(collective.manifest()->spec.variant, Variant::two_launches) << row.why;
    EXPECT_NE(collective.description().find(row.why), std::string::npos) << collective.description();
  }
}

TEST_F(gpu_collective, of_many_outputs_uploads_each_table_once) {
  machine({.devices = 2, .memory_bytes = 1 << 26});
  KernelModel model(control);
  const auto ranks = group({0, 1});
  CollectiveSpec push = gather_of(DType::f32, {4}, 2);
  push.variant = Variant::push;
  Calls calls(ranks, push);
  RankArrays many(ranks, DType::f32, {70, 8});
  calls.inputs.upload(inputs_of(push));
  const auto uploads = [&] { return std::ranges::count(control.log(), "cuMemcpyHtoDAsync_v2"); };
  for (int round = 0; round < 2; ++round) {
    const auto before = uploads();
    for (DeviceAddress row = 0; row < 30; ++row) {
      const std::vector<DeviceAddress> outputs{many.addresses()[0] + 32 * row,
                                               many.addresses()[1] + 32 * row};
      calls.collective.launch(calls.inputs.addresses(), outputs);
      model.expect(*calls.collective.manifest());
    }
    EXPECT_EQ(uploads() - before, round == 0 ? 60 + 2 : 0) << "and the tables of the group's memory";
  }
  for (DeviceAddress row = 0; row < 70; ++row) {  // more than tables
    const std::vector<DeviceAddress> outputs{many.addresses()[0] + 32 * row, many.addresses()[1] + 32 * row};
    calls.collective.launch(calls.inputs.addresses(), outputs);
    model.expect(*calls.collective.manifest());
  }
  const Tensors rows = many.download(), expected = outputs_of(push);
  for (int row = 0; row < 70; ++row)
    for (int i = 0; i < 8; ++i) ASSERT_EQ(rows[1].at(8 * row + i), expected[1].at(i)) << row;
  EXPECT_EQ(model.faults(), std::vector<std::string>{});
}

TEST_F(gpu_collective, refuses_specs_that_nothing_can_run) {
  const auto ranks = group({0, 0});
  const auto refused = [&](const CollectiveSpec& spec, std::initializer_list<std::string_view> parts) {
    expect_refusal([&] { Collective::make(ranks, spec); }, Code::argument, parts);
  };
  refused(gather_of(DType::f32, {4}, 3), {"a world of 3 for a group of 2"});
  refused(gather_of(DType::f32, {4}, 2, Dim{1}), {"all_gather", "dim 1"});
  CollectiveSpec permute = spec_for(CollectiveKind::ppermute, DType::f32, {4}, 2);
  permute.pairs = {{0, 5}};
  refused(permute, {"place 5 in a world of 2"});
  CollectiveSpec sum = spec_for(CollectiveKind::all_reduce, DType::f32, {4}, 2);
  sum.reduction.reset();
  refused(sum, {"without a reduction"});
}

}  // namespace
}  // namespace tutti::kernels
