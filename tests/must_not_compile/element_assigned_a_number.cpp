// expect: (?s)\A(?:(?!error:).)*error: use of deleted function 'void tutti::Array::operator=\(const T&\) && \[with T = int\]'(?:(?!error:).)*\Z
// expect: // x\[0\] = 1 changes no array: x = x\.at\(0\)\.set\(1\)
// SPDX-License-Identifier: Apache-2.0
// Arrays never change.
#include "tutti/tutti.hpp"

void f(tutti::Array x) { x[0] = 1; }
