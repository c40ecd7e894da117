// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*operator\(\)\(const tutti::Array&, const tutti::Array&\) const(?:(?!error:).)*\Z
// expect: candidate expects 1 argument, 2 provided
// SPDX-License-Identifier: Apache-2.0
// The body of fori_loop takes the number of the trip and the carry.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& x) {
  return tutti::fori_loop(0, 3, [](tutti::Array carry) { return carry; }, x);
}
