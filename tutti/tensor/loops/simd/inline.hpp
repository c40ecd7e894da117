// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <hwy/base.h>

// TUTTI_INLINE: a function that is part of a kernel's loop, and becomes part of its machine code. Not under clang's
// sanitizers: with the checks of a whole kernel in one function, clang takes ten times as long to compile it.
#if HWY_IS_ASAN || HWY_IS_TSAN
#define TUTTI_INLINE inline
#else
#define TUTTI_INLINE HWY_INLINE
#endif
