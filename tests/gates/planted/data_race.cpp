// SPDX-License-Identifier: Apache-2.0
// Planted: two threads count without a lock. The thread sanitizer must say data race.
#include <thread>

int main() {
  int counter = 0;
  auto count = [&counter] {
    for (int i = 0; i < 1000; ++i) ++counter;
  };
  std::thread other(count);
  count();
  other.join();
  return counter > 0 ? 0 : 1;
}
