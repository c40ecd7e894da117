// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/room.hpp"

#include <sys/mman.h>

namespace tutti {

bool has_room(std::size_t bytes) {
  void* const taken = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (taken == MAP_FAILED) return false;
  ::munmap(taken, bytes);
  return true;
}

}  // namespace tutti
