// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <map>
#include <mutex>

#include "tutti/base/fork.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/base/never_destroyed.hpp"
#include "tutti/plan/plan.hpp"

namespace tutti {
namespace {

constinit std::mutex plans_lock;

constexpr std::size_t most_plans = 512;  // then all are forgotten: a program asks for few

// All that two requests may differ in. Types, meshes and names are interned: addresses and ids tell them
// apart.
std::vector<std::uint64_t> key_of(const PlanRequest& request) {
  std::vector<std::uint64_t> key{static_cast<std::uint64_t>(request.whole.dtype()),
                                 static_cast<std::uint64_t>(request.whole.rank())};
  key.reserve(64);
  for (std::int64_t extent : request.whole.shape()) key.push_back(static_cast<std::uint64_t>(extent));
  for (const auto& [axis, state] : request.whole.states()) {
    key.push_back(static_cast<std::uint64_t>(axis.id));
    key.push_back(static_cast<std::uint64_t>(state));
  }
  auto add_axes = [&](const Axes& axes) {
    for (const Axis& axis : axes) key.push_back(static_cast<std::uint64_t>(axis.id));
    key.push_back(~std::uint64_t{0});
  };
  for (const Sharding* sharding : {&request.from, &request.to}) {
    add_axes(sharding->mesh.axes());
    for (int position = 0; !sharding->mesh.is_in_device_order() && position < sharding->mesh.devices();
         ++position)
      key.push_back(static_cast<std::uint64_t>(sharding->mesh.device_id(position)));
    for (const Axes& axes : sharding->dims) add_axes(axes);
    add_axes(sharding->unreduced);
    add_axes(sharding->reduced);
  }
  const ReshardOptions& options = request.options;
  key.push_back(static_cast<std::uint64_t>(options.objective));
  key.push_back(std::bit_cast<std::uint64_t>(options.cap));
  key.push_back(options.direct ? 1 : 0);
  key.push_back(options.parts ? 1 : 0);
  return key;
}

}  // namespace

std::shared_ptr<const ReshardPlan> internal::shared_plan(const PlanRequest& request) {
  using Key = std::pair<std::vector<std::uint64_t>, std::vector<std::pair<std::string, double>>>;
  static NeverDestroyed<std::map<Key, std::shared_ptr<const ReshardPlan>>> plans;
  free_at_fork<plans_lock>();
  Key key{key_of(request), request.options.links};
  {
    std::lock_guard lock(plans_lock);
    if (auto it = plans->find(key); it != plans->end()) return it->second;
  }
  auto found =
      std::make_shared<const ReshardPlan>(plan(request));  // without the lock: it may take milliseconds
  std::lock_guard lock(plans_lock);
  if (plans->size() >= most_plans) plans->clear();
  return plans->emplace(std::move(key), std::move(found)).first->second;
}

}  // namespace tutti
