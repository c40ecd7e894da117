// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace tutti {

/// Elements that begin on a line of the caches, where kernels stream.
template <class T>
class Lines {
 public:
  explicit Lines(std::size_t count) : lines_(count * sizeof(T) / sizeof(Line) + 1) {}

  T* data() { return reinterpret_cast<T*>(lines_.data()); }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(lines_.data()); }

 private:
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> lines_;
};

}  // namespace tutti
