// SPDX-License-Identifier: Apache-2.0
#pragma once

// Symbols that the runtimes of the address and thread sanitizers define.
extern "C" [[gnu::weak]] void __asan_init();
extern "C" [[gnu::weak]] void __tsan_init();

namespace tutti {

/// Whether a sanitizer is linked to this program.
/// Sanitizers reserve terabytes of address space: no limit on it holds.
inline bool has_sanitizer() { return __asan_init != nullptr || __tsan_init != nullptr; }

}  // namespace tutti
