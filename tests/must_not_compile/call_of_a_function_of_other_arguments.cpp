// expect: (?s)\A(?:(?!error:).)*error: no matching function for call to .*<lambda\(tutti::Array, tutti::Array\)>::operator\(\)\(const tutti::Array&\) const(?:(?!error:).)*\Z
// expect: (?s)call_of_a_function_of_other_arguments\.cpp:8.*// call: the function does not take these, by value or const &.*candidate expects 2 arguments, 1 provided
// SPDX-License-Identifier: Apache-2.0
// One argument for a function of two: one error, with the types handed in and both numbers.
#include "tutti/run/machine.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile([](tutti::Array a, tutti::Array) { return a; }, x);
}
