// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/layout.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

namespace tutti {

Layout::Layout(Mesh mesh, Storage storage, Types operands, Types results)
    : mesh_(mesh), storage_(storage), operands_(std::move(operands)), results_(std::move(results)) {}

bool Layout::stores(Type type, const Axis& axis) const {
  return storage_ == Storage::per_device || is_stored_per_device(type.at(axis));
}

int Layout::shards(Type type) const {
  int n = 1;
  for (const Axis& axis : mesh_.axes())
    if (stores(type, axis)) n *= axis.size;
  return n;
}

int Layout::shard(Type type, int device) const {
  int index = 0;
  for (const Axis& axis : mesh_.axes())
    if (stores(type, axis)) index = index * axis.size + mesh_.coordinate(device, axis);
  return index;
}

std::vector<std::string> Layout::holders(Type type) const {
  std::vector<std::string> names(static_cast<std::size_t>(shards(type)));
  for (int device = devices(); device-- > 0;) {
    std::string name;
    for (const Axis& axis : mesh_.axes())
      if (stores(type, axis))
        name += fmt::format("{}{}={}", name.empty() ? "" : ", ", axis.name, mesh_.coordinate(device, axis));
    names[static_cast<std::size_t>(shard(type, device))] = std::move(name);
  }
  return names;
}

int Layout::position(const Axes& axes, int device) const { return mesh_.position(device, axes); }

int Layout::peer(const Axes& axes, int device, int position) const {
  std::vector<int> wanted(axes.size());
  for (std::size_t i = axes.size(); i-- > 0; position /= axes[i].size) wanted[i] = position % axes[i].size;
  int peer = 0;
  for (const Axis& axis : mesh_.axes()) {
    int coordinate = mesh_.coordinate(device, axis);
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i] == axis) coordinate = wanted[i];
    peer = peer * axis.size + coordinate;
  }
  return peer;
}

}  // namespace tutti
