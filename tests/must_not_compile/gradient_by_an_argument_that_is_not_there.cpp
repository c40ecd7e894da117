// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: derivative: the numbers of arguments count from 0, below the number of arguments, and each stands once(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// A function of two arguments has no third one: one clear error.
#include "tutti/tutti.hpp"

auto gradient(const tutti::Array& x) {
  return tutti::grad<2>([](tutti::Array a, tutti::Array b) { return a * b; })(x, x);
}
