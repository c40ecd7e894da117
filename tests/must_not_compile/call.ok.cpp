// SPDX-License-Identifier: Apache-2.0
// Control of the cases call_*.cpp.
#include "tutti/run/machine.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](tutti::Array a, const tutti::Array&) { return a; }, x, x);
}
auto without_arguments(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([x] { return std::tuple{x}; });
}
auto with_six(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](auto a, auto, auto, auto, auto, auto) { return a; }, x, x, x, x, x, x);
}
