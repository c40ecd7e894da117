// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/request/request.hpp"
#include "tutti/plan/search/layout_state.hpp"

namespace tutti {

/// The two shardings of a request as states, and back. Axes of size 1 are left out, and so are reduced axes:
/// along both all devices hold the same. An axis that is reduced on both sides stays so, and no step may use
/// it. The states of many axes are too many to search. Of more than `most_axes`, those that stand where they
/// stood stay there, and those that follow each other on both sides count as one.
class StatesOf {
 public:
  static constexpr std::size_t most_axes = 5;  // the states of six take a second

  explicit StatesOf(const PlanRequest& request);

  const PlanSpace& space() const { return space_; }
  const PlanState& from() const { return from_; }
  const PlanState& to() const { return to_; }
  Sharding sharding(const PlanState& state) const;
  /// The two ends of the steps.
  const Sharding& first() const { return first_; }
  const Sharding& last() const { return last_; }
  /// The units of a state: an axis, or several that count as one.
  const std::vector<Axes>& units() const { return units_; }

 private:
  PlanState state(const Sharding& sharding) const;
  void keep_what_stands(Axes& axes);
  void join_followers();

  Sharding first_, last_;
  Sharding still_;  // the axes that stay
  std::vector<Axes> units_;
  PlanSpace space_;
  PlanState from_, to_;
};

}  // namespace tutti
