// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*tutti::jvp\(F, const X&, const T&\) \[with F = .*; X = (?:tutti::)?Array; T = (?:tutti::)?Array\](?:(?!error:).)*\Z
// expect: // jvp\(f, std::tuple\{x, y\}, std::tuple\{dx, dy\}\)
// SPDX-License-Identifier: Apache-2.0
// Arguments and tangents are tuples.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& x) {
  return tutti::jvp([](tutti::Array a) { return sin(a); }, x, x);
}
