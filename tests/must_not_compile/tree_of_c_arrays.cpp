// expect: tree_of_c_arrays\.cpp:11
// expect: tree: a struct with an array of C; use std::array
// SPDX-License-Identifier: Apache-2.0
// Braces may be left out around an array of C: its fields cannot be counted.
#include "tutti/tree/tree.hpp"

struct Params {
  tutti::Array w[3];
  tutti::Array b;
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
