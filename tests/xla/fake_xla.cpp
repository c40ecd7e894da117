// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/fake_xla.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "tests/support/command.hpp"

namespace tutti::xla {

std::string fake_plugin_path() { return program_folder() + "/libfake_plugin.so"; }

Source doubled() {
  const Type four(DType::f32, {4});
  return {.text = R"(module @doubled attributes {mhlo.num_replicas = 2 : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})",
          .parameters = {four},
          .results = {four}};
}

Tensors parts_of_four(int n) {
  Tensors parts;
  for (int i = 0; i < n; ++i) {
    const float base = 10.0F * static_cast<float>(i);
    parts.push_back(Tensor(Shape{4}, std::vector<float>{base + 1, base + 2, base + 3, base + 4}));
  }
  return parts;
}

Buffers upload_parts(const std::shared_ptr<const Client>& client,
                     const std::shared_ptr<const DeviceList>& devices, const Tensors& parts) {
  std::vector<const std::byte*> data;
  for (const Tensor& part : parts) data.push_back(part.data());
  const Type type = parts.empty() ? Type(DType::f32, {}) : Type(parts[0].dtype(), parts[0].shape());
  return Buffers::upload(client, devices, type, data);
}

fake_pjrt::Control& FakeXla::fake_control() {
  void* library = dlopen(fake_plugin_path().c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) throw std::runtime_error(dlerror());
  return *reinterpret_cast<fake_pjrt::Control* (*)()>(dlsym(library, "fake_control"))();
}

void FakeXla::TearDown() {
  EXPECT_EQ(control.live(""), 0) << "handles that nobody destroyed";
  EXPECT_EQ(control.misuses(), std::vector<std::string>{});
}

int FakeXla::calls(const std::string& function) const {
  return static_cast<int>(std::ranges::count(control.log(), function));
}

}  // namespace tutti::xla
