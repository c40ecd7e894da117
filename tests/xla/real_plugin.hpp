// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {

/// The plugin that TUTTI_PJRT_PLUGIN names, else the one in .venv; empty if there is none.
std::string real_plugin_path();

/// Tests against XLA for CPUs. Without the plugin they are skipped with the reason, or fail if TUTTI_REQUIRE_ORACLES=1.
/// All tests of a process share a client of 8 devices.
class RealXla : public testing::Test {
 public:
  static std::shared_ptr<const Client> client();

 protected:
  void SetUp() override;
};

}  // namespace tutti::xla
