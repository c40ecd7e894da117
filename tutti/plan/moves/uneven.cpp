// SPDX-License-Identifier: Apache-2.0
#include "tutti/plan/moves/uneven.hpp"

#include <algorithm>

#include "tutti/plan/moves/direct.hpp"
#include "tutti/plan/moves/groups.hpp"
#include "tutti/plan/moves/step_list.hpp"

namespace tutti {
namespace {

/// True if padded blocks of `coarse`, cut into equal parts, are padded blocks of `fine`.
/// One block of n that is cut into s has no room for padding, so that s must divide n.
bool fit(const Shape& shape, const Sharding& coarse, const Sharding& fine) {
  const Type whole(DType::u8, shape);
  const Shape large = padded_local_type(whole, coarse).shape(),
              small = padded_local_type(whole, fine).shape();
  for (int dim = 0; dim < shape.rank(); ++dim) {
    const auto i = static_cast<std::size_t>(dim);
    const std::int64_t parts = joint_size(fine.dims[i]) / joint_size(coarse.dims[i]);
    if (large[dim] != parts * small[dim]) return false;
  }
  return true;
}

/// `sharding` with the next axes that `goal` wants in each dim, as long as they are among `usable`.
Sharding split_further(Sharding sharding, const Sharding& goal, const Axes& usable) {
  for (std::size_t dim = 0; dim < goal.dims.size(); ++dim) {
    Axes& axes = sharding.dims[dim];
    const Axes& wanted = goal.dims[dim];
    if (axes.size() > wanted.size() || !std::equal(axes.begin(), axes.end(), wanted.begin())) continue;
    for (std::size_t i = axes.size(); i < wanted.size() && contains(usable, wanted[i]); ++i)
      axes.push_back(wanted[i]);
  }
  return sharding;
}

enum class Slices { no, yes };
enum class Scatters { no, yes };

class Uneven {
 public:
  explicit Uneven(const PlanRequest& request)
      : request_(request), states_(request), first_(states_.first()), last_(states_.last()) {
    summed_ = without(first_.unreduced, last_.unreduced);
    goal_ = last_;
    goal_.unreduced = without(last_.unreduced, without(last_.unreduced, first_.unreduced));
  }

  KnownSteps best() const {
    if (summed_.empty()) return way(Slices::no, Scatters::no);
    KnownSteps best = way(Slices::no, Scatters::no);
    for (const auto& [slices, scatters] :
         {std::pair(Slices::no, Scatters::yes), {Slices::yes, Scatters::no}, {Slices::yes, Scatters::yes}}) {
      KnownSteps other = way(slices, scatters);
      if (is_better(other.totals, best.totals, request_.options.objective)) best = std::move(other);
    }
    return best;
  }

 private:
  KnownSteps way(Slices slices, Scatters scatters) const {
    const Shape& shape = request_.whole.shape();
    StepList list(request_, first_);
    if (slices == Slices::yes) {
      const Sharding sliced = split_further(first_, goal_, without(first_.mesh.axes(), axes_of(first_)));
      if (direct_traffic(first_, sliced, shape, PairCosts(request_)).received == 0) list.add_exchange(sliced);
    }
    if (scatters == Scatters::yes) {
      Sharding scattered = split_further(list.here(), goal_, summed_);
      const Axes gained = without(axes_in_dims(scattered), axes_in_dims(list.here()));
      scattered.unreduced = without(scattered.unreduced, gained);
      if (!gained.empty() && fit(shape, list.here(), scattered)) list.add_sum(scattered);
    }
    if (Sharding sum = list.here(); sum.unreduced.size() > goal_.unreduced.size()) {
      sum.unreduced = goal_.unreduced;
      list.add_sum(sum);
    }
    list.add_exchange(goal_);
    list.add_masks(last_);
    return list.known();
  }

  static Axes axes_in_dims(const Sharding& sharding) {
    Axes all;
    for (const Axes& axes : sharding.dims) all.insert(all.end(), axes.begin(), axes.end());
    return all;
  }

  const PlanRequest& request_;
  const StatesOf states_;
  const Sharding first_, last_;
  Sharding goal_;
  Axes summed_;
};

}  // namespace

KnownSteps uneven_steps(const PlanRequest& request) { return Uneven(request).best(); }

}  // namespace tutti
