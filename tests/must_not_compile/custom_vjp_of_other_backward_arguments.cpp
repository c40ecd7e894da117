// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*operator\(\)\(const tutti::Array&, const tutti::Array&\) const(?:(?!error:).)*\Z
// expect: (?s)// custom_vjp: backward\(residuals, cotangent\) -> tuple of cotangents.*candidate expects 1 argument, 2 provided
// SPDX-License-Identifier: Apache-2.0
// A backward that takes no residuals.
#include "tutti/tutti.hpp"

tutti::Array f(const tutti::Array& x) {
  auto forward = [](tutti::Array a) { return std::pair{sin(a), a}; };
  auto backward = [](tutti::Array ct) { return std::tuple{ct}; };
  return tutti::custom_vjp([](tutti::Array a) { return sin(a); }, forward, backward)(x);
}
