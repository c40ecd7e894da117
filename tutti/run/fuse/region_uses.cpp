// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/fuse/region_uses.hpp"

#include <algorithm>
#include <set>

#include "tutti/run/fuse/steps.hpp"
#include "tutti/tensor/loops/elementwise.hpp"

namespace tutti {

const BinaryFn* binary_fn(const Task& task) {
  const auto* pointwise = std::get_if<PointwiseWork>(&task.work);
  return pointwise ? std::get_if<BinaryFn>(&pointwise->fn.fn) : nullptr;
}

const CompareDirection* comparison(const Task& task) {
  const auto* pointwise = std::get_if<PointwiseWork>(&task.work);
  return pointwise ? std::get_if<CompareDirection>(&pointwise->fn.fn) : nullptr;
}

namespace {

bool is_select(const Task& task) {
  const auto* pointwise = std::get_if<PointwiseWork>(&task.work);
  return pointwise && std::holds_alternative<kernel::SelectFn>(pointwise->fn.fn);
}

bool is_one_element(const Address& address) {
  auto is_zero = [](std::int64_t stride) { return stride == 0; };
  return std::ranges::all_of(address.axes, is_zero) && std::ranges::all_of(address.dims, is_zero);
}

/// True if `select` yields the limit of `compare` where the comparison holds, and a gate kernel exists.
bool gates(const Graph& graph, const Task& compare, const Task& select) {
  const Address& limit = compare.operands[1];
  const Address& chosen = select.operands[1];
  DType dtype = graph.buffers[limit.buffer].type.dtype();
  return is_one_element(limit) && is_one_element(chosen) && limit.buffer == chosen.buffer &&
         limit.offset == chosen.offset && gate_kernel(*comparison(compare), dtype) != nullptr;
}

constexpr std::size_t most_links = 7;  // of a chain without others aside
// In elements. Shorter rows take less time if a whole tile of them is computed and then folded.
constexpr std::int64_t shortest_made_row = 64;

using Link = RegionUses::Link;
using Chain = RegionUses::Chain;
using Before = Link::Before;

class UsesFinder {
 public:
  UsesFinder(const Graph& graph, const Steps& steps, StepId step)
      : graph_(graph), steps_(steps), index_(step), step_(steps.list[step]) {}

  RegionUses find() && {
    for (std::size_t i = 0; i < step_.tasks.size(); ++i) {
      for (const Address& operand : task(i).operands) {
        if (!is_made_here(operand.buffer)) continue;
        ++uses_[operand.buffer];
        users_[operand.buffer].insert(i);
        found_.last_use[operand.buffer] = i;
      }
      made_at_[task(i).results[0]] = i;
    }
    for (std::size_t i = 0; i < step_.tasks.size(); ++i) find_recomputed(i);
    for (std::size_t i = 0; i < step_.tasks.size(); ++i)
      if (is_select(task(i))) find_gate(i);
      else if (binary_fn(task(i))) find_link(i);
      else if (const auto* rows = std::get_if<RowsWork>(&task(i).work))
        find_row(i, reduce_chain_rows_kernel(rows->kind, dtype(i)));
      else if (const auto* pieces = std::get_if<PiecesWork>(&task(i).work)) find_pieces(i, *pieces);
    // A chain erases others only before its own place in the map.
    for (auto& [last, chain] : found_.chains) take_in_others(chain);
    return std::move(found_);
  }

 private:
  const Task& task(std::size_t i) const { return graph_.tasks[step_.tasks[i]]; }
  bool is_made_here(BufferId buffer) const { return steps_.maker[buffer] == index_; }
  const Buffer& buffer(BufferId b) const { return graph_.buffers[b]; }
  DType dtype(std::size_t i) const { return buffer(task(i).results[0]).type.dtype(); }
  bool has_step(const Link& link) const { return step_of(graph_, step_, link).has_value(); }

  /// True if the value stays inside the region and task i reads it element by element.
  bool is_in_place(std::size_t i, BufferId value) {
    if (!is_made_here(value) || steps_.in_memory[value]) return false;
    AxisSet stored = buffer(task(i).results[0]).stored;
    return task(made_at_[value]).shape == task(i).shape && buffer(value).stored == stored;
  }
  /// True if, in addition, only task i reads the value, `uses` times, and no chain has computed it yet.
  bool is_only_for(std::size_t i, BufferId value, int uses) {
    return is_in_place(i, value) && uses_[value] == uses && !found_.merged_into.contains(made_at_[value]);
  }

  /// The link by which task i continues a chain that ends with `value`.
  Link link(std::size_t i, BufferId value) const {
    bool left = task(i).operands[0].buffer == value, right = task(i).operands[1].buffer == value;
    return {i, left && right ? Before::both : left ? Before::left : Before::right};
  }

  /// A value with two readers is recomputed in each, not stored, if one of its operands is constant along a
  /// row. The value then begins both readers' chains.
  void find_recomputed(std::size_t i) {
    const Task& a = task(i);
    BufferId value = a.results[0];
    if (!binary_fn(a) || *binary_fn(a) == BinaryFn::div || !has_step({i, Before::nothing}) ||
        users_[value].size() != 2 || !chain_kernel(dtype(i)))
      return;
    auto is_same_for_a_row = [&](const Address& operand) {
      return is_one_element(operand) ||
             (is_made_here(operand.buffer) && is_row_value(step_, buffer(operand.buffer).type.shape()));
    };
    if (recomputed_for_.contains(i) || is_row_value(step_, a.shape) ||
        std::ranges::none_of(a.operands, is_same_for_a_row))
      return;
    bool goes_on_in_both = std::ranges::all_of(users_[value], [&](std::size_t user) {
      return is_in_place(user, value) && binary_fn(task(user)) && has_step(link(user, value)) &&
             !recomputed_for_.contains(user);
    });
    if (!goes_on_in_both) return;
    for (std::size_t user : users_[value]) recomputed_for_[user] = value;
    recomputed_.insert(i);
  }

  void find_gate(std::size_t i) {
    const Task& select = task(i);
    if (!is_only_for(i, select.operands[0].buffer, 1)) return;
    std::size_t compare = made_at_[select.operands[0].buffer];
    if (!comparison(task(compare)) || !gates(graph_, task(compare), select)) return;
    BufferId value = select.operands[2].buffer;
    Link own{i, Before::right, compare};
    if (!has_step(own) || !is_only_for(i, value, 2) || !extend(made_at_[value], own))
      set_chain({{i, Before::nothing, compare}});
  }

  void find_link(std::size_t i) {
    if (recomputed_.contains(i)) return;
    if (auto recomputed = recomputed_for_.find(i); recomputed != recomputed_for_.end())
      return set_chain({{made_at_[recomputed->second], Before::nothing}, link(i, recomputed->second)});
    for (const Address& operand : task(i).operands) {
      Link next = link(i, operand.buffer);
      if (is_only_for(i, operand.buffer, next.before == Before::both ? 2 : 1) &&
          extend(made_at_[operand.buffer], next))
        return;
    }
  }

  /// Appends the fold of a row, or of its pieces, to the chain that computes the row, if only the fold reads
  /// the row.
  void find_row(std::size_t i, ReduceChainRowsKernel kernel) {
    BufferId row = task(i).operands[0].buffer;
    if (!is_only_for(i, row, 1) || step_.space.columns < shortest_made_row) return;
    std::size_t made = made_at_[row];
    Chain chain = chain_to(made);
    if (!kernel || chain.size() >= most_links || !is_chain(chain)) return;
    found_.chains.erase(made);
    chain.push_back({i, Before::nothing});
    set_chain(std::move(chain));
  }

  /// A sum of pieces may also make the conversion whose result only the sum reads.
  void find_pieces(std::size_t i, const PiecesWork& work) {
    const BufferId row = task(i).operands[0].buffer;
    if (!is_only_for(i, row, 1) || !converting_kernel(graph_, task(made_at_[row]), task(i)))
      return find_row(i, reduce_chain_pieces_kernel(work.kind, dtype(i)));
    found_.converted[i] = made_at_[row];
    merge(made_at_[row], i);
  }

  Chain chain_to(std::size_t last) const {
    auto known = found_.chains.find(last);
    return known != found_.chains.end() ? known->second : Chain{{last, Before::nothing}};
  }

  bool is_chain(const Chain& chain) const {
    return chain_kernel(dtype(chain.back().task)) &&
           std::ranges::all_of(chain, [this](const Link& l) { return has_step(l); });
  }

  /// Appends `link` to the chain that ends with task `last`, or to `last` alone. False if no kernel fits.
  bool extend(std::size_t last, const Link& link) {
    Chain chain = chain_to(last);
    chain.push_back(link);
    if (chain.size() > most_links || !is_chain(chain)) return false;
    found_.chains.erase(last);
    set_chain(std::move(chain));
    return true;
  }

  /// Computes the other operands of the links in the same chain, where only the link reads them.
  void take_in_others(Chain& chain) {
    const std::size_t last = chain.back().task;
    if (chain.size() < 2 || !is_chain(chain) || !chain_with_aside_kernel(dtype(last))) return;
    for (Link& link : chain) {
      if (link.comparison || link.before == Before::nothing || link.before == Before::both) continue;
      const BufferId other = task(link.task).operands[link.before == Before::left ? 1 : 0].buffer;
      if (!is_only_for(link.task, other, 1)) continue;
      const std::size_t made = made_at_[other];
      link.aside = chain_to(made);
      if (has_others(link.aside) || !is_chain(link.aside) ||
          steps_of(graph_, step_, chain).size() > most_chain_steps) {
        link.aside.clear();
        continue;
      }
      found_.chains.erase(made);
      merge_all(link.aside, last);
    }
  }
  static bool has_others(const Chain& chain) {
    return std::ranges::any_of(chain, [](const Link& link) { return !link.aside.empty(); });
  }

  /// Records a chain: all its tasks, and their reads, happen at the last task.
  void set_chain(Chain chain) {
    std::size_t last = chain.back().task;
    merge_all(chain, last);
    found_.chains[last] = std::move(chain);
  }

  void merge_all(const Chain& chain, std::size_t last) {
    for (const Link& link : chain) {
      merge(link.task, last);
      if (link.comparison) merge(*link.comparison, last);
    }
  }

  /// Task i happens at task `last`; a task that begins two chains happens at the later one, too.
  void merge(std::size_t i, std::size_t last) {
    if (i != last) found_.merged_into[i] = std::max(found_.merged_into[i], last);
    for (const Address& operand : task(i).operands)
      if (is_made_here(operand.buffer))
        found_.last_use[operand.buffer] = std::max(found_.last_use[operand.buffer], last);
  }

  const Graph& graph_;
  const Steps& steps_;
  StepId index_;
  const Step& step_;
  std::map<BufferId, int> uses_;                     // reads per value
  std::map<BufferId, std::set<std::size_t>> users_;  // per value
  std::map<BufferId, std::size_t> made_at_;          // per value
  std::set<std::size_t> recomputed_;
  std::map<std::size_t, BufferId> recomputed_for_;  // per task: the value that it recomputes
  RegionUses found_;
};

const Task& task_of(const Graph& graph, const Step& step, std::size_t i) {
  return graph.tasks[step.tasks[i]];
}

}  // namespace

RegionUses uses_of(const Graph& graph, const Steps& steps, StepId step) {
  return UsesFinder(graph, steps, step).find();
}

ReduceRowsKernel converting_kernel(const Graph& graph, const Task& convert, const Task& sum) {
  const auto* fn = std::get_if<PointwiseWork>(&convert.work);
  const auto* pieces = std::get_if<PiecesWork>(&sum.work);
  if (!fn || !std::holds_alternative<kernel::ConvertFn>(fn->fn.fn)) return nullptr;
  if (!pieces || pieces->kind != ReduceKind::sum) return nullptr;
  const auto dtype = [&](BufferId buffer) { return graph.buffers[buffer].type.dtype(); };
  return reduce_converted_pieces_kernel(dtype(convert.operands[0].buffer), dtype(sum.results[0]));
}

namespace {

void add_steps(const Graph& graph, const Step& step, const Chain& chain, ChainStep::Aside first,
               std::vector<StepOfChain>& steps) {
  const std::size_t begin = steps.size();
  for (const Link& link : chain) {
    const std::optional<ChainStep::Fn> fn = step_of(graph, step, link);
    if (!fn) continue;  // a fold
    const std::vector<Address>& own = task_of(graph, step, link.comparison.value_or(link.task)).operands;
    const auto add = [&](const Address* operand) { steps.push_back({operand, {*fn}}); };
    if (steps.size() == begin) {
      steps.push_back({&own[0], {ChainStep::Fn::take, false, first}});
      add(&own[1]);
    } else if (!link.aside.empty()) {
      add_steps(graph, step, link.aside, ChainStep::Aside::put, steps);
      // x is the other operand now, so the sides are exchanged.
      const auto joins = chain_fn(*binary_fn(task_of(graph, step, link.task)), link.before == Before::left);
      steps.push_back({nullptr, {*joins, false, ChainStep::Aside::join}});
    } else if (link.comparison) {
      add(&own[1]);
    } else {
      add(link.before == Before::both ? nullptr : &own[link.before == Before::left ? 1 : 0]);
    }
  }
}

}  // namespace

std::vector<StepOfChain> steps_of(const Graph& graph, const Step& step, const Chain& chain) {
  std::vector<StepOfChain> steps;
  add_steps(graph, step, chain, ChainStep::Aside::none, steps);
  return steps;
}

std::optional<ChainStep::Fn> step_of(const Graph& graph, const Step& step, const Link& link) {
  const Task& task = task_of(graph, step, link.task);
  if (link.comparison) {
    const Task& compare = task_of(graph, step, *link.comparison);
    if (!(compare.operands[0] == task.operands[2])) return std::nullopt;  // `otherwise` is not x
    return chain_fn(*comparison(compare));
  }
  const BinaryFn* fn = binary_fn(task);
  if (!fn) return std::nullopt;
  if (link.before != Before::both) return chain_fn(*fn, link.before == Before::right);
  return *fn == BinaryFn::mul ? std::optional(ChainStep::Fn::square) : std::nullopt;
}

}  // namespace tutti
