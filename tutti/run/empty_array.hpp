// SPDX-License-Identifier: Apache-2.0
// Memory of a machine that the caller fills: docs/own_memory.md.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "tutti/run/machine.hpp"

namespace tutti {

/// The zeroed memory of a sharded array, before it is an array. Fill each block through shard_span(), then
/// call array(). Machine::empty makes one.
class EmptyArray {
 public:
  /// For Machine::empty. `block` holds the shards of this process, laid out as in internal::ShardedBuffer.
  EmptyArray(ops::Type type, Sharding sharding, std::shared_ptr<std::byte> block, std::size_t shard_stride,
             std::shared_ptr<const internal::Drivers> drivers);
  EmptyArray(EmptyArray&&) = default;
  EmptyArray& operator=(EmptyArray&&) = default;
  EmptyArray(const EmptyArray&) = delete;  // the memory has one owner
  EmptyArray& operator=(const EmptyArray&) = delete;
  ~EmptyArray() = default;

  /// shape() is that of the whole array, dtype() that of its elements.
  const Shape& shape() const { return type_.shape(); }
  DType dtype() const { return type_.dtype(); }
  /// The shape of the block of each device.
  const Shape& shard_shape() const { return part_.shape(); }
  /// The block of `device`, a position in the mesh: its elements in row-major order. Devices that hold the
  /// same block share its memory. Do not write to the span after array().
  /// Throws T015 if T is not the C++ type of the dtype, if there is no such device, and after array(); R004
  /// if the device belongs to another process.
  template <class T>
    requires is_element<T>
  std::span<T> shard_span(int device, Where where = Where::here()) {
    std::byte* first = shard(dtype_of<T>(), device, where);
    return {reinterpret_cast<T*>(first), static_cast<std::size_t>(part_.shape().elements())};
  }
  /// Turns the memory into an array, without a copy; this object is then empty. Throws T015 if called twice.
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
