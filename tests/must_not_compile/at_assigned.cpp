// expect: (?s)\A(?:(?!error:).)*error: use of deleted function 'void tutti::internal::At::operator=\(const T&\) && \[with T = int\]'(?:(?!error:).)*\Z
// expect: // x\.at\(0\) = 1 changes no array: x = x\.at\(0\)\.set\(1\)
// SPDX-License-Identifier: Apache-2.0
// Arrays never change; set returns the changed one.
#include "tutti/tutti.hpp"

void f(tutti::Array x) { x.at(0) = 1; }
