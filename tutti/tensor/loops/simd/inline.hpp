// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hwy/base.h>

// TUTTI_INLINE forces a function into the loop of the kernel that calls it. Not under clang's sanitizers:
// clang takes ten times as long to compile the checks of a whole kernel in one function.
#if HWY_IS_ASAN || HWY_IS_TSAN
#define TUTTI_INLINE inline
#else
#define TUTTI_INLINE HWY_INLINE
#endif
