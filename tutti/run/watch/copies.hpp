// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tutti/base/inside.hpp"
#include "tutti/run/watch/report.hpp"

namespace tutti {

/// "copied into place: 256 B by 2 calls, by the last one 128 B", then the arguments. Empty before the first
/// call.
std::string to_string(const Report::Copies& copies);

}  // namespace tutti
