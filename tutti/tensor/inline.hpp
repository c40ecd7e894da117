// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hwy/base.h>

// TUTTI_INLINE: a function that is part of a kernel's loop, and becomes part of its machine code. Not under sanitizers:
// the checks of a whole kernel in one function take clang ten times as long to compile.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TUTTI_INLINE inline
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TUTTI_INLINE inline
#endif
#endif
#ifndef TUTTI_INLINE
#define TUTTI_INLINE HWY_INLINE
#endif
