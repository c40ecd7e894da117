// expect: (?s)\A(?:(?!error:).)*error: too few arguments to function(?:(?!error:).)*\Z
// expect: (?s)call_of_a_function_with_defaults\.cpp:8.*// call: the function does not take these; has it defaults, call it in a lambda
// SPDX-License-Identifier: Apache-2.0
// The address of a function has no defaults.
#include "tutti/tutti.hpp"

auto compiled(const tutti::Machine& machine, const tutti::Array& x) {
  return machine.compile(tutti::reduce_sum, x);
}
