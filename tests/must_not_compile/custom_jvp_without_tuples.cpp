// expect: (?s)\A(?:(?!error:).)*error: cannot convert 'const std::tuple<tutti::Array>' to 'tutti::Array'(?:(?!error:).)*\Z
// expect: (?s)custom_jvp_without_tuples\.cpp:9.*// custom_jvp: rule\(tuple of arguments, tuple of tangents\) -> \{result, tangent\}
// SPDX-License-Identifier: Apache-2.0
// A rule of an argument and its tangent; custom_jvp hands over tuples.
#include "tutti/tutti.hpp"

tutti::Array f(const tutti::Array& x) {
  auto rule = [](tutti::Array a, tutti::Array t) { return std::pair{sin(a), cos(a) * t}; };
  return tutti::custom_jvp([](tutti::Array a) { return sin(a); }, rule)(x);
}
