// SPDX-License-Identifier: Apache-2.0
#include "tests/support/plain_machine.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace tutti {
namespace {

constexpr const char* asked = "TUTTI_TEST_PLAIN";
constexpr const char* done = "TUTTI_TEST_PLAIN_IS_SET";

/// A topology with one core per processor, so that threads can be bound to them.
std::string small_caches() {
  const std::string cores = std::to_string(sysconf(_SC_NPROCESSORS_CONF));
  return "package:1 l3:1(size=2097152) l2:" + cores + "(size=524288) core:1 pu:1";
}

void set_environment() {
  constexpr int keep = 0;
  setenv("ONEDNN_MAX_CPU_ISA", "AVX2", keep);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) setenv("OPENBLAS_CORETYPE", "Haswell", keep);
#endif
  setenv("HWLOC_SYNTHETIC", small_caches().c_str(), keep);
  setenv("HWLOC_THISSYSTEM", "1", keep);
  setenv(done, "1", keep);
}

}  // namespace

bool is_plain_machine() { return std::getenv(done) != nullptr; }

void use_plain_machine_if_asked(char** arguments) {
  if (std::getenv(asked) == nullptr) return;
  if (!is_plain_machine()) {
    set_environment();
    const std::string program = std::filesystem::read_symlink("/proc/self/exe");
    execv(program.c_str(), arguments);
    std::perror(program.c_str());
    std::exit(1);
  }
#if defined(__x86_64__)
  hwy::DisableTargets(HWY_AVX2 - 1);  // all that Highway prefers to it
#endif
}

}  // namespace tutti
