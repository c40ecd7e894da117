// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: array: == compares no arrays, whose values are not known(?:(?!error:).)*\Z
// expect: inequality_of_an_array_and_a_number\.cpp:7
// SPDX-License-Identifier: Apache-2.0
// Also turned round, negated and with a number: one clear error.
#include "tutti/tutti.hpp"

bool is_there(const tutti::Array& x) { return 0 != x; }
