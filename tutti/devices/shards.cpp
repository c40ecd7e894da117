// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/shards.hpp"

#include "tutti/tensor/loops/copies.hpp"

namespace tutti {
namespace {

std::vector<std::int64_t> strides_of(const Part& part, std::int64_t element_bytes) {
  std::vector<std::int64_t> strides(part.origin.size());
  for (std::size_t i = part.origin.size(); i-- > 0; element_bytes *= part.shape[static_cast<int>(i)])
    strides[i] = element_bytes;
  return strides;
}

}  // namespace

Part whole_part(const Shape& shape) {
  return {shape, std::vector<std::int64_t>(static_cast<std::size_t>(shape.rank()))};
}

Part part_of(const Box& box) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = 0; i < box.begin.size(); ++i) extents.push_back(box.end[i] - box.begin[i]);
  return {Shape(extents), box.begin};
}

void copy_box(std::byte* to, const Part& target, const std::byte* from, const Part& source, const Box& box,
              std::size_t element_bytes) {
  if (box.elements() == 0) return;
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::vector<std::int64_t> to_strides = strides_of(target, bytes),
                                  from_strides = strides_of(source, bytes);
  std::vector<CopyLoop> loops;
  for (std::size_t i = 0; i < box.begin.size(); ++i) {
    loops.push_back({box.end[i] - box.begin[i], to_strides[i], from_strides[i]});
    to += (box.begin[i] - target.origin[i]) * to_strides[i];
    from += (box.begin[i] - source.origin[i]) * from_strides[i];
  }
  strided_copy(to, from, loops, element_bytes);
}

Shards::Shards(Type whole, const Sharding& sharding, const Drivers* drivers)
    : whole_(whole),
      local_(padded_local_type(whole, sharding)),
      sharding_(sharding),
      layout_(sharding.mesh, Storage::by_type, {local_}, {}),
      drivers_(drivers) {
  if (!drivers_) return;
  slots_.assign(static_cast<std::size_t>(count()), -1);
  for (int device = 0; device < devices(); ++device)
    if (process(device) == drivers_->self) slots_[static_cast<std::size_t>(shard(device))] = 0;
  int next = 0;
  for (int& slot : slots_)
    if (slot == 0) slot = next++;
}

int Shards::process(int device) const {
  if (!drivers_) return 0;
  return drivers_->process[static_cast<std::size_t>(sharding_.mesh.device_id(device))];
}

std::vector<int> Shards::holders() const {
  std::vector<int> holders;
  for (int device = 0; device < devices(); ++device) {
    if (drivers_ && process(device) != drivers_->self) continue;
    const auto at = static_cast<std::size_t>(slot(device));
    if (at >= holders.size()) holders.resize(at + 1, -1);
    if (holders[at] < 0) holders[at] = device;
  }
  return holders;
}

int Shards::slot(int device) const {
  return drivers_ ? slots_[static_cast<std::size_t>(shard(device))] : shard(device);
}

std::vector<int> Shards::terms(int device) const {
  Axes in_mesh_order;
  for (const Axis& axis : sharding_.mesh.axes())
    if (contains(sharding_.unreduced, axis)) in_mesh_order.push_back(axis);
  std::vector<int> devices;
  for (int i = 0; i < joint_size(in_mesh_order); ++i)
    devices.push_back(layout_.peer(in_mesh_order, device, i));
  return devices;
}

}  // namespace tutti
