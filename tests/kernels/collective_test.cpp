// SPDX-License-Identifier: Apache-2.0
// Collectives on fake GPUs: their kernels are functions of the host, which get at data as the launcher tells them.
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

}  // namespace
}  // namespace tutti::kernels
