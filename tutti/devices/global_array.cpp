// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/global_array.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/devices/shards.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

/// The shard of a device, which this process holds.
const std::byte* memory_of(const GlobalArray& array, const Shards& shards, int device) {
  return array.buffer().base.get() +
         static_cast<std::size_t>(shards.slot(device)) * array.buffer().shard_stride;
}

/// The sum of the terms. `device` holds the first one.
Tensor summed(const GlobalArray& array, const Shards& shards, int device) {
  std::vector<const std::byte*> terms;
  for (int holder : shards.terms(device)) terms.push_back(memory_of(array, shards, holder));
  Tensor sum(shards.local().shape(), array.type().dtype());
  fold_kernel(ReduceKind::sum, sum.dtype())(sum.mutable_bytes(), terms.data(), static_cast<int>(terms.size()),
                                            sum.elements(), Load::plain, Store::plain);
  return sum;
}

Tensor copied(Type type, const std::byte* from) {
  Tensor tensor(type.shape(), type.dtype());
  std::memcpy(tensor.mutable_bytes(), from, type.bytes());
  return tensor;
}

}  // namespace

GlobalArray::GlobalArray(Tensor tensor) : type_(tensor.dtype(), tensor.shape()), is_lent_(tensor.is_lent()) {
  auto owner = std::make_shared<const Tensor>(std::move(tensor));
  shards_ = ShardedBuffer{std::shared_ptr<const std::byte>(owner, owner->data()), owner->bytes()};
}

GlobalArray::GlobalArray(Type type, Sharding sharding, ShardedBuffer buffer)
    : type_(type), sharding_(std::move(sharding)), shards_(std::move(buffer)) {}

GlobalArray::GlobalArray(Type type, Sharding sharding, std::shared_ptr<const RemoteShards> shards)
    : type_(type), sharding_(std::move(sharding)), shards_(std::move(shards)) {}

const ShardedBuffer& GlobalArray::buffer() const {
  const auto* buffer = std::get_if<ShardedBuffer>(&shards_);
  ensure(buffer != nullptr, "an array on the devices of a machine has no memory on the host");
  return *buffer;
}

const std::shared_ptr<const RemoteShards>& GlobalArray::remote() const {
  static const NeverDestroyed<std::shared_ptr<const RemoteShards>> none;
  const auto* shards = std::get_if<std::shared_ptr<const RemoteShards>>(&shards_);
  return shards ? *shards : *none;
}

std::shared_ptr<const Drivers> GlobalArray::drivers() const {
  const auto* buffer = std::get_if<ShardedBuffer>(&shards_);
  return buffer ? buffer->drivers : nullptr;
}

bool internal::same_drivers(const std::shared_ptr<const Drivers>& a,
                            const std::shared_ptr<const Drivers>& b) {
  return a == b || (a && b && *a == *b);
}

/// Copies an array from the devices to the host, with the same sharding.
GlobalArray GlobalArray::on_host() const {
  const Shards shards(type_, *sharding_);
  std::vector<int> holders(static_cast<std::size_t>(shards.count()), -1);  // per distinct shard
  for (int device = shards.devices(); device-- > 0;)
    if (remote()->holds(device)) holders[static_cast<std::size_t>(shards.shard(device))] = device;
  require(
      std::ranges::find(holders, -1) == holders.end(), Code::device,
      "the array is spread over several processes, and this one holds some parts of it; look at those with "
      "shard(device), or all_gather the array in a program first");
  const Tensors parts = remote()->download(holders);
  const std::size_t stride = shard_stride(shards.local().bytes());
  const std::shared_ptr<std::byte> block = allocate_block(stride * parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    std::memcpy(block.get() + i * stride, parts[i].data(), parts[i].bytes());
  return {type_, *sharding_, ShardedBuffer{block, stride}};
}

GlobalArray GlobalArray::distributed(const GlobalArray& array, const Sharding& sharding) {
  const Shards shards(array.type(), sharding);
  const std::size_t stride = shard_stride(shards.local().bytes());
  std::shared_ptr<std::byte> block = allocate_block(stride * static_cast<std::size_t>(shards.count()));
  distribute(array, sharding, block.get(), stride);
  return {array.type(), sharding, ShardedBuffer{block, stride}};
}

GlobalArray GlobalArray::distributed(const Tensor& whole, const Sharding& sharding) {
  return distributed(GlobalArray(whole), sharding);
}

void internal::distribute(const GlobalArray& array, const Sharding& sharding, std::byte* to,
                          std::size_t shard_stride, const Drivers* drivers) {
  const bool lies_whole =
      !array.remote() && !array.drivers() && (!array.sharding() || array.sharding()->unreduced.empty());
  if (!lies_whole) return distribute(GlobalArray(array.whole()), sharding, to, shard_stride, drivers);
  const Shards target(array.type(), sharding, drivers);
  const std::size_t element_bytes = bytes_per_element(array.type().dtype());
  std::optional<Shards> source;
  if (array.sharding()) source.emplace(array.type(), *array.sharding());
  for (int device : target.holders()) {
    std::byte* shard = to + static_cast<std::size_t>(target.slot(device)) * shard_stride;
    const Box box = target.box(device);
    const Part part = target.part(device);
    const bool holds_all = target.term(device) == 0 && box.elements() == part.shape.elements();
    if (!holds_all) std::memset(shard, 0, target.local().bytes());  // a term of zeros, or padding
    if (target.term(device) != 0) continue;
    if (!source) {
      copy_box(shard, part, array.buffer().base.get(), whole_part(array.type().shape()), box, element_bytes);
      continue;
    }
    source->for_each_holder(box, [&](int holder) {
      copy_box(shard, part, memory_of(array, *source, holder), source->part(holder),
               intersection(source->box(holder), box), element_bytes);
    });
  }
}

Tensor GlobalArray::whole() const {
  if (remote()) return on_host().whole();
  const ShardedBuffer& held = buffer();
  if (!sharding_) return copied(type_, held.base.get());
  const Shards shards(type_, *sharding_, held.drivers.get());
  const Part all = whole_part(type_.shape());
  Tensor whole(type_.shape(), type_.dtype());
  shards.for_each_holder(Box{all.origin, type_.shape().sizes()}, [&](int device) {
    for (int holder : shards.terms(device))
      require(
          shards.slot(holder) >= 0, Code::device,
          "the array is spread over the processes of its machine, and this one holds some parts of it: read "
          "those with shard(device), or let all processes call machine.place(x, P()), which gives each the "
          "whole");
    const std::optional<Tensor> sum =
        sharding_->unreduced.empty() ? std::nullopt : std::optional(summed(*this, shards, device));
    copy_box(whole.mutable_bytes(), all, sum ? sum->data() : memory_of(*this, shards, device),
             shards.part(device), shards.box(device), bytes_per_element(type_.dtype()));
  });
  return whole;
}

Tensor GlobalArray::shard(int device) const {
  if (!sharding_) return copied(type_, buffer().base.get());
  require(device >= 0 && device < sharding_->mesh.devices(), Code::argument,
          "there is no device {}; the mesh has {}", device, devices_of(sharding_->mesh.devices()));
  const std::shared_ptr<const Drivers> drivers = this->drivers();
  const Shards shards(type_, *sharding_, drivers.get());
  const Box box = shards.box(device);
  Tensor part(part_of(box).shape, type_.dtype());
  auto copy_part = [&](const std::byte* held) {
    copy_box(part.mutable_bytes(), part_of(box), held, shards.part(device), box,
             bytes_per_element(type_.dtype()));
  };
  const bool is_here = remote() ? remote()->holds(device) : shards.slot(device) >= 0;
  require(is_here, Code::device, "another process drives device {}; look at its part there", device);
  if (remote()) copy_part(remote()->download({&device, 1}).front().data());
  else copy_part(memory_of(*this, shards, device));
  return part;
}

}  // namespace tutti
