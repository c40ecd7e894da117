// SPDX-License-Identifier: Apache-2.0
#include "tutti/devices/cache.hpp"

#include "tutti/devices/topology.hpp"

namespace tutti {

std::int64_t last_cache_bytes() {
  constexpr std::int64_t usual = std::int64_t{32} << 20;
  const std::int64_t found = topology().largest_cache_bytes;
  return found > 0 ? found : usual;
}

std::int64_t core_cache_bytes() {
  constexpr std::int64_t usual = std::int64_t{1} << 20;
  const std::int64_t found = topology().core_cache_bytes;
  return found > 0 ? found : usual;
}

}  // namespace tutti
