// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: array: \[ \] does not index arrays; use index_in_dim\(x, 0\)(?:(?!error:).)*\Z
// expect: index_of_an_array\.cpp:7
// SPDX-License-Identifier: Apache-2.0
// One clear error, not one about pointers and integers.
#include "tutti/tutti.hpp"

tutti::Array first(const tutti::Array& x) { return x[0]; }
