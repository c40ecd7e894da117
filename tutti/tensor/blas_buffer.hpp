// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// OpenBLAS takes a buffer for each thread that is inside of it, the first time, and tries for ever where there is no
/// memory. Throws R003 instead, once per thread; another thread may still take the memory between this and the call.
void require_room_for_blas_buffer();

}  // namespace tutti
