// expect: (?s)\A(?:(?!error:).)*error: use of deleted function .*tutti::linearize\(F, const X&, const Aux& \.\.\.\)(?:(?!error:).)*\Z
// expect: // linearize\(f, std::tuple\{x, y\}\) -> \{f\(x, y\), map\}
// SPDX-License-Identifier: Apache-2.0
// Arguments are a tuple.
#include "tutti/tutti.hpp"

auto f(const tutti::Array& x) {
  return tutti::linearize([](tutti::Array a) { return std::pair{sin(a), a}; }, x, tutti::has_aux);
}
