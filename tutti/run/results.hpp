// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tutti/devices/global_array.hpp"

namespace tutti {

/// True if there are `owners` of the array, and nobody looks at its memory but through them. What others did with it
/// comes before what the caller does then.
bool is_owned_by(int owners, const std::shared_ptr<const GlobalArray>& array);

/// The memory of one result of an executable: two buffers by turns, each free again when the caller has dropped the
/// array that it was handed out as. A caller who keeps more gets fresh ones.
class ResultRing {
 public:
  ResultRing(Type type, Sharding sharding, std::size_t bytes, std::size_t shard_stride)
      : type_(type), sharding_(std::move(sharding)), bytes_(bytes), shard_stride_(shard_stride) {}

  /// A result whose memory nobody else looks at; the run writes it before it is handed out.
  std::shared_ptr<const GlobalArray> take();
  /// True if it was handed out here, and may be again.
  bool has(const std::shared_ptr<const GlobalArray>& array) const;
  /// Of all buffers that are here, handed out or not.
  std::size_t bytes() const { return arrays_.size() * bytes_; }

 private:
  Type type_;
  Sharding sharding_;
  std::size_t bytes_, shard_stride_;
  std::vector<std::shared_ptr<const GlobalArray>> arrays_;
  std::size_t next_ = 0;
};

}  // namespace tutti
