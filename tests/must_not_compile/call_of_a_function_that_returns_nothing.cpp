// expect: call: the function returns nothing; return an Array or a tree of them
// SPDX-License-Identifier: Apache-2.0
// A program has results.
#include "tutti/run/machine.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](const tutti::Array&) {}, x);
}
