// expect: (?s)\A(?:(?!error:).)*error: .softmaxx. was not declared in this scope(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// An error inside of the function is said once.
#include "tutti/tutti.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](tutti::Array a) { return softmaxx(a); }, x);
}
