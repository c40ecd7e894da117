// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*operator\(\)\(const tutti::Array&\) const(?:(?!error:).)*\Z
// expect: (?s)// custom_vjp: forward\(arguments\.\.\.\) -> \{result, residuals\}.*candidate expects 2 arguments, 1 provided
// SPDX-License-Identifier: Apache-2.0
// A forward of two arguments for a function of one.
#include "tutti/tutti.hpp"

tutti::Array f(const tutti::Array& x) {
  auto forward = [](tutti::Array a, tutti::Array b) { return std::pair{sin(a), b}; };
  auto backward = [](tutti::Array a, tutti::Array ct) { return std::tuple{ct * cos(a)}; };
  return tutti::custom_vjp([](tutti::Array a) { return sin(a); }, forward, backward)(x);
}
