// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "tutti/base/namespaces.hpp"
#include "tutti/devices/drivers.hpp"
#include "tutti/tensor/tensor.hpp"
#include "tutti/types/sharding.hpp"
#include "tutti/types/type.hpp"

namespace tutti::internal {

/// The memory of a finished array: its distinct shards, dense, `shard_stride` bytes apart, in mesh order of
/// the stored axes. A dim that does not divide has room for ceil(d / n) in each. Freed, or given back, with
/// the last owner.
struct ShardedBuffer {
  std::shared_ptr<const std::byte> base;  // writable: a call may write over it once it is given away
  std::size_t shard_stride = 0;
  /// Not null: the shards lie on several processes, and this memory has those of the devices of this one.
  std::shared_ptr<const Drivers> drivers = {};
};
/// True if the same processes drive the same devices.
bool same_drivers(const std::shared_ptr<const Drivers>& a, const std::shared_ptr<const Drivers>& b);

/// The parts of a finished array that lie on the devices of a machine, outside of host memory.
class RemoteShards {
 public:
  RemoteShards() = default;
  virtual ~RemoteShards() = default;
  RemoteShards(const RemoteShards&) = delete;
  RemoteShards& operator=(const RemoteShards&) = delete;

  /// True if this process can read the part of `device`, a position of the array's mesh.
  virtual bool holds(int device) const = 0;
  /// Waits for the parts of these devices, and copies them. All have the padded local shape of the array's
  /// sharding.
  /// Throws the errors of the call that computes them, with its line.
  virtual Tensors download(std::span<const int> devices) const = 0;
};

/// Finished data: whole on one host, or sharded on a mesh between calls, on the host or on the devices of a
/// machine.
/// Immutable, until its only owner gives it away.
class GlobalArray {
 public:
  /// A whole array on the host.
  explicit GlobalArray(Tensor tensor);
  /// An array on a mesh. `type`: of the whole array.
  GlobalArray(Type type, Sharding sharding, ShardedBuffer buffer);
  GlobalArray(Type type, Sharding sharding, std::shared_ptr<const RemoteShards> shards);
  /// A copy of an array, laid out on a mesh. Along unreduced axes the first device holds it and the others
  /// zeros. Dims need not divide: see block.hpp. Each element is copied once; an array of terms is summed
  /// first, which takes its whole.
  /// Throws T013 as padded_local_type does.
  static GlobalArray distributed(const GlobalArray& array, const Sharding& sharding);
  static GlobalArray distributed(const Tensor& whole, const Sharding& sharding);

  /// How often the memory was taken over and written anew. The elements are the same as long as this number
  /// is.
  std::uint64_t rewrites() const { return rewrites_; }
  /// For the only owner, before it writes: no other thread can read the number then. The only caller,
  /// Executable's room_for, hands in an array that is_given_away found without other owners, or a result not
  /// yet handed out.
  void count_rewrite() const { ++rewrites_; }

  /// True for memory that somebody else may write between calls: Tensor::borrow. Copies of it are not kept.
  bool is_lent() const { return is_lent_; }
  /// The type of the whole; invariant over all axes.
  Type type() const { return type_; }
  const std::optional<Sharding>& sharding() const { return sharding_; }
  /// The memory of an array on the host. Throws I001 if it lies on the devices of a machine.
  const ShardedBuffer& buffer() const;
  /// The processes that hold its shards; null if this one holds all, or a machine's devices do.
  std::shared_ptr<const Drivers> drivers() const;
  /// The parts on the devices of a machine; null for an array on the host.
  const std::shared_ptr<const RemoteShards>& remote() const;

  /// The whole array on the host; a copy if it is sharded. An unreduced one is summed in mesh order.
  /// Throws R004 if this process does not hold all parts, and the errors of RemoteShards::download.
  Tensor whole() const;
  /// The part of it that `device` of its mesh holds, without padding; the whole if it is not sharded.
  /// Throws T015 if there is no such device, R004 if another process drives it.
  Tensor shard(int device) const;

 private:
  GlobalArray on_host() const;

  Type type_;
  std::optional<Sharding> sharding_;
  std::variant<ShardedBuffer, std::shared_ptr<const RemoteShards>> shards_;
  mutable std::uint64_t rewrites_ = 0;
  bool is_lent_ = false;
};

/// Writes the distinct shards of `array` under `sharding` to `to`, `shard_stride` bytes apart, as
/// GlobalArray::distributed lays them out; with `drivers` those that this process holds.
/// Throws R004 if this process does not hold all parts of the array.
void distribute(const GlobalArray& array, const Sharding& sharding, std::byte* to, std::size_t shard_stride,
                const Drivers* drivers = nullptr);

}  // namespace tutti::internal
