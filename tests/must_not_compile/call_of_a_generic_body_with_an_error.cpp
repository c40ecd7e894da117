// expect: (?s)\A(?:(?!error:).)*error: .softmaxx. was not declared in this scope(?:(?!error:).)*\Z
// SPDX-License-Identifier: Apache-2.0
// An error inside of the function is said once, also where its body is compiled for the arguments.
#include "tutti/tutti.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](auto a) { return softmaxx(a); }, x);
}
