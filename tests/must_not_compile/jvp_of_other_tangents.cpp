// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*tutti::jvp\(F, const X&, const T&\) (?:(?!error:).)*\Z
// expect: // jvp\(f, std::tuple\{x, y\}, std::tuple\{dx, dy\}\)
// SPDX-License-Identifier: Apache-2.0
// One tangent for two arguments.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& x) {
  return tutti::jvp([](tutti::Array a, tutti::Array b) { return a * b; }, std::tuple{x, x}, std::tuple{x});
}
