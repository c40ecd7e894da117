// SPDX-License-Identifier: Apache-2.0
#include "tutti/tensor/blas_buffer.hpp"

#include "tutti/base/require.hpp"
#include "tutti/base/room.hpp"

namespace tutti {

void require_room_for_blas_buffer() {
  constexpr std::size_t bytes = 128 << 20;  // BUFFER_SIZE of OpenBLAS 0.3.21 on x86-64; smaller elsewhere
  thread_local bool had_room = false;
  if (had_room) return;
  require(has_room(bytes), Code::memory, "no memory for a product: OpenBLAS takes {} MiB for each thread",
          bytes >> 20);
  had_room = true;
}

}  // namespace tutti
