// expect: tree_of_other_classes\.cpp:11
// expect: tree: leaves are Array \(of a Tensor make one: Array x = tensor\), inside tuples, pairs, optionals, arrays, vectors, maps or plain structs
// SPDX-License-Identifier: Apache-2.0
// A class that is no container of arrays and has no tie().
#include "tutti/tree/tree.hpp"

struct Params {
  tutti::Array w;
  std::string label;
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
