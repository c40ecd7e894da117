// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/staging.hpp"

#include "tutti/devices/block.hpp"
#include "tutti/devices/shard_exchange.hpp"

namespace tutti {

// Comparing addresses alone is not enough: a new array may have the address of a dead one. Comparing
// owner_.lock() would add an owner for a moment, and the array could not be donated meanwhile.
bool Staging::is_of(const std::shared_ptr<const GlobalArray>& array) const {
  bool has_same_owner = !owner_.owner_before(array) && !array.owner_before(owner_);
  return has_same_owner && array.get() == array_ && array->rewrites() == rewrites_;
}

void Staging::copy(const std::shared_ptr<const GlobalArray>& array, const Target& target) {
  owner_.reset();
  if (!memory_) memory_ = allocate_block(target.bytes);
  distribute(*array, target.sharding, memory_.get(), target.shard_stride, target.drivers.get());
  if (array->is_lent()) return;  // its owner may write it before the next call
  owner_ = array;
  array_ = array.get();
  rewrites_ = array->rewrites();
}

void Staging::move(const std::shared_ptr<const GlobalArray>& array, const Target& target,
                   Transport& transport) {
  owner_.reset();
  if (!memory_) memory_ = allocate_block(target.bytes);
  exchange_shards(*array, target.sharding, transport, memory_.get(), target.shard_stride);
}

}  // namespace tutti
