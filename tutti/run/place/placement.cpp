// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/placement.hpp"

#include <algorithm>

#include "tutti/run/place/cost.hpp"

namespace tutti {
namespace {

constexpr int phases_looked_at = 4;            // after the first that a node may go to
constexpr double least_part_bytes = 16 << 10;  // smaller parts of a shard: prefetching makes lines travel

/// Along `axis` every device reads from the part of the root that it has itself, and nowhere else.
bool reads_own_along(const Graph& graph, const Address& address, std::size_t axis) {
  const Root& root = graph.roots[static_cast<std::size_t>(address.root)];
  if (!has(root.stored, axis) || address.offset != 0) return false;
  Address own = natural_address(graph, address.root);
  for (std::size_t i = 0; i < own.axes.size(); ++i)
    if (address.axes[i] != own.axes[i]) return false;
  return true;
}

class Placer {
 public:
  Placer(const Graph& graph, Nodes& nodes, int workers, PlanChoice choice)
      : graph_(graph), nodes_(nodes), workers_(workers), choice_(choice) {}

  Placement place() {
    double alone = 0;
    for (const Node& node : nodes_.list) alone += node.nanoseconds;
    if (workers_ > 1 && choice_ != PlanChoice::one_worker)
      for (Node& node : nodes_.list) place(node);
    Placement placement{workers_, static_cast<int>(load_.size()), 0, alone, false};
    for (const auto& phase : load_) placement.nanoseconds += std::ranges::max(phase) + barrier_nanoseconds;
    bool worth_it = placement.nanoseconds + hand_off_nanoseconds < alone || choice_ == PlanChoice::by_axis ||
                    choice_ == PlanChoice::by_tiles;
    for (const auto& phase : load_)
      for (std::size_t w = 1; w < phase.size(); ++w) placement.needs_helpers |= phase[w] > 0;
    if (placement.needs_helpers && worth_it) return placement;
    for (Node& node : nodes_.list) {
      node.phase = 0;
      node.split = {};
    }
    return {workers_, 1, alone, alone, false};
  }

 private:
  using Loads = std::vector<double>;

  void place(Node& node) {
    int first = 0, phases = static_cast<int>(load_.size());
    for (const Address& read : node.reads)
      if (int maker = nodes_.maker[static_cast<std::size_t>(read.root)]; maker >= 0)
        first = std::max(first, nodes_.list[static_cast<std::size_t>(maker)].phase);
    double best = -1;
    int best_phase = 0;
    Split best_split;
    for (int phase : phases_for(first))
      for (const Split& split : splits(node)) {
        bool is_last_resort = phase > first + phases_looked_at && split.by != Split::By::together;
        if (is_last_resort && best >= 0) continue;
        node.phase = phase;
        node.split = split;
        if (phase < phases && !may_join_phase(node)) continue;
        double cost = growth(node, phase == phases) + preference(split);
        if (best >= 0 && cost >= best) continue;
        best = cost;
        best_phase = phase;
        best_split = split;
      }
    node.phase = best_phase;
    node.split = best_split;
    if (best_phase == phases) {
      load_.push_back(Loads(static_cast<std::size_t>(workers_), 0));
      is_full_.push_back(best_split.by == Split::By::together);
    }
    Loads added = loads_of(graph_, node, workers_);
    for (std::size_t w = 0; w < added.size(); ++w) load_[static_cast<std::size_t>(best_phase)][w] += added[w];
  }

  /// Some that there are from `first` on, and a new one.
  std::vector<int> phases_for(int first) const {
    std::vector<int> found;
    int phases = static_cast<int>(load_.size());
    for (int phase = first; phase < std::min(phases, first + phases_looked_at + 1); ++phase)
      if (!is_full_[static_cast<std::size_t>(phase)]) found.push_back(phase);
    found.push_back(phases);
    return found;
  }

  std::vector<Split> splits(const Node& node) const {
    std::vector<Split> found;
    if (node.kind == Node::Kind::control) {
      if (may_be_shared(graph_, node)) found.push_back({Split::By::together, 0});
      found.push_back({Split::By::worker, 0});
      return found;
    }
    for (int w = 0; w < workers_; ++w) found.push_back({Split::By::worker, w});
    for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis)
      if (has(node.outer(), axis) && graph_.mesh.axes()[axis].size > 1)
        found.push_back({Split::By::axis, static_cast<int>(axis)});
    if (node.space.tiles() > 1) found.push_back({Split::By::tiles, 0});
    return found;
  }

  /// For plans that are asked for: makes all other splits look bad.
  double preference(const Split& split) const {
    constexpr double avoided = 1e9;
    switch (choice_) {
      case PlanChoice::cheapest:
      case PlanChoice::one_worker: return 0;
      case PlanChoice::by_axis:
        return splits_like(split, Split::By::axis) ? 0 : split.by == Split::By::tiles ? avoided : 2 * avoided;
      case PlanChoice::by_tiles:
        return splits_like(split, Split::By::tiles) ? 0 : split.by == Split::By::axis ? avoided : 2 * avoided;
    }
    return 0;
  }

  static bool splits_like(const Split& split, Split::By wanted) {
    return split.by == wanted || split.by == Split::By::together;
  }

  bool may_join_phase(const Node& node) const {
    if (node.split.by == Split::By::together) return false;
    return std::ranges::all_of(node.reads, [&](const Address& read) {
      int maker = nodes_.maker[static_cast<std::size_t>(read.root)];
      if (maker < 0) return true;
      const Node& writer = nodes_.list[static_cast<std::size_t>(maker)];
      return writer.phase != node.phase || reads_own_part(graph_, writer, node, read);
    });
  }

  /// How much longer the plan becomes.
  double growth(const Node& node, bool new_phase) const {
    Loads before = new_phase ? Loads(static_cast<std::size_t>(workers_), 0)
                             : load_[static_cast<std::size_t>(node.phase)];
    Loads after = before, added = loads_of(graph_, node, workers_);
    bool parallel_already = std::ranges::all_of(before, [](double load) { return load > 0; });
    double penalty = parallel_already ? 0 : split_nanoseconds, sum = 0;
    for (std::size_t w = 0; w < added.size(); ++w) {
      after[w] += added[w] + (node.split.by == Split::By::worker ? 0 : penalty);
      sum += added[w];
    }
    double cost = std::ranges::max(after) - std::ranges::max(before) + 1e-3 * sum + 1e-6 * node.phase;
    if (new_phase && node.phase > 0) cost += barrier_nanoseconds;
    if (node.split.by == Split::By::worker) cost += node.split.which;  // rather worker 0
    for (const Address& read : node.reads) cost += travel(node, read);
    if (node.split.by == Split::By::tiles) cost += false_sharing(node);
    return cost;
  }

  double travel(const Node& node, const Address& read) const {
    int maker = nodes_.maker[static_cast<std::size_t>(read.root)];
    if (maker < 0) return travel_from_caller(node, read);
    const Node& writer = nodes_.list[static_cast<std::size_t>(maker)];
    if (reads_own_part(graph_, writer, node, read)) return 0;
    constexpr double most = 16 << 20;
    return std::min(bytes_read(graph_, node, read), most) * nanoseconds_per_travelling_byte;
  }

  /// What collectives move most likely was written by each device's own worker, perhaps by the trip before.
  double travel_from_caller(const Node& node, const Address& read) const {
    const Root& root = graph_.roots[static_cast<std::size_t>(read.root)];
    if (node.kind != Node::Kind::copy || !fits_own_caches(moved_bytes(graph_, node))) return 0;
    auto axis = static_cast<std::size_t>(node.split.which);
    switch (node.split.by) {
      case Split::By::worker:
      case Split::By::together: return 0;
      case Split::By::axis:
        if (!has(root.stored, axis) || reads_own_along(graph_, read, axis)) return 0;
        break;
      case Split::By::tiles:
        if (positions(graph_.mesh, root.stored) == 1) return 0;
        break;
    }
    return bytes_read(graph_, node, read) * (workers_ - 1) / workers_ * nanoseconds_per_travelling_byte;
  }

  double false_sharing(const Node& node) const {
    double part = static_cast<double>(node.space.elements()) * 4 / workers_;
    double all = part * workers_ * static_cast<double>(positions(graph_.mesh, node.outer()));
    return part < least_part_bytes && all < (1 << 20) ? node.nanoseconds : 0;
  }

  const Graph& graph_;
  Nodes& nodes_;
  int workers_;
  PlanChoice choice_;
  std::vector<Loads> load_;    // per phase
  std::vector<bool> is_full_;  // per phase: nothing goes beside what all do together
};

}  // namespace

bool reads_own_part(const Graph& graph, const Node& writer, const Node& reader, const Address& address) {
  const Split& w = writer.split;
  const Split& r = reader.split;
  if (!(w == r)) return false;
  switch (w.by) {
    case Split::By::worker: return true;
    case Split::By::together: return false;
    case Split::By::axis:
      return has(reader.outer(), static_cast<std::size_t>(w.which)) &&
             reads_own_along(graph, address, static_cast<std::size_t>(w.which));
    case Split::By::tiles: {
      Address own = natural_address(graph, address.root);
      return tiles_alike(writer, reader) && address.offset == 0 && address.axes == own.axes &&
             is_dense(address, reader.shape, element_bytes(graph, address)) &&
             graph.roots[static_cast<std::size_t>(address.root)].type.shape() == reader.shape;
    }
  }
  return false;
}

bool tiles_alike(const Node& a, const Node& b) {
  return a.kind == Node::Kind::region && b.kind == Node::Kind::region && a.shape == b.shape &&
         a.space == b.space;
}

Range part_of(std::int64_t size, int worker, int workers) {
  return {size * worker / workers, size * (worker + 1) / workers};
}

std::vector<double> divided(const Graph& graph, const Node& node, int workers, double amount) {
  std::vector<double> parts(static_cast<std::size_t>(workers), 0);
  std::int64_t all = 0;
  switch (node.split.by) {
    case Split::By::worker: parts[static_cast<std::size_t>(node.split.which)] = amount; return parts;
    case Split::By::together: std::ranges::fill(parts, amount / workers); return parts;
    case Split::By::axis: all = graph.mesh.axes()[static_cast<std::size_t>(node.split.which)].size; break;
    case Split::By::tiles: all = node.space.tiles(); break;
  }
  for (int w = 0; w < workers; ++w) {
    Range part = part_of(all, w, workers);
    parts[static_cast<std::size_t>(w)] =
        amount * static_cast<double>(part.end - part.begin) / static_cast<double>(all);
  }
  return parts;
}

std::vector<double> loads_of(const Graph& graph, const Node& node, int workers) {
  switch (node.split.by) {
    case Split::By::together:
      return std::vector<double>(static_cast<std::size_t>(workers), node.split_nanoseconds);
    case Split::By::worker: return divided(graph, node, workers, node.nanoseconds);
    case Split::By::axis:
    case Split::By::tiles: break;
  }
  return divided(graph, node, workers, node.split_nanoseconds);
}

Placement place(const Graph& graph, Nodes& nodes, int workers, PlanChoice choice) {
  return Placer(graph, nodes, workers, choice).place();
}

}  // namespace tutti
