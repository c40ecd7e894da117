// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tutti/devices/global_array.hpp"

namespace tutti {

/// The copy of an argument that lies otherwise than a program takes it. A call with the same array finds its copy
/// there; the array itself is not kept alive.
class Staging {
 public:
  /// True if memory() is the copy of this very array, and it was not written over since.
  bool is_of(const std::shared_ptr<const GlobalArray>& array) const;
  /// Copies `array` as `sharding` says, shards `shard_stride` bytes apart, into `bytes` bytes. Throws R003 (memory).
  void copy(const std::shared_ptr<const GlobalArray>& array, const Sharding& sharding, std::size_t bytes,
            std::size_t shard_stride);
  /// Null before the first copy.
  std::byte* memory() const { return memory_.get(); }
  /// Gives the memory back.
  void drop() { *this = {}; }

 private:
  std::shared_ptr<std::byte> memory_;
  std::weak_ptr<const GlobalArray> owner_;  // of the array that was copied; empty: the copy was not finished
  const GlobalArray* array_ = nullptr;      // never dereferenced
  std::uint64_t rewrites_ = 0;              // of the array when it was copied
};

}  // namespace tutti
