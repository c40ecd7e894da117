// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: custom_vjp: backward returns a tuple of one cotangent per argument, of its type(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// A backward that returns an array.
#include "tutti/tutti.hpp"

tutti::Array f(const tutti::Array& x) {
  auto forward = [](tutti::Array a) { return std::pair{sin(a), a}; };
  auto backward = [](tutti::Array a, tutti::Array ct) { return ct * cos(a); };
  return tutti::custom_vjp([](tutti::Array a) { return sin(a); }, forward, backward)(x);
}
