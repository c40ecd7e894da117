// expect: (?s)\A(?:(?!error:).)*error: static assertion failed: tree: leaves are Array \(of a Tensor make one: Array x = tensor\)
// SPDX-License-Identifier: Apache-2.0
// The fields of a struct keep their types: a function of it gets Tensors, which have no trace.
#include "tutti/tutti.hpp"

struct Data {
  tutti::Tensor x;
};
auto f(const tutti::Machine& machine, const Data& data) {
  return machine.compile([](const Data& all) { return tutti::Array(all.x); }, data);
}
