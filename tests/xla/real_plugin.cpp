// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/real_plugin.hpp"

namespace tutti::xla {

void RealXla::SetUp() {
  WithRealPlugin::SetUp();
  if (IsSkipped() || HasFatalFailure()) return;
  if (client()->platform() != "cpu")
    GTEST_SKIP() << "8 devices of XLA for CPUs are needed; the plugin drives " << client()->devices().size()
                 << " of platform " << client()->platform();
}

std::shared_ptr<const Client> RealXla::client() {
  static const auto shared = Client::create(Plugin::open(real_plugin_path()), {.cpu_devices = 8});
  return shared;
}

std::shared_ptr<XlaBackend> RealXla::backend(const Mesh& mesh) {
  return std::make_shared<XlaBackend>(mesh, client(), first(mesh.devices()), XlaOptions{});
}

}  // namespace tutti::xla
