// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/staging.hpp"

#include "tutti/devices/block.hpp"

namespace tutti {

// The address alone would not do: another array may lie where one was that is gone. Nor would lock(): for a moment the
// array would have another owner, and could not be written in place.
bool Staging::is_of(const std::shared_ptr<const GlobalArray>& array) const {
  bool has_same_owner = !owner_.owner_before(array) && !array.owner_before(owner_);
  return has_same_owner && array.get() == array_ && array->rewrites() == rewrites_;
}

void Staging::copy(const std::shared_ptr<const GlobalArray>& array, const Sharding& sharding,
                   std::size_t bytes, std::size_t shard_stride) {
  owner_.reset();
  if (!memory_) memory_ = allocate_block(bytes);
  distribute(*array, sharding, memory_.get(), shard_stride);
  owner_ = array;
  array_ = array.get();
  rewrites_ = array->rewrites();
}

}  // namespace tutti
