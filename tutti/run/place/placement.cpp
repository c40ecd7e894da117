// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/placement.hpp"

#include <algorithm>

#include "tutti/base/overloaded.hpp"

namespace tutti {
namespace {

constexpr std::size_t phases_looked_at =
    4;  // phases that are tried after the first that a step may join; chosen
// In smaller parts, prefetches move lines between the workers; chosen.
constexpr double least_part_bytes = 16 << 10;

/// True if, along `axis`, every device reads only its own shard of the buffer.
bool reads_own_along(const Graph& graph, const Address& address, std::size_t axis) {
  const Buffer& buffer = graph.buffers[address.buffer];
  if (!has(buffer.stored, axis) || address.offset != 0) return false;
  Address own = natural_address(graph, address.buffer);
  for (std::size_t i = 0; i < own.axes.size(); ++i)
    if (address.axes[i] != own.axes[i]) return false;
  return true;
}

/// True if the value at `address` has the step's shape, and is read element by element as it lies in its
/// buffer.
bool reads_own_elements(const Graph& graph, const Step& step, const Address& address) {
  return address.offset == 0 && address.axes == natural_address(graph, address.buffer).axes &&
         is_dense(address, step.shape, element_bytes(graph, address)) &&
         graph.buffers[address.buffer].type.shape() == step.shape;
}

class Placer {
 public:
  Placer(const Graph& graph, const Steps& steps, const StepCosts& costs, int workers, PlanChoice choice)
      : graph_(graph),
        steps_(steps),
        costs_(costs),
        workers_(workers),
        choice_(choice),
        found_(steps.list.size()) {}

  Placement place() && {
    double alone = 0;
    for (StepId n : steps_.list.ids())
      if (!is_carried(n)) alone += costs_[n].nanoseconds;
    if (workers_ > 1 && choice_ != PlanChoice::one_worker)
      for (StepId n : steps_.list.ids()) place(n);
    const bool transfers =
        std::ranges::any_of(steps_.list, [&](const Step& step) { return this->transfers(step); });
    PlanTimes times{0, alone, false, transfers};
    for (const Loads& phase : load_) times.nanoseconds += std::ranges::max(phase) + barrier_nanoseconds;
    for (const Loads& phase : load_)
      for (std::size_t w = 1; w < phase.size(); ++w) times.needs_helpers |= phase[w] > 0;
    bool is_asked_for = choice_ == PlanChoice::by_axis || choice_ == PlanChoice::by_tiles;
    bool is_worth_it = is_asked_for || times.nanoseconds + hand_off_nanoseconds < alone;
    if (times.needs_helpers && is_worth_it) return {workers_, load_.size(), times, std::move(found_)};
    return {workers_, 1, {alone, alone, false, transfers}, Indexed<StepId, Assignment>(found_.size())};
  }

 private:
  using Loads = std::vector<double>;

  std::size_t workers() const { return static_cast<std::size_t>(workers_); }
  Loads no_load() const { return Loads(workers(), 0); }

  const Step& step(StepId n) const { return steps_.list[n]; }
  /// The step that makes the value; none for constants and inputs.
  std::optional<StepId> maker(const Address& read) const { return steps_.maker[read.buffer]; }
  SplitStep placed(StepId n) const { return {step(n), found_[n].split}; }

  void place(StepId n) {
    std::size_t first = 0, phases = load_.size();
    for (const Address& read : step(n).reads)
      if (std::optional<StepId> made_by = maker(read)) first = std::max(first, found_[*made_by].phase);
    if (transfers(step(n))) first = std::max(first, last_transfer_phase_);
    // An await stands as late as it may: the steps before it run while the future does.
    if (step(n).kind == Step::Kind::await && !load_.empty()) first = std::max(first, load_.size() - 1);
    std::optional<double> best;
    for (std::size_t phase : phases_for(n, first))
      for (const Split& split : splits(n)) {
        bool is_last_resort = phase > first + phases_looked_at && !std::holds_alternative<Together>(split);
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
      load_.push_back(no_load());
      is_full_.push_back(std::holds_alternative<Together>(chosen.split));
    }
    if (transfers(step(n))) last_transfer_phase_ = chosen.phase;
    const Loads added = loads(n, chosen.split);
    for (std::size_t w = 0; w < added.size(); ++w) load_[chosen.phase][w] += added[w];
  }

  /// The carrier does the steps of a future: they take no worker's time.
  bool is_carried(StepId n) const { return future_of(graph_, step(n)).has_value(); }
  Loads loads(StepId n, const Split& split) const {
    return is_carried(n) ? no_load() : loads_of(graph_, {step(n), split}, costs_[n], workers_);
  }

  /// Transfers come in one order on all processes, whatever their workers and caches are: they run on
  /// worker 0, none before the one before it. Otherwise two processes could wait for each other.
  bool transfers(const Step& step) const {
    if (step.kind == Step::Kind::transfer || step.kind == Step::Kind::await) return true;
    const SubWork* work = sub_work(graph_, step);
    return work && std::ranges::any_of(work->times, &PlanTimes::transfers);
  }

  /// The phases to try: those from `first` on that are near and not full, and a new one. The steps of a
  /// future have one phase.
  std::vector<std::size_t> phases_for(StepId n, std::size_t first) const {
    std::vector<std::size_t> found;
    if (const auto future = future_of(graph_, step(n)); future && n > StepId(0)) {
      const auto before = static_cast<StepId>(static_cast<int>(n) - 1);
      if (future_of(graph_, step(before)) == future) return {found_[before].phase};
    }
    std::size_t phases = load_.size();
    for (std::size_t phase = first; phase < std::min(phases, first + phases_looked_at + 1); ++phase)
      if (!is_full_[phase]) found.push_back(phase);
    found.push_back(phases);
    return found;
  }

  std::vector<Split> splits(StepId n) const {
    const Step& step = this->step(n);
    std::vector<Split> found;
    if (const SubWork* work = sub_work(graph_, step)) {
      if (std::ranges::any_of(work->times, &PlanTimes::needs_helpers)) found.push_back(Together{});
      found.push_back(OnWorker{0});
      return found;
    }
    if (transfers(step) || is_carried(n)) return {OnWorker{0}};
    for (std::size_t w = 0; w < workers(); ++w) found.push_back(OnWorker{w});
    for (std::size_t axis = 0; axis < graph_.mesh.axes().size(); ++axis)
      if (has(step.outer(), axis) && graph_.mesh.axes()[axis].size > 1) found.push_back(ByAxis{axis});
    if (step.space.tiles() > 1) found.push_back(ByTiles{});
    return found;
  }

  /// A penalty for every split that `choice` does not ask for.
  double preference(const Split& split) const {
    constexpr double avoided = 1e9;
    switch (choice_) {
      case PlanChoice::cheapest:
      case PlanChoice::one_worker: return 0;
      case PlanChoice::by_axis:
        return splits_like<ByAxis>(split)               ? 0
               : std::holds_alternative<ByTiles>(split) ? avoided
                                                        : 2 * avoided;
      case PlanChoice::by_tiles:
        return splits_like<ByTiles>(split)             ? 0
               : std::holds_alternative<ByAxis>(split) ? avoided
                                                       : 2 * avoided;
    }
    return 0;
  }

  template <class Wanted>
  static bool splits_like(const Split& split) {
    return std::holds_alternative<Wanted>(split) || std::holds_alternative<Together>(split);
  }

  bool may_join_phase(StepId n, const Assignment& tried) const {
    if (std::holds_alternative<Together>(tried.split)) return false;
    return std::ranges::all_of(step(n).reads, [&](const Address& read) {
      std::optional<StepId> made_by = maker(read);
      return !made_by || found_[*made_by].phase != tried.phase ||
             reads_own_part(graph_, placed(*made_by), {step(n), tried.split}, read);
    });
  }

  /// The nanoseconds that the plan takes longer, with transfers between workers and small tie breakers.
  double growth(StepId n, const Assignment& tried, bool new_phase) const {
    Loads before = new_phase ? no_load() : load_[tried.phase];
    Loads after = before, added = loads(n, tried.split);
    bool parallel_already = std::ranges::all_of(before, [](double load) { return load > 0; });
    const auto* one = std::get_if<OnWorker>(&tried.split);
    double penalty = parallel_already || one ? 0 : split_nanoseconds, sum = 0;
    for (std::size_t w = 0; w < added.size(); ++w) {
      after[w] += added[w] + penalty;
      sum += added[w];
    }
    double cost = std::ranges::max(after) - std::ranges::max(before) + 1e-3 * sum +
                  1e-6 * static_cast<double>(tried.phase);
    if (new_phase && tried.phase > 0) cost += barrier_nanoseconds;
    if (one) cost += static_cast<double>(one->worker);  // prefers worker 0
    for (const Address& read : step(n).reads) cost += travel(n, tried.split, read);
    if (std::holds_alternative<ByTiles>(tried.split)) cost += false_sharing(n);
    return cost;
  }

  double travel(StepId n, const Split& split, const Address& read) const {
    std::optional<StepId> made_by = maker(read);
    if (!made_by) return travel_from_caller(n, split, read);
    if (reads_own_part(graph_, placed(*made_by), {step(n), split}, read)) return 0;
    constexpr double most = 16 << 20;
    // In a loop the lines also travel back: the next iteration writes the value again.
    const double ways = graph_.is_sub_program ? 2 : 1;
    return ways * std::min(bytes_read(graph_, step(n), read), most) * nanoseconds_per_travelling_byte;
  }

  /// Cost of an input that a collective copies: most likely each device's own worker wrote its shard, for
  /// example in the previous iteration of a loop.
  double travel_from_caller(StepId n, const Split& split, const Address& read) const {
    const Buffer& buffer = graph_.buffers[read.buffer];
    if (step(n).kind != Step::Kind::copy || !costs_[n].fits_own_caches) return 0;
    const bool travels =
        std::visit(Overloaded{[](OnWorker) { return false; }, [](Together) { return false; },
                              [&](ByAxis by) {
                                return has(buffer.stored, by.axis) && !reads_own_along(graph_, read, by.axis);
                              },
                              [&](ByTiles) { return positions(graph_.mesh, buffer.stored) != 1; }},
                   split);
    if (!travels) return 0;
    return bytes_read(graph_, step(n), read) * (workers_ - 1) / workers_ * nanoseconds_per_travelling_byte;
  }

  /// Cost of lines that two workers write, if each has a small part of a unit and the step is small. Folds
  /// and opaque kernels read more than they write.
  double false_sharing(StepId n) const {
    if (step(n).kind != Step::Kind::region && step(n).kind != Step::Kind::copy) return 0;
    std::size_t element = 0;
    for (BufferId result : step(n).writes)
      element = std::max(element, bytes_per_element(graph_.buffers[result].type.dtype()));
    double part = static_cast<double>(step(n).space.elements()) * static_cast<double>(element) / workers_;
    double all = part * workers_ * static_cast<double>(positions(graph_.mesh, step(n).outer()));
    return part < least_part_bytes && all < (1 << 20) ? costs_[n].nanoseconds : 0;
  }

  const Graph& graph_;
  const Steps& steps_;
  const StepCosts& costs_;
  int workers_;
  PlanChoice choice_;
  Indexed<StepId, Assignment> found_;  // of the steps placed so far
  std::vector<Loads> load_;            // per phase
  std::vector<bool> is_full_;          // per phase: a step that is run together admits no other
  std::size_t last_transfer_phase_ = 0;
};

}  // namespace

bool reads_own_part(const Graph& graph, const SplitStep& writer, const SplitStep& reader,
                    const Address& address) {
  if (!(writer.split == reader.split)) return false;
  return std::visit(Overloaded{[](OnWorker) { return true; }, [](Together) { return false; },
                               [&](ByAxis by) {
                                 return has(reader.step.outer(), by.axis) &&
                                        reads_own_along(graph, address, by.axis);
                               },
                               [&](ByTiles) {
                                 return tiles_alike(writer.step, reader.step) &&
                                        reads_own_elements(graph, reader.step, address);
                               }},
                    writer.split);
}

bool tiles_alike(const Step& a, const Step& b) {
  return a.kind == Step::Kind::region && b.kind == Step::Kind::region && a.shape == b.shape &&
         a.space == b.space;
}

WorkRange part_of(std::int64_t size, std::size_t worker, std::size_t workers) {
  const auto w = static_cast<std::int64_t>(worker), all = static_cast<std::int64_t>(workers);
  return {size * w / all, size * (w + 1) / all};
}

std::vector<double> divided(const Graph& graph, const SplitStep& step, int workers, double amount) {
  std::vector<double> parts(static_cast<std::size_t>(workers), 0);
  auto divide = [&](std::int64_t all) {
    for (std::size_t w = 0; w < parts.size(); ++w) {
      WorkRange part = part_of(all, w, parts.size());
      parts[w] = amount * static_cast<double>(part.end - part.begin) / static_cast<double>(all);
    }
  };
  std::visit(Overloaded{[&](OnWorker on) { parts[on.worker] = amount; },
                        [&](Together) { std::ranges::fill(parts, amount / workers); },
                        [&](ByAxis by) { divide(graph.mesh.axes()[by.axis].size); },
                        [&](ByTiles) { divide(step.step.space.tiles()); }},
             step.split);
  return parts;
}

std::vector<double> loads_of(const Graph& graph, const SplitStep& step, const StepCost& cost, int workers) {
  if (std::holds_alternative<Together>(step.split))
    return std::vector<double>(static_cast<std::size_t>(workers), cost.split_nanoseconds);
  const bool is_whole = std::holds_alternative<OnWorker>(step.split);
  return divided(graph, step, workers, is_whole ? cost.nanoseconds : cost.split_nanoseconds);
}

Placement place(const Graph& graph, const Steps& steps, const StepCosts& costs, int workers,
                PlanChoice choice) {
  return Placer(graph, steps, costs, workers, choice).place();
}

}  // namespace tutti
