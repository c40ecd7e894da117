// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/cores.hpp"

#include <hwloc.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <utility>

namespace tutti {
namespace {

/// Of this machine. Reading it takes milliseconds.
class Topology {
 public:
  static const Topology& get() {
    static const Topology topology;
    return topology;
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  /// The processors of each object of a type, neighbours one after the other, as far as they are `usable`.
  std::vector<std::vector<int>> processors_by(hwloc_obj_type_t type, const cpu_set_t& usable) const {
    std::vector<std::vector<int>> found;
    if (!topology_) return found;
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology_, type, object));) {
      std::vector<int> processors;
      for (int p = hwloc_bitmap_first(object->cpuset); p >= 0; p = hwloc_bitmap_next(object->cpuset, p))
        if (p < CPU_SETSIZE && CPU_ISSET(p, &usable)) processors.push_back(p);
      if (!processors.empty()) found.push_back(std::move(processors));
    }
    return found;
  }

 private:
  Topology() {
    if (hwloc_topology_init(&topology_) != 0) topology_ = nullptr;
    else if (hwloc_topology_load(topology_) != 0) hwloc_topology_destroy(std::exchange(topology_, nullptr));
  }
  ~Topology() {
    if (topology_) hwloc_topology_destroy(topology_);
  }

  hwloc_topology_t topology_ = nullptr;
};

}  // namespace

Cores::Cores(int workers) {
  cpu_set_t usable;
  if (workers < 2 || sched_getaffinity(0, sizeof usable, &usable) != 0)
    return;  // or too many for a cpu_set_t
  auto needed = static_cast<std::size_t>(workers);
  processors_ = Topology::get().processors_by(HWLOC_OBJ_CORE, usable);
  if (processors_.size() < needed) processors_ = Topology::get().processors_by(HWLOC_OBJ_PU, usable);
  if (processors_.size() < needed) processors_.clear();
  worker_on_.resize(processors_.size());
  for (std::size_t core = 0; core < processors_.size(); ++core)
    for (int processor : processors_[core]) {
      core_of_.resize(std::max(core_of_.size(), static_cast<std::size_t>(processor) + 1), -1);
      core_of_[static_cast<std::size_t>(processor)] = static_cast<int>(core);
    }
}

void Cores::keep_apart(std::span<std::thread> helpers) {
  auto processor = static_cast<std::size_t>(sched_getcpu());  // -1, too, is none of ours
  int here = processor < core_of_.size() ? core_of_[processor] : -1;
  if (here == callers_ || here < 0) return;
  auto settle = [&](int worker, int core) {
    bind(helpers[static_cast<std::size_t>(worker - 1)], core);
    worker_on_[static_cast<std::size_t>(core)] = worker;
  };
  if (callers_ < 0)
    for (int worker = 1; worker <= static_cast<int>(helpers.size()); ++worker)
      settle(worker, (here + worker) % static_cast<int>(processors_.size()));
  else if (int worker = std::exchange(worker_on_[static_cast<std::size_t>(here)], 0))
    settle(worker, callers_);
  callers_ = here;
}

void Cores::bind(std::thread& helper, int core) const {
  cpu_set_t own;
  CPU_ZERO(&own);
  for (int processor : processors_[static_cast<std::size_t>(core)]) CPU_SET(processor, &own);
  // A refusal (a container's limits) costs speed only.
  pthread_setaffinity_np(helper.native_handle(), sizeof own, &own);
}

}  // namespace tutti
