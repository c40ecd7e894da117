// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <utility>

#include "tutti/base/never_destroyed.hpp"

namespace tutti {
namespace {

std::vector<Core> all_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<Core> found;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object));) {
    hwloc_obj_t cache = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_L3CACHE, object);
    Core core{{}, cache ? static_cast<int>(cache->logical_index) : -1};
    for (int p = hwloc_bitmap_first(object->cpuset); p >= 0; p = hwloc_bitmap_next(object->cpuset, p))
      core.processors.push_back(p);
    found.push_back(std::move(core));
  }
  return found;
}

std::int64_t largest_cache_bytes(hwloc_topology_t topology) {
  std::int64_t bytes = 0;
  for (hwloc_obj_type_t level : {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE})
    if (hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0))
      bytes = std::max(bytes, static_cast<std::int64_t>(cache->attr->cache.size));
  return bytes;
}

std::int64_t core_cache_bytes(hwloc_topology_t topology) {
  hwloc_obj_t cache = hwloc_get_obj_by_type(topology, HWLOC_OBJ_L2CACHE, 0);
  if (!cache) return 0;
  const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
  return static_cast<std::int64_t>(cache->attr->cache.size) / std::max(cores, 1);
}

Topology read_topology() {
  Topology read;
  hwloc_topology_t topology;
  if (hwloc_topology_init(&topology) != 0) return read;
  if (hwloc_topology_load(topology) == 0)
    read = {all_of(topology, HWLOC_OBJ_CORE), all_of(topology, HWLOC_OBJ_PU), largest_cache_bytes(topology),
            core_cache_bytes(topology)};
  hwloc_topology_destroy(topology);
  return read;
}

}  // namespace

const Topology& topology() {
  static const NeverDestroyed read(read_topology());
  return *read;
}

}  // namespace tutti
