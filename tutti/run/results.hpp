// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tutti/run/backend.hpp"

namespace tutti {

/// Throws T015 (argument) unless there is one input per type, and each has its type. Makes texts only for
/// errors: every call comes here.
void require_types(const GlobalArrays& inputs, const Types& types);

/// True if exactly `owners` references to the array exist, and its memory has no other owner. Also acquires
/// other threads' earlier accesses.
bool is_owned_by(int owners, const std::shared_ptr<const GlobalArray>& array);

/// The memory of one result of an executable: two buffers, used in turn. A buffer is free again once the
/// caller drops the array that holds it. If none is free, the caller gets a fresh one.
class ResultRing {
 public:
  ResultRing(Type type, Sharding sharding, std::size_t bytes, std::size_t shard_stride,
             std::shared_ptr<const Drivers> drivers)
      : type_(type),
        sharding_(std::move(sharding)),
        bytes_(bytes),
        shard_stride_(shard_stride),
        drivers_(std::move(drivers)) {}

  /// An array whose memory nobody else owns, for a call to write and hand out.
  std::shared_ptr<const GlobalArray> take();
  /// True if the ring has handed out this array and may hand it out again.
  bool has(const std::shared_ptr<const GlobalArray>& array) const;
  /// Bytes of all buffers of the ring, handed out or not.
  std::size_t bytes() const { return arrays_.size() * bytes_; }

 private:
  Type type_;
  Sharding sharding_;
  std::size_t bytes_, shard_stride_;
  std::shared_ptr<const Drivers> drivers_;
  std::vector<std::shared_ptr<const GlobalArray>> arrays_;
  std::size_t next_ = 0;
};

}  // namespace tutti
