// SPDX-License-Identifier: Apache-2.0
// Memory of a machine that the caller fills: docs/own_memory.md.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tutti/run/machine.hpp"

namespace tutti {

/// Zeroed memory of a sharded array. The caller fills the blocks through shard_span(), then takes the array
/// by array(). See Machine::empty.
class EmptyArray {
 public:
  /// `block`: the shards of this process, as internal::ShardedBuffer has them. Machine::empty is for users.
  EmptyArray(ops::Type type, Sharding sharding, std::shared_ptr<std::byte> block, std::size_t shard_stride,
             std::shared_ptr<const internal::Drivers> drivers);
  EmptyArray(EmptyArray&&) = default;
  EmptyArray& operator=(EmptyArray&&) = default;
  EmptyArray(const EmptyArray&) = delete;  // the array shall have one owner
  EmptyArray& operator=(const EmptyArray&) = delete;
  ~EmptyArray() = default;

  /// The shape of the whole array, and the dtype of its elements.
  const Shape& shape() const { return type_.shape(); }
  DType dtype() const { return type_.dtype(); }
  /// The shape of the block of each device.
  const Shape& shard_shape() const { return part_.shape(); }
  /// The elements of the block that `device` of the mesh holds, in row-major order. Devices that hold the
  /// same block give the same memory. Write no more once array() was called.
  /// Throws T015 if T is not the C++ type of the dtype, if there is no such device, or after array(); R004 if
  /// another process drives the device.
  template <class T>
    requires is_element<T>
  std::span<T> shard_span(int device, Where where = Where::here()) {
    std::byte* first = shard(dtype_of<T>(), device, where);
    return {reinterpret_cast<T*>(first), static_cast<std::size_t>(part_.shape().elements())};
  }
  /// Hands the memory over, without a copy, as an array that lies where it was written. Throws T015 if it was
  /// called before.
  Array array(Where where = Where::here()) &&;

 private:
  std::byte* shard(DType dtype, int device, const Where& where);

  ops::Type type_, part_;
  Sharding sharding_;
  std::shared_ptr<std::byte> block_;  // null after array()
  std::size_t shard_stride_;
  std::shared_ptr<const internal::Drivers> drivers_;
};

}  // namespace tutti
