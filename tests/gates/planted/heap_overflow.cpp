// SPDX-License-Identifier: Apache-2.0
// Planted: reads behind the end of an array. The address sanitizer must say heap-buffer-overflow.
#include <memory>

int main(int count, char**) {
  auto values = std::make_unique<int[]>(4);
  return values[static_cast<std::size_t>(count) + 3];
}
