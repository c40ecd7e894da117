// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/room.hpp"

#include <sys/mman.h>

namespace tutti {

bool has_room(std::size_t bytes) {
  // Without a reservation only the limits on addresses count: memory itself is given page by page later.
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const taken = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (taken == MAP_FAILED) return false;
  ::munmap(taken, bytes);
  return true;
}

}  // namespace tutti
