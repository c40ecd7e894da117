// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tutti {

/// Sanitizers reserve terabytes of address space: no limit on it holds.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool has_sanitizer = true;
#elif defined(__has_feature)
inline constexpr bool has_sanitizer = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool has_sanitizer = false;
#endif

}  // namespace tutti
