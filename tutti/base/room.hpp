// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tutti {

/// True if so many bytes of address space could be taken now. For libraries that crash, end the process or
/// wait for ever where they get no memory. Another thread may take it meanwhile. Cost: 2 us.
bool has_room(std::size_t bytes);

/// Throws R003 if the limit on stacks (ulimit -s) is below 256 KiB: a process whose stack overflows ends
/// without a word.
void require_stack();

}  // namespace tutti
