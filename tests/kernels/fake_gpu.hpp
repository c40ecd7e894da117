// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/kernels/fake_driver/control.hpp"
#include "tests/support/expect_refusal.hpp"
#include "tutti/base/error.hpp"
#include "tutti/kernels/gpu/device.hpp"

namespace tutti::kernels {

/// The path of the fake driver's library, which is also the fake NCCL.
std::string fake_driver_path();
std::string old_driver_path();

/// A fixture with fake GPUs. TearDown() fails if a handle is left or if a call misused the driver.
class FakeGpu : public testing::Test {
 protected:
  FakeGpu() { machine({}); }
  void TearDown() override;
  /// Replaces the fake GPUs. Call it before anything is opened.
  void machine(const fake_cuda::Machine& machine) { control.reset(machine); }
  std::shared_ptr<const Driver> driver() const { return Driver::open(fake_driver_path()); }
  std::shared_ptr<const Device> device(int ordinal = 0) const;

  fake_cuda::Control& control = fake_control();

 private:
  static fake_cuda::Control& fake_control();
};

}  // namespace tutti::kernels
