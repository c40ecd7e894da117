// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*operator\(\)\(const tutti::Array&\) const(?:(?!error:).)*\Z
// expect: candidate expects 2 arguments, 1 provided
// SPDX-License-Identifier: Apache-2.0
// A branch of two arguments, for one operand.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& p, const tutti::Array& x) {
  return tutti::cond(p, [](tutti::Array a) { return a; }, [](tutti::Array a, tutti::Array) { return a; }, x);
}
