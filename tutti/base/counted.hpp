// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tutti {

/// A count with its noun, for messages: "1 dim", "2 dims". `several` is the plural where an s does not make
/// it.
std::string counted(std::int64_t n, std::string_view one, std::string_view several = {});

/// "512 B", "1.5 MiB".
std::string in_bytes(std::int64_t bytes);

}  // namespace tutti
