// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace tutti {

// The calls of the system that open and lock files fail in this test program where a test says so.

enum class Call { none, fopen, fdopen, flock };

/// While it lives, `call` fails with the error `why`.
class Failing {
 public:
  Failing(Call call, int why);
  ~Failing();
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
};

/// While it lives, `act` runs after each call that opened a stream for reading, before the caller goes on.
class AfterEachOpen {
 public:
  explicit AfterEachOpen(std::function<void()> act);
  ~AfterEachOpen();
  AfterEachOpen(const AfterEachOpen&) = delete;
  AfterEachOpen& operator=(const AfterEachOpen&) = delete;
};

}  // namespace tutti
