// SPDX-License-Identifier: Apache-2.0
#include "tests/xla/real_plugin.hpp"

#include <cstdlib>

#include "tests/support/sanitizer.hpp"
#include "tutti/xla/pjrt/find_plugin.hpp"

namespace tutti::xla {

std::string real_plugin_path() {
  if (const char* named = std::getenv("TUTTI_PJRT_PLUGIN")) return named;
  const std::vector<std::string> environments{".venv"};
  const std::vector<std::string> found = find_plugins(environments);
  return found.empty() ? "" : found.front();
}

void RealXla::SetUp() {
  if (has_sanitizer) GTEST_SKIP() << "XLA is not built for sanitizers";
  if (!real_plugin_path().empty()) return;
  const std::string why = "no PJRT plugin: tools/setup installs lammps-jax-pjrt-cpu into .venv";
  const char* required = std::getenv("TUTTI_REQUIRE_ORACLES");
  if (required && std::string(required) == "1") FAIL() << why;
  GTEST_SKIP() << why;
}

std::shared_ptr<const Client> RealXla::client() {
  static const auto shared = Client::create(Plugin::open(real_plugin_path()), {.cpu_devices = 8});
  return shared;
}

std::shared_ptr<XlaBackend> RealXla::backend(const Mesh& mesh) {
  return std::make_shared<XlaBackend>(mesh, client(), first(mesh.devices()), XlaOptions{});
}

}  // namespace tutti::xla
