// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace tutti {

/// The PJRT plugin that TUTTI_PJRT_PLUGIN names, else the one in .venv of the checkout; empty if there is
/// none.
std::string real_plugin_path();

/// Tests against XLA for CPUs. Without the plugin they are skipped with the reason, or fail if
/// TUTTI_REQUIRE_ORACLES=1.
class WithRealPlugin : public testing::Test {
 protected:
  void SetUp() override;
};

}  // namespace tutti
