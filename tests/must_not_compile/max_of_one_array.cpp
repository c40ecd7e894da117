// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: max: for the largest element of one array use amax\(x, dims\); maximum\(x, y\)(?:(?!error:).)*\Z
// expect: max_of_one_array\.cpp:7
// SPDX-License-Identifier: Apache-2.0
// NumPy's max of one array is amax here: one clear error.
#include "tutti/tutti.hpp"

tutti::Array largest(const tutti::Array& x) { return max(x); }
