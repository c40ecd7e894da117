// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*operator\(\)\(const tutti::Array&, const tutti::Array&\) const(?:(?!error:).)*\Z
// expect: (?s)// grad\(f\)\(x\.\.\.\): f takes x\.\.\., by value or const &, and returns a scalar.*candidate expects 1 argument, 2 provided
// SPDX-License-Identifier: Apache-2.0
// Two arguments for the gradient of a function of one.
#include "tutti/tutti.hpp"

tutti::Array f(const tutti::Array& x, const tutti::Array& y) {
  return tutti::grad([](tutti::Array a) { return reduce_sum(a); })(x, y);
}
