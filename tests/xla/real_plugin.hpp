// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/xla/fake_xla.hpp"
#include "tutti/xla/backend.hpp"

namespace tutti::xla {

/// The plugin that TUTTI_PJRT_PLUGIN names, else the one in .venv; empty if there is none.
std::string real_plugin_path();

/// Tests against XLA for CPUs. Without the plugin they are skipped with the reason, or fail if TUTTI_REQUIRE_ORACLES=1.
/// All tests of a process share a client of 8 devices.
class RealXla : public testing::Test {
 public:
  static std::shared_ptr<const Client> client();
  /// The first devices of that client as a mesh.
  static std::shared_ptr<XlaBackend> backend(const Mesh& mesh);
  static Machine machine(const Mesh& mesh) { return Machine(backend(mesh)); }

 protected:
  void SetUp() override;
};

}  // namespace tutti::xla
