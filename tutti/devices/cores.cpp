// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/cores.hpp"
#include "tutti/base/inside.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tutti {
namespace {

std::vector<Core> usable_among(std::vector<Core> cores, const cpu_set_t& usable) {
  for (Core& core : cores)
    std::erase_if(core.processors, [&](int p) { return p >= CPU_SETSIZE || !CPU_ISSET(p, &usable); });
  std::erase_if(cores, [](const Core& core) { return core.processors.empty(); });
  return cores;
}

cpu_set_t set_of(const Core& core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int processor : core.processors) CPU_SET(processor, &set);
  return set;
}

void bind_to(std::thread& helper, const Core& core) {
  cpu_set_t own = set_of(core);
  // A refusal (a container's limits) costs speed only.
  pthread_setaffinity_np(helper.native_handle(), sizeof own, &own);
}

bool is_bound(std::thread& helper, const Core& core) {
  cpu_set_t present, own = set_of(core);
  return pthread_getaffinity_np(helper.native_handle(), sizeof present, &present) == 0 &&
         CPU_EQUAL(&present, &own) != 0;
}

}  // namespace

Cores::Cores(int workers) {
  cpu_set_t usable;
  if (workers < 2 || sched_getaffinity(0, sizeof usable, &usable) != 0)
    return;  // or too many for a cpu_set_t
  auto needed = static_cast<std::size_t>(workers);
  cores_ = usable_among(topology().cores, usable);
  if (cores_.size() < needed) cores_ = usable_among(topology().threads, usable);
  if (cores_.size() < needed) cores_.clear();
  helper_.resize(cores_.size());
  for (std::size_t core = 0; core < cores_.size(); ++core)
    for (int processor : cores_[core].processors) {
      core_of_.resize(std::max(core_of_.size(), static_cast<std::size_t>(processor) + 1), -1);
      core_of_[static_cast<std::size_t>(processor)] = static_cast<int>(core);
    }
}

void Cores::keep_apart(std::span<std::thread> helpers) {
  auto processor = static_cast<std::size_t>(sched_getcpu());  // -1, too, is none of ours
  int here = processor < core_of_.size() ? core_of_[processor] : -1;
  if (here == callers_ || here < 0) return;
  int before = std::exchange(callers_, here);
  if (before < 0) bind_all(helpers);
  else make_way(helpers, before);
}

/// On the cores that share the caller's last cache, as long as there are any.
void Cores::bind_all(std::span<std::thread> helpers) {
  std::vector<int> others(cores_.size());
  std::iota(others.begin(), others.end(), 0);
  std::erase(others, callers_);
  int near = cores_[static_cast<std::size_t>(callers_)].cache;
  std::ranges::stable_partition(others, [&](int core) {
    return cores_[static_cast<std::size_t>(core)].cache == near;
  });
  for (std::size_t i = 0; i < helpers.size(); ++i) {
    const auto core = static_cast<std::size_t>(others[i]);
    helper_[core] = static_cast<int>(i) + 1;
    bind_to(helpers[i], cores_[core]);
  }
}

/// The helper on the caller's core, if there is one, goes to the core that the caller has left.
void Cores::make_way(std::span<std::thread> helpers, int left) {
  const auto here = static_cast<std::size_t>(callers_), there = static_cast<std::size_t>(left);
  if (helper_[here] == 0) return;
  std::thread& helper = helpers[static_cast<std::size_t>(helper_[here]) - 1];
  if (!is_bound(helper, cores_[here])) return;
  bind_to(helper, cores_[there]);
  helper_[there] = std::exchange(helper_[here], 0);
}

}  // namespace tutti
