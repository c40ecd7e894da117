// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/empty_array.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/devices/shards.hpp"
#include "tutti/run/local_backend.hpp"

namespace tutti {

EmptyArray Machine::empty(const Shape& shape, DType dtype, const P& spec, Where where) const try {
  backend_->require_own_process();
  auto* const local = dynamic_cast<LocalBackend*>(backend_.get());
  require(local != nullptr, Code::device,
          "{} keep their memory to themselves; fill a Tensor and use place or from_shards",
          backend_->description());
  const Type type(dtype, shape);
  shape.check();
  Sharding sharding = spec.on(mesh(), type);
  static_cast<void>(local_type(type, sharding));  // throws unless all blocks are even
  ShardedBuffer room = local->room_for(type, sharding);
  // The block was allocated for this array: nobody else reads it.
  auto block = std::const_pointer_cast<std::byte>(room.base);
  return {type, std::move(sharding), std::move(block), room.shard_stride, std::move(room.drivers)};
} catch (const Error& error) {
  throw error.at(where, "empty");
}

EmptyArray::EmptyArray(Type type, Sharding sharding, std::shared_ptr<std::byte> block,
                       std::size_t shard_stride, std::shared_ptr<const Drivers> drivers)
    : type_(type),
      part_(local_type(type, sharding)),
      sharding_(std::move(sharding)),
      block_(std::move(block)),
      shard_stride_(shard_stride),
      drivers_(std::move(drivers)) {}

std::byte* EmptyArray::shard(DType dtype, int device, const Where& where) try {
  require(block_ != nullptr, Code::argument,
          "the memory was handed over; write all elements before you call array()");
  require(dtype == type_.dtype(), Code::argument, "the elements are of {}, not {}; ask for those",
          name(type_.dtype()), name(dtype));
  const int devices = sharding_.mesh.devices();
  require(device >= 0 && device < devices, Code::argument, "there is no device {}; the mesh has {}", device,
          devices_of(devices));
  const int slot = Shards(type_, sharding_, drivers_.get()).slot(device);
  require(slot >= 0, Code::device, "another process drives device {}; fill its part there", device);
  return block_.get() + static_cast<std::size_t>(slot) * shard_stride_;
} catch (const Error& error) {
  throw error.at(where, "shard_span");
}

Array EmptyArray::array(Where where) && {
  if (block_ == nullptr)
    throw_error(Code::argument, where, "array: the memory was handed over before; keep the array");
  return Array(std::make_shared<const GlobalArray>(type_, std::move(sharding_),
                                                   ShardedBuffer{std::move(block_), shard_stride_,
                                                                 std::move(drivers_)}));
}

}  // namespace tutti
