// SPDX-License-Identifier: Apache-2.0
// The version of Tutti. CMake reads it here.
#pragma once

namespace tutti {

inline constexpr int version_major = 0, version_minor = 1, version_patch = 0;
inline constexpr const char* version_text = "0.1.0";

}  // namespace tutti
