// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*Index\(Mask, tutti::Where\)(?:(?!error:).)*\Z
// expect: bools select no elements; use where\(mask, x, y\)
// expect: index_by_a_bool\.cpp:8
// SPDX-License-Identifier: Apache-2.0
// NumPy would add a dim.
#include "tutti/tutti.hpp"

tutti::Array first(const tutti::Array& x) { return x[true]; }
