// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*Index\(F, tutti::Where\)(?:(?!error:).)*\Z
// expect: index_by_a_float\.cpp:7
// SPDX-License-Identifier: Apache-2.0
// Not the element that it is rounded to.
#include "tutti/tutti.hpp"

tutti::Array middle(const tutti::Array& x) { return x[{0, 1.5}]; }
