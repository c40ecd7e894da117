// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/cache.hpp"

#include <hwloc.h>

#include <algorithm>

namespace tutti {
namespace {

std::int64_t found_bytes() {
  hwloc_topology_t topology;
  std::int64_t bytes = 0;
  if (hwloc_topology_init(&topology) != 0) return bytes;
  if (hwloc_topology_load(topology) == 0)
    for (hwloc_obj_type_t level : {HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE})
      if (hwloc_obj_t cache = hwloc_get_obj_by_type(topology, level, 0))
        bytes = std::max(bytes, static_cast<std::int64_t>(cache->attr->cache.size));
  hwloc_topology_destroy(topology);
  return bytes;
}

}  // namespace

std::int64_t last_cache_bytes() {
  constexpr std::int64_t usual = std::int64_t{32} << 20;
  static const std::int64_t found = found_bytes();
  return found > 0 ? found : usual;
}

}  // namespace tutti
