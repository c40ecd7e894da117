// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tutti/plan/plan.hpp"

namespace tutti {

/// Throws as plan() does for a request that is not one.
void check(const PlanRequest& request);

/// The two shardings of a request as states, and back. Axes of size 1 are left out, and so are reduced axes: along both
/// all devices hold the same. An axis that is reduced on both sides stays so, and no step may use it.
class StatesOf {
 public:
  explicit StatesOf(const PlanRequest& request);

  const PlanSpace& space() const { return space_; }
  const PlanState& from() const { return from_; }
  const PlanState& to() const { return to_; }
  Sharding sharding(const PlanState& state) const;
  /// The two ends of the steps.
  const Sharding& first() const { return first_; }
  const Sharding& last() const { return last_; }
  const Axes& axes() const { return axes_; }

 private:
  PlanState state(const Sharding& sharding) const;

  Axes axes_;
  PlanSpace space_;
  Sharding first_, last_;
  PlanState from_, to_;
};

}  // namespace tutti
