// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// How the n elements of a tensor, row-major, lie over the T threads of a block. A scalar is a tensor of one.
/// - n >= T: in each round, thread i holds `vector` elements side by side: held element r * vector + k is element
///   (r * T + i) * vector + k.
/// - n < T: thread i holds element i mod n. The first n threads own theirs: only they store, or use an atomic.
/// Tensors of one size in a kernel share one layout, so that no element ever moves to another thread.
struct ThreadLayout {
  std::int64_t elements = 1;
  int threads = 1;
  int vector = 1;
  int rounds = 1;

  int held() const { return vector * rounds; }
  bool is_replicated() const { return elements < threads; }
  /// The element that thread 0 holds as number `held`; thread i holds that i * vector further.
  std::int64_t first(int held) const;
  bool operator==(const ThreadLayout&) const = default;
};

/// The layouts of a kernel, by size. Vectors have 16 bytes of the narrowest elements that are loaded or stored.
/// Throws T015 if a thread would hold more than 256 elements of a tensor.
std::map<std::int64_t, ThreadLayout> thread_layouts(const Function& function, int threads);

}  // namespace tutti::kernels
