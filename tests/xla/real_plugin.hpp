// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/real_plugin.hpp"
#include "tests/xla/fake_xla.hpp"

namespace tutti::xla {

using tutti::real_plugin_path;

/// Tests against XLA for CPUs. All tests of a process share a client of 8 devices.
class RealXla : public WithRealPlugin {
 public:
  static std::shared_ptr<const Client> client();
};

}  // namespace tutti::xla
