// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/placement.hpp"

#include <algorithm>

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
  Placer(const Graph& graph, const Nodes& nodes, const NodeCosts& costs, int workers, PlanChoice choice)
      : graph_(graph),
        nodes_(nodes),
        costs_(costs),
        workers_(workers),
        choice_(choice),
        found_(nodes.list.size()) {}

  Placement place() && {
    double alone = 0;
    for (const NodeCost& cost : costs_) alone += cost.nanoseconds;
    if (workers_ > 1 && choice_ != PlanChoice::one_worker)
      for (std::size_t n = 0; n < found_.size(); ++n) place(n);
    PlanTimes times{0, alone, false};
    for (const Loads& phase : load_) times.nanoseconds += std::ranges::max(phase) + barrier_nanoseconds;
    for (const Loads& phase : load_)
      for (std::size_t w = 1; w < phase.size(); ++w) times.needs_helpers |= phase[w] > 0;
    bool is_asked_for = choice_ == PlanChoice::by_axis || choice_ == PlanChoice::by_tiles;
    bool is_worth_it = is_asked_for || times.nanoseconds + hand_off_nanoseconds < alone;
    if (times.needs_helpers && is_worth_it)
      return {workers_, static_cast<int>(load_.size()), times, std::move(found_)};
    return {workers_, 1, {alone, alone, false}, std::vector<Assignment>(found_.size())};
  }

 private:
  using Loads = std::vector<double>;

  const Node& node(std::size_t n) const { return nodes_.list[n]; }
  /// The node that makes what is read; none of constants and what callers hand in.
  std::optional<std::size_t> maker(const Address& read) const {
    int n = nodes_.maker[static_cast<std::size_t>(read.root)];
    return n < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(n));
  }
  SplitNode placed(std::size_t n) const { return {node(n), found_[n].split}; }

  void place(std::size_t n) {
    int first = 0, phases = static_cast<int>(load_.size());
    for (const Address& read : node(n).reads)
      if (std::optional<std::size_t> made_by = maker(read)) first = std::max(first, found_[*made_by].phase);
    std::optional<double> best;
    for (int phase : phases_for(first))
      for (const Split& split : splits(n)) {
        bool is_last_resort = phase > first + phases_looked_at && split.by != Split::By::together;
        if (is_last_resort && best) continue;
        const Assignment tried{phase, split};
        if (phase < phases && !may_join_phase(n, tried)) continue;
        double cost = growth(n, tried, phase == phases) + preference(split);
        if (best && cost >= *best) continue;
        best = cost;
        found_[n] = tried;
      }
    const Assignment& chosen = found_[n];
    if (chosen.phase == phases) {
      load_.push_back(Loads(static_cast<std::size_t>(workers_), 0));
      is_full_.push_back(chosen.split.by == Split::By::together);
    }
    Loads added = loads_of(graph_, placed(n), costs_[n], workers_);
    for (std::size_t w = 0; w < added.size(); ++w)
      load_[static_cast<std::size_t>(chosen.phase)][w] += added[w];
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

  std::vector<Split> splits(std::size_t n) const {
    const Node& node = this->node(n);
    std::vector<Split> found;
    if (const SubWork* work = sub_work(graph_, node)) {
      if (std::ranges::any_of(work->times, &PlanTimes::needs_helpers))
        found.push_back({Split::By::together, 0});
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

  bool may_join_phase(std::size_t n, const Assignment& tried) const {
    if (tried.split.by == Split::By::together) return false;
    return std::ranges::all_of(node(n).reads, [&](const Address& read) {
      std::optional<std::size_t> made_by = maker(read);
      return !made_by || found_[*made_by].phase != tried.phase ||
             reads_own_part(graph_, placed(*made_by), {node(n), tried.split}, read);
    });
  }

  /// How much longer the plan becomes.
  double growth(std::size_t n, const Assignment& tried, bool new_phase) const {
    Loads before = new_phase ? Loads(static_cast<std::size_t>(workers_), 0)
                             : load_[static_cast<std::size_t>(tried.phase)];
    const SplitNode split{node(n), tried.split};
    Loads after = before, added = loads_of(graph_, split, costs_[n], workers_);
    bool parallel_already = std::ranges::all_of(before, [](double load) { return load > 0; });
    double penalty = parallel_already ? 0 : split_nanoseconds, sum = 0;
    for (std::size_t w = 0; w < added.size(); ++w) {
      after[w] += added[w] + (tried.split.by == Split::By::worker ? 0 : penalty);
      sum += added[w];
    }
    double cost = std::ranges::max(after) - std::ranges::max(before) + 1e-3 * sum + 1e-6 * tried.phase;
    if (new_phase && tried.phase > 0) cost += barrier_nanoseconds;
    if (tried.split.by == Split::By::worker) cost += tried.split.which;  // rather worker 0
    for (const Address& read : node(n).reads) cost += travel(split, read);
    if (tried.split.by == Split::By::tiles) cost += false_sharing(n);
    return cost;
  }

  double travel(const SplitNode& reader, const Address& read) const {
    std::optional<std::size_t> made_by = maker(read);
    if (!made_by) return travel_from_caller(reader, read);
    if (reads_own_part(graph_, placed(*made_by), reader, read)) return 0;
    constexpr double most = 16 << 20;
    return std::min(bytes_read(graph_, reader.node, read), most) * nanoseconds_per_travelling_byte;
  }

  /// What collectives move most likely was written by each device's own worker, perhaps by the trip before.
  double travel_from_caller(const SplitNode& reader, const Address& read) const {
    const Root& root = graph_.roots[static_cast<std::size_t>(read.root)];
    const auto& [node, split] = reader;
    if (node.kind != Node::Kind::copy || !fits_own_caches(moved_bytes(graph_, node))) return 0;
    auto axis = static_cast<std::size_t>(split.which);
    switch (split.by) {
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

  double false_sharing(std::size_t n) const {
    double part = static_cast<double>(node(n).space.elements()) * 4 / workers_;
    double all = part * workers_ * static_cast<double>(positions(graph_.mesh, node(n).outer()));
    return part < least_part_bytes && all < (1 << 20) ? costs_[n].nanoseconds : 0;
  }

  const Graph& graph_;
  const Nodes& nodes_;
  const NodeCosts& costs_;
  int workers_;
  PlanChoice choice_;
  std::vector<Assignment> found_;  // per node, as far as they are placed
  std::vector<Loads> load_;        // per phase
  std::vector<bool> is_full_;      // per phase: nothing goes beside what all do together
};

}  // namespace

bool reads_own_part(const Graph& graph, const SplitNode& writer, const SplitNode& reader,
                    const Address& address) {
  if (!(writer.split == reader.split)) return false;
  auto which = static_cast<std::size_t>(writer.split.which);
  switch (writer.split.by) {
    case Split::By::worker: return true;
    case Split::By::together: return false;
    case Split::By::axis: return has(reader.node.outer(), which) && reads_own_along(graph, address, which);
    case Split::By::tiles: {
      const Shape& shape = reader.node.shape;
      Address own = natural_address(graph, address.root);
      return tiles_alike(writer.node, reader.node) && address.offset == 0 && address.axes == own.axes &&
             is_dense(address, shape, element_bytes(graph, address)) &&
             graph.roots[static_cast<std::size_t>(address.root)].type.shape() == shape;
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

std::vector<double> divided(const Graph& graph, const SplitNode& node, int workers, double amount) {
  std::vector<double> parts(static_cast<std::size_t>(workers), 0);
  std::int64_t all = 0;
  auto which = static_cast<std::size_t>(node.split.which);
  switch (node.split.by) {
    case Split::By::worker: parts[which] = amount; return parts;
    case Split::By::together: std::ranges::fill(parts, amount / workers); return parts;
    case Split::By::axis: all = graph.mesh.axes()[which].size; break;
    case Split::By::tiles: all = node.node.space.tiles(); break;
  }
  for (int w = 0; w < workers; ++w) {
    Range part = part_of(all, w, workers);
    parts[static_cast<std::size_t>(w)] =
        amount * static_cast<double>(part.end - part.begin) / static_cast<double>(all);
  }
  return parts;
}

std::vector<double> loads_of(const Graph& graph, const SplitNode& node, const NodeCost& cost, int workers) {
  switch (node.split.by) {
    case Split::By::together:
      return std::vector<double>(static_cast<std::size_t>(workers), cost.split_nanoseconds);
    case Split::By::worker: return divided(graph, node, workers, cost.nanoseconds);
    case Split::By::axis:
    case Split::By::tiles: break;
  }
  return divided(graph, node, workers, cost.split_nanoseconds);
}

Placement place(const Graph& graph, const Nodes& nodes, const NodeCosts& costs, int workers,
                PlanChoice choice) {
  return Placer(graph, nodes, costs, workers, choice).place();
}

}  // namespace tutti
