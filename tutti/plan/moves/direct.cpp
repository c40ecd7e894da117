// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/direct.hpp"

#include <algorithm>

#include "tutti/plan/moves/groups.hpp"

namespace tutti {
namespace {

constexpr std::int64_t most_visits = 100'000;  // of owners by receivers: some ten milliseconds

bool splits(const Sharding& sharding, const Axis& axis) {
  return std::ranges::any_of(sharding.dims, [&](const Axes& axes) { return contains(axes, axis); });
}

/// The sender of each block of `before`. Among several owners a receiver asks the one at its own position
/// along all axes that are free on both sides; along those that only `after` splits the receivers take the
/// owners in turn.
class Owners {
 public:
  Owners(const Sharding& before, const Sharding& after, const Shape& shape, const PairCosts& costs)
      : mesh_(before.mesh), before_(before), after_(after), shape_(shape), costs_(costs) {
    for (int dim = 0; dim < shape.rank(); ++dim) {
      const std::int64_t parts = joint_size(before.dims[static_cast<std::size_t>(dim)]);
      sizes_.push_back((shape[dim] + parts - 1) / parts);
    }
    for (const Axis& axis : mesh_.axes()) {
      if (splits(before, axis) && !splits(after, axis)) lost_.push_back(axis);
      if (!splits(before, axis) && splits(after, axis)) gained_.push_back(axis);
    }
  }

  DirectTraffic traffic() const {
    DirectTraffic most;
    std::int64_t lacking = 0;
    for (int device = 0; device < mesh_.devices(); ++device) {
      const Box have = block(device, before_, shape_), want = block(device, after_, shape_);
      const std::int64_t kept = intersection(have, want).elements();
      lacking += want.elements() - kept;
      most.received = std::max(most.received, want.elements() - kept);
      most.peers = std::max(most.peers, owners_of(want) - (kept > 0 ? 1 : 0));
    }
    const std::int64_t visits = std::int64_t{most.peers} * mesh_.devices();
    const bool are_few = visits <= most_visits;
    most.sent = are_few ? most_sent() : (lacking + mesh_.devices() - 1) / mesh_.devices();
    if (costs_.are_equal()) most.cost = static_cast<double>(most.received);
    else if (are_few) most.cost = most_cost();
    return most;
  }

 private:
  /// The blocks of `before` that `want` meets. Its last ones may be shorter than the others, or empty.
  int owners_of(const Box& want) const {
    std::int64_t product = 1;
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      const std::int64_t size = sizes_[dim];
      if (size == 0 || want.begin[dim] == want.end[dim]) return 0;
      product *= (want.end[dim] - 1) / size - want.begin[dim] / size + 1;
    }
    return static_cast<int>(product);
  }

  std::int64_t most_sent() const {
    std::vector<std::int64_t> sent(static_cast<std::size_t>(mesh_.devices()));
    for (int device = 0; device < mesh_.devices(); ++device) {
      const Box have = block(device, before_, shape_), want = block(device, after_, shape_);
      if (gained_.empty())
        sent[static_cast<std::size_t>(device)] =
            have.elements() * joint_size(lost_) - intersection(have, want).elements();
      else
        ask(device, want,
            [&](int owner, std::int64_t elements) { sent[static_cast<std::size_t>(owner)] += elements; });
    }
    return std::ranges::max(sent);
  }

  double most_cost() const {
    double most = 0;
    for (int device = 0; device < mesh_.devices(); ++device) {
      double cost = 0;
      ask(device, block(device, after_, shape_), [&](int owner, std::int64_t elements) {
        cost +=
            costs_.between(mesh_.device_id(owner), mesh_.device_id(device)) * static_cast<double>(elements);
      });
      most = std::max(most, cost);
    }
    return most;
  }

  /// `visit(owner, elements)` for each owner that `device` receives from.
  template <class Visit>
  void ask(int device, const Box& want, Visit&& found) const {
    if (owners_of(want) == 0) return;
    const std::int64_t turn = mesh_.position(device, lost_) % joint_size(gained_);
    const int owner = moved(device, gained_, turn);
    auto visit = [&](auto&& self, std::size_t dim, int at, std::int64_t elements) -> void {
      if (dim == sizes_.size()) {
        if (elements > 0 && !holds(device, at)) found(at, elements);
        return;
      }
      const std::int64_t size = sizes_[dim];
      for (std::int64_t i = want.begin[dim] / size; i * size < want.end[dim]; ++i) {
        const std::int64_t begin = std::max(want.begin[dim], i * size);
        const std::int64_t end = std::min(want.end[dim], (i + 1) * size);
        self(self, dim + 1, moved(at, before_.dims[dim], i), elements * (end - begin));
      }
    };
    visit(visit, 0, owner, 1);
  }

  bool holds(int device, int owner) const {
    return std::ranges::all_of(before_.dims, [&](const Axes& axes) {
      return mesh_.position(device, axes) == mesh_.position(owner, axes);
    });
  }

  /// The device at another joint position along `axes`.
  int moved(int device, const Axes& axes, std::int64_t position) const {
    for (std::size_t i = axes.size(); i-- > 0; position /= axes[i].size) {
      const int here = mesh_.coordinate(device, axes[i]);
      device += (static_cast<int>(position % axes[i].size) - here) * mesh_.stride(axes[i]);
    }
    return device;
  }

  const Mesh& mesh_;
  const Sharding &before_, &after_;
  const Shape& shape_;
  const PairCosts& costs_;
  Axes lost_, gained_;
  std::vector<std::int64_t> sizes_;  // of a block of `before` that is not shorter
};

}  // namespace

DirectTraffic direct_traffic(const Sharding& before, const Sharding& after, const Shape& shape,
                             const PairCosts& costs) {
  return Owners(before, after, shape, costs).traffic();
}

}  // namespace tutti
