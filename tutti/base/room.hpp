// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace tutti {

/// True if so many bytes of address space could be taken now. For libraries that crash, end the process or wait for ever
/// where they get no memory. Another thread may take it meanwhile. Cost: 2 us.
bool has_room(std::size_t bytes);

}  // namespace tutti
