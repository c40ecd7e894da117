// SPDX-License-Identifier: Apache-2.0
#include "tests/support/real_plugin.hpp"

#include <cstdlib>
#include <vector>

#include "tests/support/sanitizer.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"

namespace tutti {

std::string real_plugin_path() {
  if (const char* named = std::getenv("TUTTI_PJRT_PLUGIN")) return named;
  const std::vector<std::string> environments{xla::environment_of_build(xla::running_program())};
  const std::vector<std::string> found = xla::find_plugins(environments);
  return found.empty() ? "" : found.front();
}

void WithRealPlugin::SetUp() {
  if (has_sanitizer()) GTEST_SKIP() << "XLA is not built for sanitizers";
  if (!real_plugin_path().empty()) return;
  const std::string why = "no PJRT plugin: tools/setup installs lammps-jax-pjrt-cpu into .venv";
  const char* required = std::getenv("TUTTI_REQUIRE_ORACLES");
  if (required && std::string(required) == "1") FAIL() << why;
  GTEST_SKIP() << why;
}

}  // namespace tutti
