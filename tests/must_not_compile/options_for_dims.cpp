// expect: options_for_dims\.cpp:7.*WhichDims
// SPDX-License-Identifier: Apache-2.0
// Options stand behind the dims: sum(x, all_dims, {.keepdims = true}).
#include "tutti/tutti.hpp"

// GCC 12 would take the options for the dim 1 if WhichDims had a constructor of int.
tutti::Array total(const tutti::Array& x) { return sum(x, {.keepdims = true}); }
