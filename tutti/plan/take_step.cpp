// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/take_step.hpp"

#include <algorithm>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/collectives/all_gather.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/all_to_all.hpp"
#include "tutti/ops/collectives/axis_index.hpp"
#include "tutti/ops/collectives/mask.hpp"
#include "tutti/ops/collectives/own_block.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/ops/dynamic_update_slice.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/exchange_digits.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/plan/moves/groups.hpp"
#include "tutti/plan/moves/move_traffic.hpp"

namespace tutti {
namespace {

const Axes& axes_of_dim(const Sharding& sharding, int dim) {
  return sharding.dims[static_cast<std::size_t>(dim)];
}

/// The axes that a step appends to those of a dim.
struct Change {
  int dim;
  Axes axes;
};
/// The changes from `shorter` to `longer`; none if a dim changes in another way.
std::optional<std::vector<Change>> gained(const Sharding& shorter, const Sharding& longer) {
  std::vector<Change> changes;
  for (int dim = 0; dim < static_cast<int>(shorter.dims.size()); ++dim) {
    const Axes &few = axes_of_dim(shorter, dim), &many = axes_of_dim(longer, dim);
    const auto [end, rest] = std::ranges::mismatch(few, many);
    if (end != few.end()) return std::nullopt;
    if (rest != many.end()) changes.push_back({dim, {rest, many.end()}});
  }
  return changes;
}

Shape whole_of(const PlanStep& step, const Array& x) { return global_type(x.type(), step.before).shape(); }

Array exchanged(const PlanStep& step, const Array& x) {
  return exchange(x, whole_of(step, x), step.before, step.after);
}

Array slice(const PlanStep& step, Array x) {
  const auto changes = gained(step.before, step.after);
  if (!changes) return exchanged(step, x);
  for (const auto& [dim, axes] : *changes) x = own_block(x, axes, Dim{dim}, Stacking::tiled);
  return x;
}

Array gather(const PlanStep& step, const Array& x) {
  const auto lost = gained(step.after, step.before);
  if (!lost || lost->size() != 1) return exchanged(step, x);
  return all_gather(x, (*lost)[0].axes, Dim{(*lost)[0].dim}, Stacking::tiled, State::invariant);
}

/// The one dim that axes leave, and the one that they go to.
struct OneMove {
  Change from, to;
};
std::optional<OneMove> only_move(const Sharding& before, const Sharding& after) {
  const Sharding common = common_sharding(before, after);
  const auto lost = gained(common, before), got = gained(common, after);
  if (!lost || !got || lost->size() != 1 || got->size() != 1) return std::nullopt;
  return OneMove{(*lost)[0], (*got)[0]};
}

/// If all axes that leave one dim go to one other dim, in the same order: that move.
std::optional<OneMove> as_all_to_all(const PlanStep& step) {
  const std::optional<OneMove> move = only_move(step.before, step.after);
  return move && move->from.axes == move->to.axes ? move : std::nullopt;
}

Array general_exchange(const PlanStep& step, const Array& x) {
  const std::optional<OneMove> move = as_all_to_all(step);
  if (!move) return exchanged(step, x);
  return apply_one(AllToAll{move->to.axes, Dim{move->to.dim}, Dim{move->from.dim}, Stacking::tiled}, {x});
}

/// Terms of a sum become blocks of one or several dims: their parts stand in front while the sum is
/// scattered.
Array scatter(const PlanStep& step, const Array& x) {
  const auto found = gained(step.before, step.after);
  ensure(found.has_value(), "a sum that is scattered appends axes to dims");
  const std::vector<Change>& changes = *found;
  if (changes.size() == 1) return reduce_scatter(x, changes[0].axes, Dim{changes[0].dim}, Stacking::tiled);
  std::vector<std::int64_t> cut, parts, rest;
  std::vector<int> front, back;
  Axes axes;
  std::int64_t n = 1;
  for (int dim = 0; dim < x.rank(); ++dim) {
    std::int64_t size = x.shape()[dim];
    for (const Change& change : changes) {
      if (change.dim != dim) continue;
      const int count = joint_size(change.axes);
      axes.insert(axes.end(), change.axes.begin(), change.axes.end());
      front.push_back(static_cast<int>(cut.size()));
      cut.push_back(count);
      size /= count;
      n *= count;
    }
    back.push_back(static_cast<int>(cut.size()));
    cut.push_back(size);
    rest.push_back(size);
  }
  front.insert(front.end(), back.begin(), back.end());
  const Array in_front = transpose(reshape(x, Shape(cut)), front);
  parts = rest;
  parts.insert(parts.begin(), n);
  return reduce_scatter(reshape(in_front, Shape(parts)), axes, Dim{0}, Stacking::new_dim);
}

/// Blocks become terms of a sum: each device holds its block among zeros. Equal values: the first device
/// keeps them.
Array as_terms(const PlanStep& step, Array x) {
  Axes new_terms = step.after.unreduced;
  for (const Axis& axis : step.before.unreduced) new_terms = without(std::move(new_terms), axis);
  const auto lost = gained(step.after, step.before);
  ensure(lost.has_value(), "a dim loses its last axes when blocks become terms");
  for (const auto& [dim, axes] : *lost) {
    const std::int64_t size = x.shape()[dim];
    const Type padded{x.dtype(), x.shape().with(Dim{dim}, size * joint_size(axes)), x.type().states()};
    const Array start = axis_index(axes) * size;
    x = cast_to(dynamic_update_slice_in_dim(zeros_of(padded), x, start, dim), axes, State::unreduced);
    for (const Axis& axis : axes) new_terms = without(std::move(new_terms), axis);
  }
  return new_terms.empty() ? x : mask(x, new_terms);
}

/// `steps` lead from the first step's sharding to the last one's.
template <class Steps>
Array from_end_to_end(const ReshardPlan& plan, const Array& x, const Steps& steps) {
  const auto& [whole, from, to, options] = plan.request;
  require(from.mesh == to.mesh, Code::spec,
          "the plan leads from the mesh {} to {}, and a program runs on one; reshard the array outside of "
          "shard_map",
          from.mesh, to.mesh);
  const Type expected = local_type(whole, from);
  local_type(whole, to);
  require(x.type() == expected, Code::argument, "the plan moves {}, this is {}; ask for a plan for it",
          expected, x.type());
  if (plan.steps.empty()) return take_without_steps(x, whole.shape(), from, to);
  const Array first = take_without_steps(x, whole.shape(), from, plan.steps.front().before);
  return take_without_steps(steps(first), whole.shape(), plan.steps.back().after, to);
}

/// True if a step neither sums nor makes terms.
bool moves_blocks(const PlanStep& step) {
  switch (step.kind) {
    case StepKind::slice:
    case StepKind::gather:
    case StepKind::exchange:
    case StepKind::permute: return true;
    case StepKind::all_reduce:
    case StepKind::reduce_scatter:
    case StepKind::mask:
    case StepKind::move: return false;
  }
  return false;
}

}  // namespace

Array take_without_steps(Array x, const Shape& whole, Sharding from, const Sharding& to) {
  x = cast_to(x, without(from.reduced, to.reduced), State::invariant);
  const Axes summed = without(from.unreduced, to.unreduced);
  if (!summed.empty()) x = all_reduce(x, summed);
  from.unreduced = without(from.unreduced, summed);
  from.reduced = without(from.reduced, without(from.reduced, to.reduced));
  Sharding after = from;
  after.dims = to.dims;
  if (!(after == from)) x = exchange(x, whole, from, after);
  const Axes terms = without(to.unreduced, from.unreduced);
  if (!terms.empty()) x = mask(x, terms);
  return cast_to(x, without(to.reduced, from.reduced), State::reduced);
}

std::string_view op_name(const PlanStep& step) {
  if (step.kind == StepKind::move) return name(step.pattern);
  if (step.kind != StepKind::exchange) return name(step.kind);
  const std::optional<OneMove> move = as_all_to_all(step);
  const bool is_among_them = move && step.axes.size() == move->to.axes.size();
  return is_among_them ? AllToAll::name : Exchange::name;
}

Array take(const PlanStep& step, const Array& x) {
  switch (step.kind) {
    case StepKind::slice: return slice(step, x);
    case StepKind::gather: return gather(step, x);
    case StepKind::exchange:
    case StepKind::permute: return general_exchange(step, x);
    case StepKind::all_reduce: return all_reduce(x, without(step.before.unreduced, step.after.unreduced));
    case StepKind::reduce_scatter: return scatter(step, x);
    case StepKind::mask: return as_terms(step, x);
    case StepKind::move: fail(Code::spec, "a move leads to another mesh, and a program runs on one");
  }
  return x;
}

Array take(const ReshardPlan& plan, const Array& x) {
  return from_end_to_end(plan, x, [&](Array value) {
    for (const PlanStep& step : plan.steps) value = take(step, value);
    return value;
  });
}

Array take_at_once(const ReshardPlan& plan, const Array& x) {
  return from_end_to_end(plan, x, [&](Array value) {
    for (auto step = plan.steps.begin(); step != plan.steps.end();) {
      const auto end = std::find_if_not(step, plan.steps.end(), moves_blocks);
      if (end - step > 1) value = exchange(value, whole_of(*step, value), step->before, (end - 1)->after);
      else value = take(*step, value);
      step = std::max(end, step + 1);
    }
    return value;
  });
}

}  // namespace tutti
