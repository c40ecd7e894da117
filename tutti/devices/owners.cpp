// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/owners.hpp"

#include <algorithm>

#include "tutti/base/inside.hpp"

namespace tutti {
namespace {

constexpr std::int64_t most_visits = 100'000;  // of owners by receivers

bool splits(const Sharding& sharding, const Axis& axis) {
  return std::ranges::any_of(sharding.dims, [&](const Axes& axes) { return contains(axes, axis); });
}

}  // namespace

Owners::Owners(const Sharding& before, const Sharding& after, const Shape& shape)
    : mesh_(before.mesh), before_(before), after_(after), shape_(shape) {
  for (int dim = 0; dim < shape.rank(); ++dim) {
    const std::int64_t parts = joint_size(before.dims[static_cast<std::size_t>(dim)]);
    sizes_.push_back((shape[dim] + parts - 1) / parts);
  }
  for (const Axis& axis : mesh_.axes()) {
    if (splits(before, axis) && !splits(after, axis)) lost_.push_back(axis);
    if (!splits(before, axis) && splits(after, axis)) gained_.push_back(axis);
  }
}

bool Owners::are_few(int peers) const { return std::int64_t{peers} * mesh_.devices() <= most_visits; }

Owners::Most Owners::most() const {
  Most most;
  std::int64_t lacking = 0;
  for (int device = 0; device < mesh_.devices(); ++device) {
    const Box have = block(device, before_, shape_), want = block(device, after_, shape_);
    const std::int64_t kept = intersection(have, want).elements();
    lacking += want.elements() - kept;
    most.received = std::max(most.received, want.elements() - kept);
    most.peers = std::max(most.peers, owners_of(want) - (kept > 0 ? 1 : 0));
  }
  most.average_sent = (lacking + mesh_.devices() - 1) / mesh_.devices();
  most.sent = are_few(most.peers) ? most_sent() : most.average_sent;
  return most;
}

/// The blocks of `before` that `want` meets. Its last ones may be shorter than the others, or empty.
int Owners::owners_of(const Box& want) const {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
    const std::int64_t size = sizes_[dim];
    if (size == 0 || want.begin[dim] == want.end[dim]) return 0;
    product *= (want.end[dim] - 1) / size - want.begin[dim] / size + 1;
  }
  return static_cast<int>(product);
}

std::int64_t Owners::most_sent() const {
  std::vector<std::int64_t> sent(static_cast<std::size_t>(mesh_.devices()));
  for (int device = 0; device < mesh_.devices(); ++device) {
    const Box have = block(device, before_, shape_), want = block(device, after_, shape_);
    if (gained_.empty())
      sent[static_cast<std::size_t>(device)] =
          have.elements() * joint_size(lost_) - intersection(have, want).elements();
    else
      ask(device,
          [&](int owner, std::int64_t elements) { sent[static_cast<std::size_t>(owner)] += elements; });
  }
  return std::ranges::max(sent);
}

void Owners::ask(int device, const Found& found) const {
  const Box want = block(device, after_, shape_);
  if (owners_of(want) == 0) return;
  const std::int64_t turn = mesh_.position(device, lost_) % joint_size(gained_);
  visit(device, want, 0, moved(device, gained_, turn), 1, found);
}

void Owners::visit(int device, const Box& want, std::size_t dim, int at, std::int64_t elements,
                   const Found& found) const {
  if (dim == sizes_.size()) {
    if (elements > 0 && !holds(device, at)) found(at, elements);
    return;
  }
  const std::int64_t size = sizes_[dim];
  for (std::int64_t i = want.begin[dim] / size; i * size < want.end[dim]; ++i) {
    const std::int64_t begin = std::max(want.begin[dim], i * size);
    const std::int64_t end = std::min(want.end[dim], (i + 1) * size);
    visit(device, want, dim + 1, moved(at, before_.dims[dim], i), elements * (end - begin), found);
  }
}

bool Owners::holds(int device, int owner) const {
  return std::ranges::all_of(before_.dims, [&](const Axes& axes) {
    return mesh_.position(device, axes) == mesh_.position(owner, axes);
  });
}

/// The device at another joint position along `axes`.
int Owners::moved(int device, const Axes& axes, std::int64_t position) const {
  for (std::size_t i = axes.size(); i-- > 0; position /= axes[i].size) {
    const int here = mesh_.coordinate(device, axes[i]);
    device += (static_cast<int>(position % axes[i].size) - here) * mesh_.stride(axes[i]);
  }
  return device;
}

}  // namespace tutti
