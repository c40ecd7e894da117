// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/fake_gpu.hpp"

#include "tests/support/command.hpp"
#include "tutti/kernels/gpu/library.hpp"

namespace tutti::kernels {

std::string fake_driver_path() { return program_folder() + "/libfake_driver.so"; }
std::string old_driver_path() { return program_folder() + "/libold_driver.so"; }

fake_cuda::Control& FakeGpu::fake_control() {
  const Library library(fake_driver_path(), "tests");
  auto* control = reinterpret_cast<fake_cuda::Control* (*)()>(library.symbol("fake_control"));
  return *control();
}

std::shared_ptr<const Device> FakeGpu::device(int ordinal) const {
  return std::make_shared<const Device>(driver(), ordinal);
}

void FakeGpu::TearDown() {
  EXPECT_EQ(control.live(""), 0) << "handles that nobody destroyed";
  EXPECT_EQ(control.misuses(), std::vector<std::string>{});
}

}  // namespace tutti::kernels
