// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: max: use maximum\(x, y\); for the largest element of one array amax\(x, dims\)(?:(?!error:).)*\Z
// expect: max_of_an_array_and_a_number\.cpp:7
// SPDX-License-Identifier: Apache-2.0
// The name of C++ is not that of arrays: one clear error.
#include "tutti/tutti.hpp"

tutti::Array positive(const tutti::Array& x) { return max(x, 0.0F); }
