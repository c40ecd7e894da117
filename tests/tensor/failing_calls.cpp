// SPDX-License-Identifier: Apache-2.0
#include "tests/tensor/failing_calls.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

namespace {

std::atomic<tutti::Call> failing{tutti::Call::none};
std::atomic<int> error{0};

bool fails(tutti::Call call) {
  if (failing != call) return false;
  errno = error;
  return true;
}

template <class F>
F* next(const char* name) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

namespace tutti {

Failing::Failing(Call call, int why) {
  error = why;
  failing = call;
}
Failing::~Failing() { failing = Call::none; }

}  // namespace tutti

extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<std::FILE*(const char*, const char*)>("fopen");
  return fails(tutti::Call::fopen) ? nullptr : real(path, mode);
}

std::FILE* fdopen(int file, const char* mode) noexcept {
  static auto* const real = next<std::FILE*(int, const char*)>("fdopen");
  return fails(tutti::Call::fdopen) ? nullptr : real(file, mode);
}

int flock(int file, int operation) noexcept {
  static auto* const real = next<int(int, int)>("flock");
  return fails(tutti::Call::flock) ? -1 : real(file, operation);
}
}
