// expect: compile: more than 6 arguments; put some into a struct or a tuple
// SPDX-License-Identifier: Apache-2.0
// More arguments than compile is written out for.
#include "tutti/run/machine.hpp"

void compiled(const tutti::Machine& machine, const tutti::Array& x) {
  machine.compile([](auto a, auto, auto, auto, auto, auto, auto) { return a; }, x, x, x, x, x, x, x);
}
