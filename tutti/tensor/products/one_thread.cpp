// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/products/one_thread.hpp"
#include "tutti/base/inside.hpp"

#include <cstddef>

#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"

namespace tutti {

void require_room_for_openmp() {
  constexpr std::size_t bytes = 2 << 20;  // the settings take 216 bytes; a heap grows by 1 MiB at most
  thread_local bool had_room = false;
  if (had_room) return;
  require(has_room(bytes), Code::memory,
          "no memory for OpenMP's settings of a thread: {} MiB of address space; use fewer workers, or raise "
          "its limit (ulimit -v)",
          bytes >> 20);
  had_room = true;
}

}  // namespace tutti
