// expect: (?s)\A(?:(?!error:).)*error: use of deleted function 'void tutti::operator\+=\(Array&&, const Operand&\)'(?:(?!error:).)*\Z
// expect: // x\[0\] \+= 1 changes no array: x = x\.at\(0\)\.add\(1\)
// SPDX-License-Identifier: Apache-2.0
// Arrays never change: this would add to a temporary.
#include "tutti/tutti.hpp"

void f(tutti::Array x) { x[{0, tutti::all}] += 1; }
