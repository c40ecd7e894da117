// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/global_array.hpp"

#include <algorithm>
#include <cstring>

#include "tutti/base/never_destroyed.hpp"
#include "tutti/base/require.hpp"
#include "tutti/devices/block.hpp"
#include "tutti/devices/layout.hpp"
#include "tutti/tensor/loops/access.hpp"
#include "tutti/tensor/loops/copies.hpp"
#include "tutti/tensor/loops/reductions.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

/// A dense array that holds the elements of a whole from `origin` on.
struct Part {
  Shape shape;
  std::vector<std::int64_t> origin;

  std::vector<std::int64_t> strides(std::int64_t element_bytes) const {
    std::vector<std::int64_t> strides(origin.size());
    for (std::size_t i = origin.size(); i-- > 0; element_bytes *= shape[static_cast<int>(i)])
      strides[i] = element_bytes;
    return strides;
  }
};

/// Copies the elements of `box`, which both parts hold.
void copy_box(std::byte* to, const Part& target, const std::byte* from, const Part& source, const Box& box,
              std::size_t element_bytes) {
  if (box.elements() == 0) return;
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::vector<std::int64_t> to_strides = target.strides(bytes), from_strides = source.strides(bytes);
  std::vector<CopyLoop> loops;
  for (std::size_t i = 0; i < box.begin.size(); ++i) {
    loops.push_back({box.end[i] - box.begin[i], to_strides[i], from_strides[i]});
    to += (box.begin[i] - target.origin[i]) * to_strides[i];
    from += (box.begin[i] - source.origin[i]) * from_strides[i];
  }
  strided_copy(to, from, loops, element_bytes);
}

/// Where the shards of one sharded array lie: in its buffer, and in the whole.
class Placement {
 public:
  Placement(Type whole, const Sharding& sharding)
      : whole_(whole),
        local_(padded_local_type(whole, sharding)),
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
  Box box(int device) const { return block(device, sharding_, whole_.shape()); }
  Part part(const Box& box) const { return {local_.shape(), box.begin}; }

  /// `visit` for one device of each block that has elements of `box`: those that stand first along all other axes.
  template <class Visit>
  void for_each_holder(const Box& box, Visit&& visit) const {
    visit_holders(box, 0, 0, visit);
  }

 private:
  template <class Visit>
  void visit_holders(const Box& box, int dim, int device, Visit& visit) const {
    if (dim == local_.rank()) return visit(device);
    const auto i = static_cast<std::size_t>(dim);
    const std::int64_t size = local_.shape()[dim];
    if (box.begin[i] >= box.end[i]) return;
    for (std::int64_t at = box.begin[i] / size; at * size < box.end[i]; ++at)
      visit_holders(box, dim + 1, layout_.peer(sharding_.dims[i], device, static_cast<int>(at)), visit);
  }

  Type whole_, local_;
  const Sharding& sharding_;
  Layout layout_;
};

Part whole_part(const Shape& shape) {
  return {shape, std::vector<std::int64_t>(static_cast<std::size_t>(shape.rank()))};
}

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
  Tensor sum(placement.local().shape(), array.type().dtype());
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

GlobalArray::GlobalArray(Tensor tensor) : type_(tensor.dtype(), tensor.shape()) {
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

/// Copies an array from the devices to the host, with the same sharding.
GlobalArray GlobalArray::on_host() const {
  const Placement placement(type_, *sharding_);
  std::vector<int> holders(static_cast<std::size_t>(placement.shards()), -1);  // per distinct shard
  for (int device = placement.devices(); device-- > 0;)
    if (remote()->holds(device)) holders[static_cast<std::size_t>(placement.shard(device))] = device;
  require(
      std::ranges::find(holders, -1) == holders.end(), Code::device,
      "the array is spread over several processes, and this one holds some parts of it; look at those with "
      "shard(device), or all_gather the array in a program first");
  const Tensors parts = remote()->download(holders);
  const std::size_t stride = shard_stride(placement.local().bytes());
  const std::shared_ptr<std::byte> block = allocate_block(stride * parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    std::memcpy(block.get() + i * stride, parts[i].data(), parts[i].bytes());
  return {type_, *sharding_, ShardedBuffer{block, stride}};
}

GlobalArray GlobalArray::distributed(const GlobalArray& array, const Sharding& sharding) {
  Placement placement(array.type(), sharding);
  std::size_t stride = shard_stride(placement.local().bytes());
  std::shared_ptr<std::byte> block = allocate_block(stride * static_cast<std::size_t>(placement.shards()));
  distribute(array, sharding, block.get(), stride);
  return {array.type(), sharding, ShardedBuffer{block, stride}};
}

GlobalArray GlobalArray::distributed(const Tensor& whole, const Sharding& sharding) {
  return distributed(GlobalArray(whole), sharding);
}

namespace {

/// Copies the elements of `box` to a part, from the shards of an array without unreduced axes.
void copy_from_shards(std::byte* to, const Part& target, const GlobalArray& array, const Placement& source,
                      const Box& box) {
  source.for_each_holder(box, [&](int device) {
    const Box held = source.box(device);
    const std::byte* shard = array.buffer().base.get() +
                             static_cast<std::size_t>(source.shard(device)) * array.buffer().shard_stride;
    copy_box(to, target, shard, source.part(held), intersection(held, box),
             bytes_per_element(array.type().dtype()));
  });
}

}  // namespace

void internal::distribute(const GlobalArray& array, const Sharding& sharding, std::byte* to,
                          std::size_t shard_stride) {
  if (array.remote() || (array.sharding() && !array.sharding()->unreduced.empty()))
    return distribute(GlobalArray(array.whole()), sharding, to, shard_stride);
  Placement placement(array.type(), sharding);
  std::optional<Placement> source;
  if (array.sharding()) source.emplace(array.type(), *array.sharding());
  for (int device = 0; device < placement.devices(); ++device) {
    if (!placement.is_first_holder(device)) continue;
    std::byte* shard = to + static_cast<std::size_t>(placement.shard(device)) * shard_stride;
    const Box box = placement.box(device);
    const bool holds_all =
        placement.term(device) == 0 && box.elements() == placement.local().shape().elements();
    if (!holds_all) std::memset(shard, 0, placement.local().bytes());  // a term of zeros, or padding
    if (placement.term(device) != 0) continue;
    if (source) copy_from_shards(shard, placement.part(box), array, *source, box);
    else
      copy_box(shard, placement.part(box), array.buffer().base.get(), whole_part(array.type().shape()), box,
               bytes_per_element(array.type().dtype()));
  }
}

Tensor GlobalArray::whole() const {
  if (remote()) return on_host().whole();
  const ShardedBuffer& held = buffer();
  if (!sharding_) return copied(type_, held.base.get());
  Placement placement(type_, *sharding_);
  Tensor whole(type_.shape(), type_.dtype());
  for (int device = 0; device < placement.devices(); ++device) {
    if (!placement.is_first_holder(device) || placement.term(device) != 0) continue;
    const Box box = placement.box(device);
    const std::optional<Tensor> sum =
        sharding_->unreduced.empty() ? std::nullopt : std::optional(summed(*this, placement, device));
    const std::byte* shard =
        sum ? sum->data()
            : held.base.get() + static_cast<std::size_t>(placement.shard(device)) * held.shard_stride;
    copy_box(whole.mutable_bytes(), whole_part(type_.shape()), shard, placement.part(box), box,
             bytes_per_element(type_.dtype()));
  }
  return whole;
}

Tensor GlobalArray::shard(int device) const {
  if (!sharding_) return copied(type_, buffer().base.get());
  require(device >= 0 && device < sharding_->mesh.devices(), Code::argument,
          "there is no device {}; the mesh has {}", device, devices_of(sharding_->mesh.devices()));
  const Placement placement(type_, *sharding_);
  const Box box = placement.box(device);
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < box.begin.size(); ++i) extents.push_back(box.end[i] - box.begin[i]);
  Tensor part(Shape(extents), type_.dtype());
  auto copy_part = [&](const std::byte* held) {
    copy_box(part.mutable_bytes(), {part.shape(), box.begin}, held, placement.part(box), box,
             bytes_per_element(type_.dtype()));
  };
  if (!remote()) {
    const auto shard = static_cast<std::size_t>(placement.shard(device));
    copy_part(buffer().base.get() + shard * buffer().shard_stride);
    return part;
  }
  require(remote()->holds(device), Code::device, "another process drives device {}; look at its part there",
          device);
  copy_part(remote()->download({&device, 1}).front().data());
  return part;
}

}  // namespace tutti
