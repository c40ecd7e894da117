// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: custom_vjp: forward returns a pair: the result, and the residuals that backward takes(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// A forward that returns no residuals.
#include "tutti/tutti.hpp"

tutti::Array f(const tutti::Array& x) {
  auto backward = [](tutti::Array a, tutti::Array ct) { return std::tuple{ct * cos(a)}; };
  auto sine = [](tutti::Array a) { return sin(a); };
  return tutti::custom_vjp(sine, sine, backward)(x);
}
