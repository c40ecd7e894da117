// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: custom_jvp: the rule returns a pair: the result, and its tangent(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// A rule that returns the tangent alone.
#include "tutti/tutti.hpp"

using One = std::tuple<tutti::Array>;
tutti::Array f(const tutti::Array& x) {
  auto rule = [](One a, One t) { return cos(std::get<0>(a)) * std::get<0>(t); };
  return tutti::custom_jvp([](tutti::Array a) { return sin(a); }, rule)(x);
}
