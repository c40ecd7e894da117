// SPDX-License-Identifier: Apache-2.0
// Planted: memory that nobody frees. The leak sanitizer must say detected memory leaks.
#include <cstddef>

int main(int count, char**) {
  auto* lost = new int[static_cast<std::size_t>(count) + 3];
  lost[0] = count;
  int first = *const_cast<volatile int*>(lost);
  lost = nullptr;
  return first == count ? 0 : 1;
}
