// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/global_array.hpp"

#include <cstring>

#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

/// Where the shards of one sharded array lie: in its buffer, and in the whole.
class Placement {
 public:
  Placement(Type whole, const Sharding& sharding)
      : whole_(whole),
        local_(local_type(whole, sharding)),
        sharding_(sharding),
        layout_(sharding.mesh, Storage::by_type, {local_}, {}) {}

  Type local() const { return local_; }
  int shards() const { return layout_.shards(local_); }
  int devices() const { return layout_.devices(); }
  int shard(int device) const { return layout_.shard(local_, device); }
  /// True for one device of each distinct shard: it stands first along all axes that are not stored.
  bool is_first_holder(int device) const {
    for (const Axis& axis : sharding_.mesh.axes())
      if (!layout_.stores(local_, axis) && sharding_.mesh.coordinate(device, axis) != 0) return false;
    return true;
  }
  int term(int device) const { return layout_.position(sharding_.unreduced, device); }

  /// In bytes, where the block of `device` starts in the whole.
  std::int64_t block_offset(int device) const {
    std::int64_t offset = 0, stride = element_bytes();
    for (int i = local_.rank(); i-- > 0; stride *= whole_.shape()[i])
      offset +=
          layout_.position(sharding_.dims[static_cast<std::size_t>(i)], device) * local_.shape()[i] * stride;
    return offset;
  }
  enum class Direction { to_whole, from_whole };
  std::vector<CopyLoop> loops(Direction direction) const {
    std::vector<CopyLoop> loops(static_cast<std::size_t>(local_.rank()));
    std::int64_t whole_stride = element_bytes(), local_stride = element_bytes();
    for (int i = local_.rank(); i-- > 0;) {
      bool out = direction == Direction::to_whole;
      loops[static_cast<std::size_t>(i)] = {local_.shape()[i], out ? whole_stride : local_stride,
                                            out ? local_stride : whole_stride};
      whole_stride *= whole_.shape()[i];
      local_stride *= local_.shape()[i];
    }
    return loops;
  }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(bytes_per_element(whole_.dtype())); }

 private:
  Type whole_, local_;
  const Sharding& sharding_;
  Layout layout_;
};

/// The sum of the terms that the devices along the unreduced axes hold, beginning with `device`.
Tensor summed(const GlobalArray& array, const Placement& placement, int device) {
  const Sharding& sharding = *array.sharding();
  Axes in_mesh_order;
  for (const Axis& axis : sharding.mesh.axes())
    if (contains(sharding.unreduced, axis)) in_mesh_order.push_back(axis);
  Layout layout(sharding.mesh, Storage::by_type, {}, {});
  std::vector<const std::byte*> terms;
  for (int i = 0; i < joint_size(in_mesh_order); ++i)
    terms.push_back(array.buffer().base.get() +
                    static_cast<std::size_t>(placement.shard(layout.peer(in_mesh_order, device, i))) *
                        array.buffer().shard_stride);
  Tensor sum(array.type().dtype(), placement.local().shape());
  fold_kernel(ReduceKind::sum, sum.dtype())(sum.mutable_bytes(), terms.data(), static_cast<int>(terms.size()),
                                            sum.elements(), Load::plain, Store::plain);
  return sum;
}

Tensor copied(Type type, const std::byte* from) {
  Tensor tensor(type.dtype(), type.shape());
  std::memcpy(tensor.mutable_bytes(), from, type.bytes());
  return tensor;
}

}  // namespace

GlobalArray::GlobalArray(Tensor tensor) : type_(tensor.dtype(), tensor.shape()) {
  auto owner = std::make_shared<const Tensor>(std::move(tensor));
  buffer_ = {std::shared_ptr<const std::byte>(owner, owner->data()), owner->bytes()};
}

GlobalArray::GlobalArray(Type type, Sharding sharding, ShardedBuffer buffer)
    : type_(type), sharding_(std::move(sharding)), buffer_(std::move(buffer)) {}

GlobalArray GlobalArray::distributed(const GlobalArray& array, const Sharding& sharding) {
  Placement placement(array.type(), sharding);
  std::size_t stride = shard_stride(placement.local().bytes());
  std::shared_ptr<std::byte> block = allocate_block(stride * static_cast<std::size_t>(placement.shards()));
  distribute(array, sharding, block.get(), stride);
  return {array.type(), sharding, {block, stride}};
}

GlobalArray GlobalArray::distributed(const Tensor& whole, const Sharding& sharding) {
  return distributed(GlobalArray(whole), sharding);
}

void distribute(const GlobalArray& array, const Sharding& sharding, std::byte* to, std::size_t shard_stride) {
  std::optional<Tensor> gathered;
  if (array.sharding()) gathered = array.whole();
  const std::byte* whole = gathered ? gathered->data() : array.buffer().base.get();
  std::size_t element_bytes = bytes_per_element(array.type().dtype());
  Placement placement(array.type(), sharding);
  std::vector<CopyLoop> loops = placement.loops(Placement::Direction::from_whole);
  for (int device = 0; device < placement.devices(); ++device) {
    if (!placement.is_first_holder(device)) continue;
    std::byte* shard = to + static_cast<std::size_t>(placement.shard(device)) * shard_stride;
    if (placement.term(device) == 0)
      strided_copy(shard, whole + placement.block_offset(device), loops, element_bytes);
    else std::memset(shard, 0, placement.local().bytes());
  }
}

Tensor GlobalArray::whole() const {
  if (!sharding_) return copied(type_, buffer_.base.get());
  Placement placement(type_, *sharding_);
  Tensor whole(type_.dtype(), type_.shape());
  std::vector<CopyLoop> loops = placement.loops(Placement::Direction::to_whole);
  for (int device = 0; device < placement.devices(); ++device) {
    if (!placement.is_first_holder(device) || placement.term(device) != 0) continue;
    std::byte* to = whole.mutable_bytes() + placement.block_offset(device);
    if (sharding_->unreduced.empty())
      strided_copy(to,
                   buffer_.base.get() +
                       static_cast<std::size_t>(placement.shard(device)) * buffer_.shard_stride,
                   loops, bytes_per_element(type_.dtype()));
    else strided_copy(to, summed(*this, placement, device).data(), loops, bytes_per_element(type_.dtype()));
  }
  return whole;
}

Tensor GlobalArray::shard(int device) const {
  if (!sharding_) return copied(type_, buffer_.base.get());
  require(device >= 0 && device < sharding_->mesh.devices(), Code::argument,
          "there is no device {}; the mesh has {}", device, devices_of(sharding_->mesh.devices()));
  Placement placement(type_, *sharding_);
  return copied(placement.local(), buffer_.base.get() + static_cast<std::size_t>(placement.shard(device)) *
                                                            buffer_.shard_stride);
}

}  // namespace tutti
