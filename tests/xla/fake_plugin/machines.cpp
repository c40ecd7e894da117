// SPDX-License-Identifier: Apache-2.0
// Machines of the fake plugin for programs that cannot set it up, such as the tool.
#include "tests/xla/fake_plugin/control.hpp"

namespace fake_pjrt {
namespace {

Machine gpus() {
  Machine machine{.platform = "cuda", .version = "cuda 13000"};
  for (int id = 0; id < 2; ++id)
    machine.devices.push_back({.id = id,
                               .kind = "NVIDIA H100",
                               .coords = {id},
                               .numbers = {{"core_count", 132}},
                               .texts = {{"device_vendor", "NVIDIA"}, {"fabric_uuid", ""}}});
  return machine;
}

Machine tpus() {
  Machine machine{.platform = "tpu", .version = "PJRT C API\nTFRT TPU v4\n", .process = 1};
  for (int id = 0; id < 10; id += 3)
    machine.devices.push_back({.id = id,
                               .process = id / 6,
                               .kind = "TPU v4",
                               .coords = {id % 2, id / 6, 0},
                               .numbers = {{"core_on_chip", 0}}});
  return machine;
}

}  // namespace

Machine machine_named(const std::string& name) {
  if (name == "gpu") return gpus();
  if (name == "tpu") return tpus();
  if (name == "old") return {.minor = 80};
  if (name == "idle") return {.platform = "cuda", .devices = {{.id = 0, .process = 1}}};
  return {.has_statistics = false};
}

}  // namespace fake_pjrt
