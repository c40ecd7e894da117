// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Distributes the n elements of a tensor, row-major, over the T threads of a block; a scalar has n = 1.
/// - n >= T: each thread holds `rounds` vectors of `vector` adjacent elements. Held element r * vector + k of
///   thread i is element (r * T + i) * vector + k.
/// - n < T: thread i holds element i mod n. Threads 0 to n - 1 own their element: only they store it or
///   access it atomically.
/// In a kernel, tensors of equal size share one layout, so elementwise ops move no element to another thread.
struct ThreadLayout {
  std::int64_t elements = 1;
  int threads = 1;
  int vector = 1;
  int rounds = 1;

  /// The number of elements that a thread holds.
  int held() const { return vector * rounds; }
  /// True if several threads hold one element.
  bool is_replicated() const { return elements < threads; }
  /// The index of held element `held` of thread 0. For thread i, add i * vector.
  std::int64_t first(int held) const;
  bool operator==(const ThreadLayout&) const = default;
};

/// Computes a kernel's layouts, by number of elements. A vector is 16 bytes of the narrowest element type
/// that tensors of that size load or store.
/// Throws T015 if a thread would hold more than 256 elements of a tensor.
std::map<std::int64_t, ThreadLayout> thread_layouts(const Function& function, int threads);

}  // namespace tutti::kernels
