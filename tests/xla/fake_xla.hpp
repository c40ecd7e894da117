// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/expect_refusal.hpp"
#include "tests/xla/fake_plugin/control.hpp"
#include "tutti/xla/pjrt/executable.hpp"

namespace tutti::xla {

std::string fake_plugin_path();

/// @main of one device: f32[4] -> f32[4]. Its operand may become the result's memory.
Source doubled();
/// The positions 0, 1, .. of n devices.
inline std::vector<int> first(int n) {
  std::vector<int> ids(static_cast<std::size_t>(n));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}
/// n parts f32[4], all different.
Tensors parts_of_four(int n);
/// Copies parts[i] to the local device i.
Buffers upload_parts(const std::shared_ptr<const Client>& client,
                     const std::shared_ptr<const DeviceList>& devices, const Tensors& parts);

/// Tests against the fake plugin. A test fails if a handle is left at its end, or a call was wrong.
class FakeXla : public testing::Test {
 protected:
  FakeXla() { machine({}); }
  void TearDown() override;
  /// Changes the plugin or its devices. Call it before the plugin is opened.
  void machine(const fake_pjrt::Machine& machine) { control.reset(machine); }
  static std::shared_ptr<const Plugin> plugin() { return Plugin::open(fake_plugin_path()); }
  static std::shared_ptr<const Client> client(int devices = 2) {
    return Client::create(plugin(), {.cpu_devices = devices});
  }
  int calls(const std::string& function) const;

  fake_pjrt::Control& control = fake_control();

 private:
  static fake_pjrt::Control& fake_control();
};

}  // namespace tutti::xla
