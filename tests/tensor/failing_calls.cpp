// SPDX-License-Identifier: Apache-2.0
#include "tests/tensor/failing_calls.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "tutti/base/inside.hpp"

namespace {

std::atomic<tutti::Call> failing{tutti::Call::none};
std::atomic<int> error{0};

bool fails(tutti::Call call) {
  if (failing != call) return false;
  errno = error;
  return true;
}

std::function<void()> after_open;

std::FILE* opened(std::FILE* file, const char* mode) {
  if (file == nullptr || mode[0] != 'r' || !after_open) return file;
  const std::function<void()> act = std::exchange(after_open, {});  // `act` may open streams itself
  act();
  after_open = act;
  return file;
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

AfterEachOpen::AfterEachOpen(std::function<void()> act) { after_open = std::move(act); }
AfterEachOpen::~AfterEachOpen() { after_open = {}; }

}  // namespace tutti

extern "C" {

std::FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<std::FILE*(const char*, const char*)>("fopen");
  return fails(tutti::Call::fopen) ? nullptr : opened(real(path, mode), mode);
}

std::FILE* fdopen(int file, const char* mode) noexcept {
  static auto* const real = next<std::FILE*(int, const char*)>("fdopen");
  return fails(tutti::Call::fdopen) ? nullptr : opened(real(file, mode), mode);
}

int flock(int file, int operation) noexcept {
  static auto* const real = next<int(int, int)>("flock");
  return fails(tutti::Call::flock) ? -1 : real(file, operation);
}
}
