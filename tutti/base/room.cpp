// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/room.hpp"
#include "tutti/base/inside.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include "tutti/base/require.hpp"

namespace tutti {

bool has_room(std::size_t bytes) {
  // Without a reservation only the limits on addresses count: memory itself is given page by page later.
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const taken = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (taken == MAP_FAILED) return false;
  ::munmap(taken, bytes);
  return true;
}

void require_stack() {
  constexpr rlim_t least_bytes =
      256 << 10;  // twice what examples/digits takes: it ends within 64 KiB, not within 128
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0) return;
  require(stack.rlim_cur >= least_bytes, Code::memory,
          "a stack may have {} KiB here, and compiling a program takes up to {}; raise the limit (ulimit -s)",
          stack.rlim_cur >> 10, least_bytes >> 10);
}

}  // namespace tutti
