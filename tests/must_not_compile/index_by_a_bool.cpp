// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*Index\(Mask, tutti::Where\)(?:(?!error:).)*use where\(mask, x, y\)(?:(?!error:).)*\Z
// expect: index_by_a_bool\.cpp:7
// SPDX-License-Identifier: Apache-2.0
// NumPy would add a dim.
#include "tutti/tutti.hpp"

tutti::Array first(const tutti::Array& x) { return x[true]; }
