// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/layout_state.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace tutti {
namespace {

using Lengths = std::vector<std::size_t>;

/// `visit` for every choice of a suffix of each dim's axes, but for none at all.
void for_each_suffix(const PlanState& state, const std::function<void(const Lengths&)>& visit) {
  Lengths lengths(state.dims.size());
  for (;;) {
    std::size_t dim = 0;
    while (dim < lengths.size() && lengths[dim] == state.dims[dim].size()) lengths[dim++] = 0;
    if (dim == lengths.size()) return;
    ++lengths[dim];
    visit(lengths);
  }
}

/// Takes the suffixes off the dims of `state`; returns their axes.
std::vector<int> take_suffixes(PlanState& state, const Lengths& lengths) {
  std::vector<int> taken;
  for (std::size_t dim = 0; dim < lengths.size(); ++dim) {
    std::vector<int>& axes = state.dims[dim];
    const auto begin = axes.end() - static_cast<std::ptrdiff_t>(lengths[dim]);
    taken.insert(taken.end(), begin, axes.end());
    axes.erase(begin, axes.end());
  }
  return taken;
}

/// Every state in which all of `axes` are appended, in any order, to dims that `may_gain` allows.
void for_each_placement(const PlanState& state, const std::vector<int>& axes,
                        const std::function<bool(std::size_t)>& may_gain, std::set<PlanState>& found) {
  if (axes.empty()) {
    found.insert(state);
    return;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::vector<int> others = axes;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t dim = 0; dim < state.dims.size(); ++dim) {
      if (!may_gain(dim)) continue;
      PlanState next = state;
      next.dims[dim].push_back(axes[i]);
      for_each_placement(next, others, may_gain, found);
    }
  }
}

/// `visit` for every subset of `axes` but the empty one.
void for_each_subset(const std::vector<int>& axes,
                     const std::function<void(const std::vector<int>&)>& visit) {
  for (unsigned bits = 1; bits < 1U << axes.size(); ++bits) {
    std::vector<int> some;
    for (std::size_t i = 0; i < axes.size(); ++i)
      if ((bits >> i & 1) != 0) some.push_back(axes[i]);
    visit(some);
  }
}

void without(std::vector<int>& axes, const std::vector<int>& others) {
  std::erase_if(axes, [&](int axis) { return std::ranges::find(others, axis) != others.end(); });
}

class Steps {
 public:
  Steps(const PlanState& state, const PlanSpace& space)
      : state_(state), space_(space), block_(space.block_elements(state)) {}

  std::vector<PlanEdge> all() && {
    slices();
    for_each_suffix(state_, [&](const Lengths& lengths) {
      gather(lengths);
      exchanges(lengths);
    });
    for_each_subset(state_.unreduced, [&](const std::vector<int>& axes) { reductions(axes); });
    masks();
    return std::move(found_);
  }

 private:
  void add(StepKind kind, PlanState after, std::int64_t received, std::int64_t peers) {
    if (space_.is_even(after)) found_.push_back({kind, std::move(after), received, static_cast<int>(peers)});
  }

  void slices() {
    for (int axis : space_.free_axes(state_))
      for (std::size_t dim = 0; dim < state_.dims.size(); ++dim) {
        PlanState after = state_;
        after.dims[dim].push_back(axis);
        add(StepKind::slice, std::move(after), 0, 0);
      }
  }

  void gather(const Lengths& lengths) {
    PlanState after = state_;
    const std::int64_t n = space_.joint_size(take_suffixes(after, lengths));
    add(StepKind::gather, after, space_.block_elements(after) - block_, n - 1);
  }

  void exchanges(const Lengths& lengths) {
    PlanState rest = state_;
    const std::vector<int> taken = take_suffixes(rest, lengths);
    const std::int64_t n = space_.joint_size(taken);
    std::set<PlanState> places;
    for_each_placement(rest, taken, [&](std::size_t dim) { return lengths[dim] == 0; }, places);
    for (const PlanState& after : places) add(StepKind::exchange, after, block_ * (n - 1) / n, n - 1);
  }

  void reductions(const std::vector<int>& axes) {
    const std::int64_t n = space_.joint_size(axes);
    PlanState after = state_;
    without(after.unreduced, axes);
    add(StepKind::all_reduce, after, 2 * block_ * (n - 1) / n, n - 1);
    std::set<PlanState> places;
    for_each_placement(after, axes, [](std::size_t) { return true; }, places);
    for (const PlanState& place : places) add(StepKind::reduce_scatter, place, block_ * (n - 1) / n, n - 1);
  }

  // Of a free axis the first device keeps the value and the others hold zeros; of a dim's last axis each device puts its
  // block among zeros.
  void masks() {
    auto become_terms = [&](PlanState after, int axis) {
      after.unreduced.push_back(axis);
      std::ranges::sort(after.unreduced);
      add(StepKind::mask, std::move(after), 0, 0);
    };
    for (int axis : space_.free_axes(state_)) become_terms(state_, axis);
    for (std::size_t dim = 0; dim < state_.dims.size(); ++dim) {
      if (state_.dims[dim].empty()) continue;
      PlanState after = state_;
      after.dims[dim].pop_back();
      become_terms(std::move(after), state_.dims[dim].back());
    }
  }

  const PlanState& state_;
  const PlanSpace& space_;
  std::int64_t block_;
  std::vector<PlanEdge> found_;
};

}  // namespace

std::string_view name(StepKind kind) {
  switch (kind) {
    case StepKind::slice: return "slice";
    case StepKind::gather: return "all_gather";
    case StepKind::exchange: return "exchange";
    case StepKind::permute: return "permute";
    case StepKind::all_reduce: return "psum";
    case StepKind::reduce_scatter: return "psum_scatter";
    case StepKind::mask: return "mask";
  }
  return {};
}

std::int64_t PlanSpace::joint_size(const std::vector<int>& some) const {
  std::int64_t product = 1;
  for (int axis : some) product *= axes[static_cast<std::size_t>(axis)];
  return product;
}

std::int64_t PlanSpace::block_elements(const PlanState& state) const {
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const std::int64_t parts = joint_size(state.dims[dim]);
    product *= (shape[dim] + parts - 1) / parts;
  }
  return product;
}

bool PlanSpace::is_even(const PlanState& state) const {
  for (std::size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] % joint_size(state.dims[dim]) != 0) return false;
  return true;
}

std::vector<int> PlanSpace::free_axes(const PlanState& state) const {
  std::vector<bool> used(axes.size());
  auto use = [&](const std::vector<int>& some) {
    for (int axis : some) used[static_cast<std::size_t>(axis)] = true;
  };
  for (const std::vector<int>& dim : state.dims) use(dim);
  use(state.unreduced);
  std::vector<int> found;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (!used[axis]) found.push_back(static_cast<int>(axis));
  return found;
}

std::vector<PlanEdge> steps_from(const PlanState& state, const PlanSpace& space) {
  return Steps(state, space).all();
}

std::vector<PlanState> permutations_of(const PlanState& state, const PlanSpace& space) {
  std::vector<PlanState> found;
  PlanState next{std::vector<std::vector<int>>(state.dims.size()), state.unreduced};
  std::vector<int> left;
  for (std::size_t axis = 0; axis < space.axes.size(); ++axis)
    if (std::ranges::find(state.unreduced, static_cast<int>(axis)) == state.unreduced.end())
      left.push_back(static_cast<int>(axis));
  const std::function<void(std::size_t, std::int64_t)> fill = [&](std::size_t dim, std::int64_t parts) {
    if (parts == 1) {
      if (++dim == state.dims.size()) {
        if (next != state) found.push_back(next);
        return;
      }
      return fill(dim, space.joint_size(state.dims[dim]));
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      const int axis = left[i];
      const std::int64_t size = space.axes[static_cast<std::size_t>(axis)];
      if (size == 1 || parts % size != 0) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      next.dims[dim].push_back(axis);
      fill(dim, parts / size);
      next.dims[dim].pop_back();
      left.insert(left.begin() + static_cast<std::ptrdiff_t>(i), axis);
    }
  };
  if (!state.dims.empty()) fill(0, space.joint_size(state.dims[0]));
  return found;
}

}  // namespace tutti
