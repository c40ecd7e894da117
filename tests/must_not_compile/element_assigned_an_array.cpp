// expect: (?s)\A(?:(?!error:).)*error: use of deleted function 'void tutti::Array::operator=\(const T&\) && \[with T = tutti::Array\]'(?:(?!error:).)*\Z
// expect: // x\[0\] = 1 changes no array: x = x\.at\(0\)\.set\(1\)
// SPDX-License-Identifier: Apache-2.0
// Arrays never change: this would assign to a temporary.
#include "tutti/tutti.hpp"

void f(tutti::Array x, const tutti::Array& y) { x[0] = y; }
