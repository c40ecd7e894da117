// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/real_plugin.hpp"
#include "tests/xla/fake_xla.hpp"
#include "tutti/xla/backend.hpp"

namespace tutti::xla {

using tutti::real_plugin_path;

/// Tests against XLA for CPUs. All tests of a process share a client of 8 devices. With a plugin for other
/// devices they are skipped.
class RealXla : public WithRealPlugin {
 public:
  void SetUp() override;
  static std::shared_ptr<const Client> client();
  /// The first devices of that client as a mesh.
  static std::shared_ptr<XlaBackend> backend(const Mesh& mesh);
  static Machine machine(const Mesh& mesh) { return Machine(backend(mesh)); }
};

}  // namespace tutti::xla
