// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/move_traffic.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tutti {
namespace {

/// The blocks of a sharding. Along each dim all have the same size, except the last ones.
class Grid {
 public:
  Grid(const Sharding& sharding, const Shape& shape) {
    for (int dim = 0; dim < shape.rank(); ++dim) {
      const std::int64_t parts = joint_size(sharding.dims[static_cast<std::size_t>(dim)]);
      sizes_.push_back(std::max<std::int64_t>(1, (shape[dim] + parts - 1) / parts));
    }
  }

  /// The number of blocks that have elements of `box`.
  std::int64_t blocks_in(const Box& box) const {
    std::int64_t product = 1;
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      if (box.begin[dim] >= box.end[dim]) return 0;
      product *= (box.end[dim] - 1) / sizes_[dim] - box.begin[dim] / sizes_[dim] + 1;
    }
    return product;
  }

  /// `visit(key, elements)` for each of them: where the block begins, and how many elements of `box` it has.
  template <class Visit>
  void for_each_in(const Box& box, Visit&& visit) const {
    if (blocks_in(box) == 0) return;
    std::vector<std::int64_t> begin(sizes_.size());
    go(box, 0, 1, begin, visit);
  }

 private:
  template <class Visit>
  void go(const Box& box, std::size_t dim, std::int64_t elements, std::vector<std::int64_t>& begin,
          Visit& visit) const {
    if (dim == sizes_.size()) return visit(begin, elements);
    const std::int64_t size = sizes_[dim];
    for (std::int64_t at = box.begin[dim] / size * size; at < box.end[dim]; at += size) {
      begin[dim] = at;
      const std::int64_t common = std::min(at + size, box.end[dim]) - std::max(at, box.begin[dim]);
      go(box, dim + 1, elements * common, begin, visit);
    }
  }

  std::vector<std::int64_t> sizes_;
};

struct Device {
  std::int64_t sent = 0, received = 0;
  double cost_sent = 0, cost_received = 0;
  int peers = 0;
};

class Move {
 public:
  Move(const Sharding& before, const Sharding& after, const Shape& shape, const PairCosts& costs)
      : shape_(shape), costs_(costs), grid_(before, shape) {
    for (int position = 0; position < before.mesh.devices(); ++position) {
      const Box held = block(position, before, shape);
      const int device = before.mesh.device_id(position);
      held_.emplace(device, held);
      if (held.elements() > 0) owners_[held.begin].emplace(0, device);
    }
    for (int position = 0; position < after.mesh.devices(); ++position)
      wanted_.emplace(after.mesh.device_id(position), block(position, after, shape));
  }

  std::int64_t visits() const {
    std::int64_t sum = std::ssize(held_) + std::ssize(wanted_);
    for (const auto& [device, want] : wanted_) sum += grid_.blocks_in(want);
    return sum;
  }

  MoveTraffic traffic() && {
    for (const auto& [receiver, want] : wanted_) receive(receiver, want);
    MoveTraffic most;
    for (const auto& [pair, elements] : sent_) most.transfers.push_back({pair.first, pair.second, elements});
    for (const auto& [id, device] : devices_) {
      most.received = std::max(most.received, device.received);
      most.sent = std::max(most.sent, device.sent);
      most.peers = std::max(most.peers, device.peers);
      most.cost_received = std::max(most.cost_received, device.cost_received);
      most.cost = std::max({most.cost, device.cost_sent, device.cost_received});
    }
    most.keeps_blocks = std::ranges::all_of(wanted_, [&](const auto& each) {
      const auto held = held_.find(each.first);
      const bool is_empty = each.second.elements() == 0;
      return held == held_.end() ? is_empty
                                 : held->second == each.second || (is_empty && held->second.elements() == 0);
    });
    most.sends_parts = std::ranges::any_of(most.transfers, [&](const MoveTransfer& transfer) {
      return held_.at(transfer.sender).elements() != transfer.elements ||
             wanted_.at(transfer.receiver).elements() != transfer.elements;
    });
    most.pattern = pattern(most.transfers);
    return most;
  }

 private:
  /// A device does not receive the block of the grid that it holds already.
  void receive(int receiver, const Box& want) {
    const auto held = held_.find(receiver);
    grid_.for_each_in(want, [&](const std::vector<std::int64_t>& begin, std::int64_t elements) {
      if (held != held_.end() && held->second.begin == begin && held->second.elements() > 0) return;
      std::set<Load>& owners = owners_.at(begin);
      const auto [sent, sender] = *owners.begin();
      owners.erase(owners.begin());
      owners.emplace(sent + elements, sender);
      auto [it, is_new] = sent_.try_emplace({sender, receiver}, 0);
      it->second += elements;
      const double cost = costs_.between(sender, receiver) * static_cast<double>(elements);
      devices_[sender].sent += elements;
      devices_[sender].cost_sent += cost;
      devices_[receiver].received += elements;
      devices_[receiver].cost_received += cost;
      if (is_new) ++devices_[receiver].peers;
    });
  }

  bool is_whole(const Box& box) const { return box.elements() == shape_.elements(); }

  PlanStep::Pattern pattern(const std::vector<MoveTransfer>& transfers) const {
    if (is_one_block_each(transfers)) return PlanStep::Pattern::send_recv;
    const MoveTransfer& first = transfers.front();
    auto is_from_one = [&](const MoveTransfer& transfer) { return transfer.sender == first.sender; };
    if (std::ranges::all_of(transfers, is_from_one) && is_whole(held_.at(first.sender)))
      return is_whole(wanted_.at(first.receiver)) ? PlanStep::Pattern::broadcast : PlanStep::Pattern::scatter;
    auto is_to_one = [&](const MoveTransfer& transfer) { return transfer.receiver == first.receiver; };
    const bool gathers = std::ranges::all_of(transfers, is_to_one) && is_whole(wanted_.at(first.receiver));
    return gathers ? PlanStep::Pattern::gather : PlanStep::Pattern::boxes;
  }
  /// True if each device sends its whole block to one other at most, which wants just that.
  bool is_one_block_each(const std::vector<MoveTransfer>& transfers) const {
    std::map<int, int> sends, receives;
    return std::ranges::all_of(transfers, [&](const MoveTransfer& transfer) {
      return ++sends[transfer.sender] == 1 && ++receives[transfer.receiver] == 1 &&
             held_.at(transfer.sender).elements() == transfer.elements &&
             wanted_.at(transfer.receiver).elements() == transfer.elements;
    });
  }

  const Shape& shape_;
  const PairCosts& costs_;
  const Grid grid_;
  std::map<int, Box> held_, wanted_;          // by device
  using Load = std::pair<std::int64_t, int>;  // the elements that an owner has sent, and its number
  std::map<std::vector<std::int64_t>, std::set<Load>> owners_;  // by where their block begins
  std::map<std::pair<int, int>, std::int64_t> sent_;
  std::map<int, Device> devices_;
};

}  // namespace

std::optional<MoveTraffic> move_traffic(const Sharding& before, const Sharding& after, const Shape& shape,
                                        const PairCosts& costs, std::int64_t most_visits) {
  if (before.mesh.devices() + after.mesh.devices() > most_visits) return std::nullopt;
  Move move(before, after, shape, costs);
  const std::int64_t visits = move.visits();
  if (visits > most_visits) return std::nullopt;
  MoveTraffic traffic = std::move(move).traffic();
  traffic.visits = visits;
  return traffic;
}

std::string_view name(PlanStep::Pattern pattern) {
  switch (pattern) {
    case PlanStep::Pattern::boxes: return "exchange of boxes";
    case PlanStep::Pattern::send_recv: return "send_recv";
    case PlanStep::Pattern::broadcast: return "broadcast";
    case PlanStep::Pattern::scatter: return "scatter";
    case PlanStep::Pattern::gather: return "gather";
  }
  return {};
}

}  // namespace tutti
