// expect: call: the function does not take these arguments; its parameters are their trees, by value or const &
// SPDX-License-Identifier: Apache-2.0
// One argument for a function of two.
#include "tutti/run/machine.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](tutti::Array a, tutti::Array) { return a; }, x);
}
