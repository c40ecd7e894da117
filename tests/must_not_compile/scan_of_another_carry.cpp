// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: scan: the function returns another type of carry than it starts with(?:(?!error:).)*\Z
// expect: scan_of_another_carry\.cpp:9
// SPDX-License-Identifier: Apache-2.0
// The carry keeps its structure: one clear error.
#include "tutti/tutti.hpp"

tutti::Array sum(const tutti::Array& start, const tutti::Array& xs) {
  auto body = [](tutti::Array carry, tutti::Array x) { return std::pair{std::pair{carry, x}, x}; };
  return tutti::scan(body, start, xs).first;
}
