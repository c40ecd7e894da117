// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/search/state_graph.hpp"

#include <algorithm>
#include <bit>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

// Where an axis stands, in one number: free, unreduced, or (dim + 1) * 16 + its place among the axes of that
// dim.
constexpr std::uint16_t free_axis = 0, unreduced_axis = 1;
constexpr std::uint16_t at_place(std::size_t dim, std::size_t place) {
  return static_cast<std::uint16_t>((dim + 1) * 16 + place);
}

using AxisSet = std::uint32_t;  // a bit for each axis
AxisSet set_of(int axis) { return AxisSet{1} << axis; }
int first_of(AxisSet axes) { return std::countr_zero(axes); }

std::uint64_t hash_of(std::span<const std::uint16_t> places) {
  std::uint64_t hash = 0;
  for (std::uint16_t place : places) hash = (hash ^ place) * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
  return hash;
}

/// `visit` for every subset of `axes` that is not empty.
template <class F>
void for_each_subset(AxisSet axes, F&& visit) {
  for (AxisSet some = axes; some != 0; some = (some - 1) & axes) visit(some);
}

}  // namespace

/// Finds the steps from one state. `next_` is the state after the step that is being put together.
class StateGraph::Steps {
 public:
  Steps(StateGraph& graph, int number)
      : graph_(graph),
        sizes_(graph.space_.axes),
        before_(graph.places_[static_cast<std::size_t>(number)]),
        next_(before_),
        state_(graph.state(number)),
        dims_(state_.dims),
        may_gain_(dims_.size(), true),
        block_(graph.block(number)) {
    for (std::size_t dim = 0; dim < dims_.size(); ++dim)
      rooms_.push_back(graph.space_.shape[dim] / graph.space_.joint_size(dims_[dim]));
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
      if (before_[axis] == free_axis) free_ |= set_of(static_cast<int>(axis));
      if (before_[axis] == unreduced_axis) unreduced_ |= set_of(static_cast<int>(axis));
    }
  }

  std::vector<PlanEdge> all() && {
    for_each_subset(free_, [&](AxisSet axes) { place(axes, 0, {0, StepKind::slice, 0, 0, 0}); });
    for_each_subset(unreduced_, [&](AxisSet axes) { reduce(axes); });
    masks();
    suffixes(0, 0);
    permutations();
    return std::move(found_);
  }

 private:
  std::int64_t size(int axis) const { return sizes_[static_cast<std::size_t>(axis)]; }
  std::int64_t joint_size(AxisSet axes) const {
    std::int64_t product = 1;
    for (; axes != 0; axes &= axes - 1) product *= size(first_of(axes));
    return product;
  }
  std::uint16_t& next(int axis) { return next_[static_cast<std::size_t>(axis)]; }

  void add(PlanEdge edge) {
    edge.after = graph_.number(next_);
    found_.push_back(edge);
  }

  void append(int axis, std::size_t dim) {
    next(axis) = at_place(dim, dims_[dim].size());
    dims_[dim].push_back(axis);
    rooms_[dim] /= size(axis);
  }
  int take_last(std::size_t dim) {
    const int axis = dims_[dim].back();
    next(axis) = free_axis;
    dims_[dim].pop_back();
    rooms_[dim] *= size(axis);
    return axis;
  }

  /// A step to every state in which `axes` stand, in any order, at the ends of dims from `dim` on that may
  /// gain some.
  void place(AxisSet axes, std::size_t dim, const PlanEdge& edge) {
    if (axes == 0) return add(edge);
    if (dim == dims_.size()) return;
    place(axes, dim + 1, edge);
    if (!may_gain_[dim]) return;
    for (AxisSet left = axes; left != 0; left &= left - 1) {
      const int axis = first_of(left);
      if (rooms_[dim] % size(axis) != 0) continue;
      const std::uint16_t was = next(axis);
      append(axis, dim);
      place(axes & ~set_of(axis), dim, edge);
      take_last(dim);
      next(axis) = was;
    }
  }

  void reduce(AxisSet axes) {
    const std::int64_t n = joint_size(axes), received = share_of_others(block_, n);
    const int peers = static_cast<int>(n - 1);
    for (AxisSet left = axes; left != 0; left &= left - 1) next(first_of(left)) = free_axis;
    add({0, StepKind::all_reduce, axes, peers, 2 * received});
    place(axes, 0, {0, StepKind::reduce_scatter, axes, peers, received});
    next_ = before_;
  }

  // Along a free axis the first device keeps the value and the others hold zeros. Along a dim's last axis
  // each device puts its block among zeros.
  void masks() {
    for (int axis : graph_.may_be_masked_) {
      const std::uint16_t was = next(axis);
      const bool is_last = std::ranges::any_of(dims_, [&](const std::vector<int>& dim) {
        return !dim.empty() && dim.back() == axis;
      });
      if (was != free_axis && !is_last) continue;
      next(axis) = unreduced_axis;
      add({0, StepKind::mask, 0, 0, 0});
      next(axis) = was;
    }
  }

  /// Gathers and exchanges of `taken` and of suffixes of the dims from `dim` on.
  void suffixes(std::size_t dim, AxisSet taken) {
    if (dim == dims_.size()) {
      if (taken != 0) gather_and_exchange(taken);
      return;
    }
    suffixes(dim + 1, taken);
    may_gain_[dim] = false;
    std::vector<int> off;
    while (!dims_[dim].empty()) {
      off.push_back(take_last(dim));
      taken |= set_of(off.back());
      suffixes(dim + 1, taken);
    }
    for (; !off.empty(); off.pop_back()) append(off.back(), dim);
    may_gain_[dim] = true;
  }

  void gather_and_exchange(AxisSet taken) {
    const std::int64_t n = joint_size(taken);
    const int peers = static_cast<int>(n - 1);
    add({0, StepKind::gather, taken, peers, block_ * (n - 1)});
    place(taken, 0, {0, StepKind::exchange, taken, peers, share_of_others(block_, n)});
  }

  void permutations() {
    AxisSet left = 0;
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis)
      if (before_[axis] != unreduced_axis) {
        left |= set_of(static_cast<int>(axis));
        next_[axis] = free_axis;
      }
    permute(left, 0, 0, dims_.empty() ? 1 : graph_.space_.joint_size(state_.dims[0]));
    next_ = before_;
  }

  /// Fills the dims from `dim` on, which has `place` axes and needs `parts` times as many parts.
  void permute(AxisSet left, std::size_t dim, std::size_t place, std::int64_t parts) {
    if (dim == dims_.size()) {
      if (next_ != before_) add({0, StepKind::permute, moved(), 1, block_});
      return;
    }
    if (parts == 1) {
      const bool is_last = dim + 1 == dims_.size();
      return permute(left, dim + 1, 0, is_last ? 1 : graph_.space_.joint_size(state_.dims[dim + 1]));
    }
    for (AxisSet rest = left; rest != 0; rest &= rest - 1) {
      const int axis = first_of(rest);
      if (parts % size(axis) != 0) continue;
      next(axis) = at_place(dim, place);
      permute(left & ~set_of(axis), dim, place + 1, parts / size(axis));
      next(axis) = free_axis;
    }
  }

  // An axis whose place is the same may still count other parts, after an axis of another size: it moves,
  // too.
  AxisSet moved() const {
    AxisSet axes = 0;
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis)
      if (before_[axis] != next_[axis] || slower_parts(before_, axis) != slower_parts(next_, axis))
        axes |= set_of(static_cast<int>(axis));
    return axes;
  }
  /// The joint size of the axes before `axis` in its dim.
  std::int64_t slower_parts(const Places& places, std::size_t axis) const {
    std::int64_t parts = 1;
    for (std::size_t other = 0; other < sizes_.size(); ++other)
      if (places[other] / 16 == places[axis] / 16 && places[other] < places[axis]) parts *= sizes_[other];
    return places[axis] < 16 ? 1 : parts;
  }

  StateGraph& graph_;
  const std::vector<std::int64_t>& sizes_;
  const Places before_;
  Places next_;
  const PlanState state_;
  std::vector<std::vector<int>> dims_;  // of next_
  std::vector<std::int64_t> rooms_;     // of next_: extents of a block
  std::vector<bool> may_gain_;
  const std::int64_t block_;
  AxisSet free_ = 0, unreduced_ = 0;
  std::vector<PlanEdge> found_;
};

StateGraph::StateGraph(PlanSpace space, std::vector<int> may_be_masked)
    : space_(std::move(space)), may_be_masked_(std::move(may_be_masked)), table_(64, -1) {
  ensure(space_.axes.size() <= most_axes, "{} axes of a mesh are planned at once", space_.axes.size());
}

int StateGraph::number(const PlanState& state) {
  Places places{};
  for (std::size_t dim = 0; dim < state.dims.size(); ++dim)
    for (std::size_t place = 0; place < state.dims[dim].size(); ++place)
      places[static_cast<std::size_t>(state.dims[dim][place])] = at_place(dim, place);
  for (int axis : state.unreduced) places[static_cast<std::size_t>(axis)] = unreduced_axis;
  return number(places);
}

PlanState StateGraph::state(int number) const {
  PlanState state{std::vector<std::vector<int>>(space_.shape.size()), {}};
  const Places& places = places_[static_cast<std::size_t>(number)];
  for (std::size_t axis = 0; axis < space_.axes.size(); ++axis) {
    if (places[axis] == unreduced_axis) state.unreduced.push_back(static_cast<int>(axis));
    if (places[axis] < 16) continue;
    std::vector<int>& dim = state.dims[places[axis] / 16 - 1U];
    dim.resize(std::max<std::size_t>(dim.size(), places[axis] % 16 + 1U));
    dim[places[axis] % 16] = static_cast<int>(axis);
  }
  return state;
}

/// An unequal place is mostly among the first; the == of arrays calls memcmp, which took a tenth of all
/// planning.
bool StateGraph::is_same(const Places& a, const Places& b) const {
  for (std::size_t axis = 0; axis < space_.axes.size(); ++axis)
    if (a[axis] != b[axis]) return false;
  return true;
}

int StateGraph::number(const Places& places) {
  std::size_t slot = hash_of(std::span(places).first(space_.axes.size())) >> 32;
  for (;; ++slot) {
    const int known = table_[slot &= table_.size() - 1];
    if (known < 0) break;
    if (is_same(places_[static_cast<std::size_t>(known)], places)) return known;
  }
  table_[slot] = states();
  places_.push_back(places);
  std::int64_t block = 1, parts = 1;
  for (std::int64_t extent : space_.shape) block *= extent;
  for (std::size_t axis = 0; axis < space_.axes.size(); ++axis)
    if (places[axis] >= 16) parts *= space_.axes[axis];
  blocks_.push_back(block / parts);
  steps_.emplace_back();
  has_steps_.push_back(false);
  if (2 * places_.size() > table_.size()) grow_table();
  return states() - 1;
}

void StateGraph::grow_table() {
  std::vector<int> numbers = std::move(table_);
  table_.assign(2 * numbers.size(), -1);
  for (int number : numbers) {
    if (number < 0) continue;
    const Places& places = places_[static_cast<std::size_t>(number)];
    std::size_t slot = hash_of(std::span(places).first(space_.axes.size())) >> 32;
    while (table_[slot &= table_.size() - 1] >= 0) ++slot;
    table_[slot] = number;
  }
}

std::int64_t StateGraph::least_received(int number, int to) const {
  const Places& here = places_[static_cast<std::size_t>(number)];
  const Places& there = places_[static_cast<std::size_t>(to)];
  const std::size_t axes = space_.axes.size();
  std::int64_t finer = 1;  // blocks here that a block there is made of
  std::int64_t holders =
      1;  // devices whose terms make a block there: any of them may receive what all of them lack
  bool is_elsewhere = false, has_terms = false;
  for (std::size_t a = 0; a < axes; ++a) {
    if (there[a] == unreduced_axis) {
      if (here[a] >= 16) return 0;  // they lack less than one of them does
      holders *= space_.axes[a];
      continue;
    }
    has_terms |= here[a] == unreduced_axis;
    if (here[a] == there[a] || here[a] < 16) continue;
    finer *= space_.axes[a];
    // Another axis is to stand where this one does: the blocks of some device do not meet.
    for (std::size_t b = 0; b < axes; ++b) is_elsewhere |= there[b] == here[a];
  }
  const std::int64_t wanted = block(to);
  return (has_terms || is_elsewhere ? wanted : wanted - wanted / finer) / holders;
}

std::span<const PlanEdge> StateGraph::steps_from(int number) {
  const auto at = static_cast<std::size_t>(number);
  if (!has_steps_[at]) {
    std::vector<PlanEdge> found = Steps(*this, number).all();
    steps_[at] = std::move(found);
    has_steps_[at] = true;
  }
  return steps_[at];
}

}  // namespace tutti
