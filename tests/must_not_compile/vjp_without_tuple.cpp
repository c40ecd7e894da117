// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*tutti::vjp\(F, const X&, const Aux& \.\.\.\)(?:(?!error:).)*\Z
// expect: // vjp\(f, std::tuple\{x, y\}\) -> \{f\(x, y\), pullback\}
// SPDX-License-Identifier: Apache-2.0
// Arguments are a tuple.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& x) {
  return tutti::vjp([](tutti::Array a) { return sin(a); }, x);
}
