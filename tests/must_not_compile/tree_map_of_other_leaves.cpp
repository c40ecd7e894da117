// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*operator\(\)\(const tutti::Array&\)(?:(?!error:).)*\Z
// expect: // tree_map: f takes one Array of each tree and returns an Array
// SPDX-License-Identifier: Apache-2.0
// A function of two leaves, for one tree.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& x) {
  return tutti::tree_map([](tutti::Array a, tutti::Array) { return a; }, x);
}
