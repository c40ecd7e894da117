// expect: tree_of_numbers\.cpp:11
// expect: tree: a number is no leaf of a tree of arrays; close over it, or make it an Array
// SPDX-License-Identifier: Apache-2.0
// A float among arrays would be baked into the program.
#include "tutti/tree/tree.hpp"

struct Params {
  tutti::Array w;
  float rate;
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
