// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tutti/base/inside.hpp"
#include "tutti/devices/global_array.hpp"
#include "tutti/devices/transport.hpp"

namespace tutti {

/// A copy of an argument in the program's layout. A later call with the same array uses the copy again; the
/// array itself is not kept alive. Copies of memory that is lent are made anew by each call.
class Staging {
 public:
  /// True if memory() is a copy of `array`, and `array` was not overwritten since.
  bool is_of(const std::shared_ptr<const GlobalArray>& array) const;
  /// Where copies go, and what lies in them.
  struct Target {
    const Sharding& sharding;
    std::size_t bytes, shard_stride;
    const std::shared_ptr<const Drivers>& drivers;
  };
  /// Copies `array` as `target` says. Throws R003 (memory).
  void copy(const std::shared_ptr<const GlobalArray>& array, const Target& target);
  /// The same of an array whose shards lie on the processes that `target` names. All of them move it, in
  /// every call: one that kept the copy would not meet the others.
  void move(const std::shared_ptr<const GlobalArray>& array, const Target& target, Transport& transport);
  /// Null before the first copy.
  std::byte* memory() const { return memory_.get(); }
  /// Frees the memory.
  void drop() { *this = {}; }

 private:
  std::shared_ptr<std::byte> memory_;
  std::weak_ptr<const GlobalArray> owner_;  // of the array that was copied; empty: the copy was not finished
  const GlobalArray* array_ = nullptr;      // never dereferenced
  std::uint64_t rewrites_ = 0;              // the array's rewrites() when it was copied
};

}  // namespace tutti
