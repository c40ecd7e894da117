// expect: error: static assertion failed: derivative: the numbers of arguments count from 0, below the number of arguments, and each stands once
// SPDX-License-Identifier: Apache-2.0
#include "tutti/tutti.hpp"

auto jacobian(const tutti::Array& x) {
  return tutti::jacfwd<0, 0>([](tutti::Array a, tutti::Array b) { return a * b; })(x, x);
}
