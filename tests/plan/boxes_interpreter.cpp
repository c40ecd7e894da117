// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/boxes_interpreter.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/plan/interpreter.hpp"
#include "tutti/types/block.hpp"

namespace tutti {
namespace {

using Index = std::vector<std::int64_t>;

/// The values of a device by element.
struct Held {
  Box box;
  std::map<Index, std::uint64_t> values;
};
using Devices = std::map<int, Held>;  // by the machine's number

template <class Visit>
void for_each_element(const Box& box, Visit&& visit) {
  if (box.elements() == 0) return;
  Index at = box.begin;
  for (;;) {
    visit(at);
    std::size_t dim = at.size();
    while (dim > 0 && ++at[dim - 1] == box.end[dim - 1]) {
      at[dim - 1] = box.begin[dim - 1];
      --dim;
    }
    if (dim == 0) return;
  }
}

std::map<int, int> positions_on(const Mesh& mesh) {
  std::map<int, int> positions;
  for (int position = 0; position < mesh.devices(); ++position)
    positions[mesh.device_id(position)] = position;
  return positions;
}

bool is_sum(StepKind kind) { return kind == StepKind::all_reduce || kind == StepKind::reduce_scatter; }
bool has_pairs(StepKind kind) { return kind == StepKind::permute || kind == StepKind::move; }

class Run {
 public:
  explicit Run(const ReshardPlan& plan) : whole_(plan.request.whole) {
    const Sharding& from = plan.request.from;
    for (const auto& [device, position] : positions_on(from.mesh)) {
      Held& held = devices_[device];
      held.box = block(position, from, whole_.shape());
      for_each_element(held.box, [&](const Index& at) {
        held.values[at] = value(at, static_cast<std::uint64_t>(from.mesh.position(position, from.unreduced)));
      });
    }
    for (const PlanStep& each : plan.steps) {
      lies_as(each.before, "before " + std::string(name(each.kind)));
      if (wrong_.empty()) step(each);
      if (!wrong_.empty()) return;
    }
    lies_as(plan.request.to, "at the end");
    if (wrong_.empty()) check(plan.request);
  }
  std::string wrong() && { return std::move(wrong_); }

 private:
  /// Devices that are not on the mesh forget what they hold: nothing may need it.
  void lies_as(const Sharding& sharding, const std::string& when) {
    Devices there;
    for (const auto& [device, position] : positions_on(sharding.mesh)) {
      const Box wanted = block(position, sharding, whole_.shape());
      Held held = devices_[device];
      if (held.box.begin.empty()) held.box = {wanted.begin, wanted.begin};  // it held nothing
      const bool are_empty = held.box.elements() == 0 && wanted.elements() == 0;
      if (!(held.box == wanted) && !are_empty)
        wrong_ = fmt::format("{}, device {} holds another block", when, device);
      there[device] = std::move(held);
    }
    devices_ = std::move(there);
  }

  static std::vector<int> sources_of(const PlanStep& step, int receiver) {
    std::vector<int> sources;
    for (const std::vector<int>& group : step.groups) {
      if (has_pairs(step.kind)) {
        if (group[1] == receiver) sources.push_back(group[0]);
      } else if (std::ranges::find(group, receiver) != group.end()) {
        sources.insert(sources.end(), group.begin(), group.end());
      }
    }
    return sources;
  }

  void step(const PlanStep& step) {
    Devices after;
    std::int64_t most_received = 0;
    int most_peers = 0;
    for (const auto& [device, position] : positions_on(step.after.mesh)) {
      Held& held = after[device];
      held.box = block(position, step.after, whole_.shape());
      std::int64_t received = 0;
      std::set<int> peers;
      for_each_element(held.box, [&](const Index& at) {
        held.values[at] =
            is_sum(step.kind) ? sum_at(step, device, at) : moved_at(step, device, at, received, peers);
      });
      if (step.kind == StepKind::mask && !keeps(step, position))
        for (auto& [at, cell] : held.values) cell = 0;
      most_received = std::max(most_received, received);
      most_peers =
          std::max(most_peers, has_pairs(step.kind) ? static_cast<int>(std::ssize(sources_of(step, device)))
                                                    : static_cast<int>(std::ssize(peers)));
    }
    devices_ = std::move(after);
    if (step.kind == StepKind::move || (step.kind == StepKind::exchange && most_received > 0))
      check_traffic(step, most_received, most_peers);
  }

  void check_traffic(const PlanStep& step, std::int64_t received, int peers) {
    const auto bytes = received * static_cast<std::int64_t>(bytes_per_element(whole_.dtype()));
    if (step.received_bytes < bytes || (step.kind == StepKind::move && step.received_bytes != bytes))
      wrong_ = fmt::format("a step receives {} bytes and says {}", bytes, step.received_bytes);
    if (step.kind == StepKind::move && step.peers != peers)
      wrong_ = fmt::format("a device has {} peers, and the step says {}", peers, step.peers);
    if (step.sent_bytes <= 0 || step.groups.empty()) wrong_ = "nobody sends";
  }

  std::uint64_t sum_at(const PlanStep& step, int device, const Index& at) {
    std::uint64_t sum = 0;
    for (int member : sources_of(step, device)) {
      const auto cell = devices_[member].values.find(at);
      if (cell == devices_[member].values.end()) wrong_ = "a member has no term of an element";
      else sum += cell->second;
    }
    return sum;
  }

  std::uint64_t moved_at(const PlanStep& step, int device, const Index& at, std::int64_t& received,
                         std::set<int>& peers) {
    if (const auto held = devices_.find(device); held != devices_.end())
      if (const auto cell = held->second.values.find(at); cell != held->second.values.end())
        return cell->second;
    if (step.kind == StepKind::mask) return 0;  // a block among zeros
    ++received;
    for (int source : sources_of(step, device)) {
      const auto cell = devices_[source].values.find(at);
      if (cell == devices_[source].values.end()) continue;
      peers.insert(source);
      return cell->second;
    }
    if (wrong_.empty())
      wrong_ = fmt::format("{}: nobody sends device {} what it lacks", name(step.kind), device);
    return 0;
  }

  /// True for the device that keeps its value when free axes become ones of terms.
  static bool keeps(const PlanStep& step, int position) {
    return std::ranges::all_of(step.after.unreduced, [&](const Axis& axis) {
      const bool was_in_a_dim =
          std::ranges::any_of(step.before.dims, [&](const Axes& axes) { return contains(axes, axis); });
      return was_in_a_dim || contains(step.before.unreduced, axis) ||
             step.after.mesh.coordinate(position, axis) == 0;
    });
  }

  void check(const PlanRequest& request) {
    const Mesh& mesh = request.to.mesh;
    for (int position = 0; position < mesh.devices(); ++position) {
      for_each_element(block(position, request.to, whole_.shape()), [&](const Index& at) {
        std::uint64_t expected = 0, found = 0;
        for (int term = 0; term < joint_size(request.from.unreduced); ++term)
          expected += value(at, static_cast<std::uint64_t>(term));
        for (int other = 0; other < mesh.devices(); ++other)
          if (differ_only_along(request.to.unreduced, mesh, position, other))
            found += devices_[mesh.device_id(other)].values.at(at);
        if (found != expected)
          wrong_ = fmt::format("device {} does not hold its block", mesh.device_id(position));
      });
    }
  }
  static bool differ_only_along(const Axes& axes, const Mesh& mesh, int a, int b) {
    return std::ranges::all_of(mesh.axes(), [&](const Axis& axis) {
      return contains(axes, axis) || mesh.coordinate(a, axis) == mesh.coordinate(b, axis);
    });
  }

  const Type whole_;
  Devices devices_;
  std::string wrong_;
};

}  // namespace

std::string wrong_boxes(const ReshardPlan& plan) { return Run(plan).wrong(); }

std::int64_t missing_elements(const PlanRequest& request) {
  const std::map<int, int> before = positions_on(request.from.mesh);
  std::int64_t most = 0;
  for (const auto& [device, position] : positions_on(request.to.mesh)) {
    const Box want = block(position, request.to, request.whole.shape());
    const auto was = before.find(device);
    const std::int64_t has =
        was == before.end()
            ? 0
            : intersection(want, block(was->second, request.from, request.whole.shape())).elements();
    most = std::max(most, want.elements() - has);
  }
  return most;
}

Mesh mesh_on(std::string_view axes, const std::vector<int>& devices) {
  std::vector<std::pair<std::string, int>> names_and_sizes;
  for (const Axis& axis : mesh_of(axes).axes()) names_and_sizes.emplace_back(axis.name, axis.size);
  return Mesh(names_and_sizes, {.devices = devices});
}

}  // namespace tutti
