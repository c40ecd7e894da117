// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/moves/move_traffic.hpp"
#include "tutti/plan/search/search_of.hpp"

namespace tutti {

/// Puts steps together one by one, with what they cost. They need no states: dims need not divide.
class StepList {
 public:
  /// `request` outlives the list.
  StepList(const PlanRequest& request, Sharding first)
      : request_(request), pairs_(request), here_(std::move(first)) {}

  /// The sharding after the steps so far.
  const Sharding& here() const { return here_; }
  const KnownSteps& known() const { return known_; }

  /// psum of all terms that `after` does not have; psum_scatter if its dims are split further.
  void add_sum(const Sharding& after);
  /// One exchange of boxes; a slice if each device has what it needs, nothing if the shardings are the same.
  void add_exchange(const Sharding& after);
  /// Axes become ones of terms, as in `last`, which has the same blocks.
  void add_masks(const Sharding& last);
  /// Steps that lead to `after`.
  void add(const KnownSteps& known, const Sharding& after);
  /// A move to another mesh; a slice if nobody sends, nothing if each device has its very block.
  void add_move(const Sharding& after, const MoveTraffic& traffic);

 private:
  void add(PlanStep step, const PlanTotals& totals);

  const PlanRequest& request_;
  const PairCosts pairs_;
  Sharding here_;
  KnownSteps known_;
};

/// The cost of a move.
PlanTotals totals_of_move(const PlanRequest& request, const Sharding& after, const MoveTraffic& traffic);

}  // namespace tutti
