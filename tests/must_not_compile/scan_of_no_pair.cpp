// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: scan: the function returns a pair: the carry and a y(?:(?!error:).)*\Z
// expect: scan_of_no_pair\.cpp:8
// SPDX-License-Identifier: Apache-2.0
// A body like that of fori_loop: one clear error.
#include "tutti/tutti.hpp"

tutti::Array sum(const tutti::Array& start, const tutti::Array& xs) {
  return tutti::scan([](tutti::Array carry, tutti::Array x) { return carry + x; }, start, xs).first;
}
