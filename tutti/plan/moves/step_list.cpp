// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/step_list.hpp"

#include <algorithm>

#include "tutti/devices/traffic.hpp"
#include "tutti/plan/moves/direct.hpp"
#include "tutti/plan/moves/groups.hpp"
#include "tutti/plan/moves/steps.hpp"

namespace tutti {
namespace {

std::int64_t bytes_of_elements(const PlanRequest& request, std::int64_t elements) {
  return elements * static_cast<std::int64_t>(bytes_per_element(request.whole.dtype()));
}

PlanTotals local_totals(const PlanRequest& request, const Sharding& after) {
  const std::int64_t block = block_bytes(request, after);
  return {PlanCosts{}.copied_byte * static_cast<double>(block), 0, 0, 0, 1, block};
}

/// The costs are those of bytes: of those received; of those that take the time.
PlanTotals totals_of(const PlanRequest& request, const PlanStep& step, double cost_received, double cost) {
  const PlanCosts costs;
  return {costs.step + costs.peer * step.peers + costs.byte * cost,
          cost_received,
          step.received_bytes,
          1,
          0,
          block_bytes(request, step.after)};
}

double average_cost(const Axes& axes, const ReshardOptions& options) {
  std::vector<std::pair<std::int64_t, double>> sizes_and_costs;
  for (const Axis& axis : axes) sizes_and_costs.emplace_back(axis.size, cost_along(axis, options));
  return cost_of_a_byte(std::move(sizes_and_costs));
}

}  // namespace

void StepList::add_sum(const Sharding& after) {
  const bool scatters = after.dims != here_.dims;
  PlanStep step =
      step_of(scatters ? StepKind::reduce_scatter : StepKind::all_reduce, here_, after, request_.whole);
  const int n = joint_size(step.axes);
  const std::int64_t others = share_of_others(padded_local_type(request_.whole, here_).shape().elements(), n);
  step.sent_bytes = step.received_bytes = bytes_of_elements(request_, scatters ? others : 2 * others);
  step.peers = n - 1;
  const double cost = average_cost(step.axes, request_.options) * static_cast<double>(step.received_bytes);
  const PlanTotals totals = totals_of(request_, step, cost, cost);
  add(std::move(step), totals);
}

void StepList::add_exchange(const Sharding& after) {
  if (after.dims == here_.dims) {
    here_ = after;  // its terms may be named in another order
    return;
  }
  const DirectTraffic traffic = direct_traffic(here_, after, request_.whole.shape(), pairs_);
  if (traffic.received == 0)
    return add(step_of(StepKind::slice, here_, after, request_.whole), local_totals(request_, after));
  PlanStep step = step_of(StepKind::exchange, here_, after, request_.whole);
  step.sent_bytes = bytes_of_elements(request_, traffic.sent);
  step.received_bytes = bytes_of_elements(request_, traffic.received);
  step.peers = traffic.peers;
  step.scratch_bytes = step.sent_bytes + step.received_bytes;
  const double per_element = static_cast<double>(bytes_of_elements(request_, 1));
  const double cost =
      traffic.cost ? *traffic.cost * per_element
                   : average_cost(step.axes, request_.options) * static_cast<double>(step.received_bytes);
  const PlanTotals totals = totals_of(request_, step, cost, cost);
  add(std::move(step), totals);
}

void StepList::add_masks(const Sharding& last) {
  for (const Axis& axis : without(last.unreduced, here_.unreduced)) {
    Sharding after = here_;
    after.unreduced.push_back(axis);
    if (after.unreduced.size() == last.unreduced.size()) after = last;
    add(step_of(StepKind::mask, here_, after, request_.whole), local_totals(request_, after));
  }
}

void StepList::add(const KnownSteps& known, const Sharding& after) {
  known_.steps.insert(known_.steps.end(), known.steps.begin(), known.steps.end());
  known_.totals = known_.totals + known.totals;
  here_ = after;
}

void StepList::add_move(const Sharding& after, const MoveTraffic& traffic) {
  if (traffic.transfers.empty() && traffic.keeps_blocks) {
    here_ = after;
    return;
  }
  const PlanTotals totals = totals_of_move(request_, after, traffic);
  const bool is_local = traffic.transfers.empty();
  PlanStep step = step_of(is_local ? StepKind::slice : StepKind::move, here_, after, request_.whole);
  for (const MoveTransfer& transfer : traffic.transfers)
    step.groups.push_back({transfer.sender, transfer.receiver});
  step.sent_bytes = bytes_of_elements(request_, traffic.sent);
  step.received_bytes = bytes_of_elements(request_, traffic.received);
  step.peers = traffic.peers;
  step.scratch_bytes = traffic.sends_parts ? step.sent_bytes + step.received_bytes : 0;
  step.pattern = traffic.pattern;
  add(std::move(step), totals);
}

void StepList::add(PlanStep step, const PlanTotals& totals) {
  step.seconds = totals.seconds;
  here_ = step.after;
  known_.steps.push_back(std::move(step));
  known_.totals = known_.totals + totals;
}

PlanTotals totals_of_move(const PlanRequest& request, const Sharding& after, const MoveTraffic& traffic) {
  if (traffic.transfers.empty()) return traffic.keeps_blocks ? PlanTotals{} : local_totals(request, after);
  PlanStep step{StepKind::move, after, after, {}, {}};
  step.received_bytes = bytes_of_elements(request, traffic.received);
  step.peers = traffic.peers;
  const double per_element = static_cast<double>(bytes_of_elements(request, 1));
  return totals_of(request, step, traffic.cost_received * per_element, traffic.cost * per_element);
}

}  // namespace tutti
