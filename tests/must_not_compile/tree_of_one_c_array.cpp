// expect: tree_of_one_c_array\.cpp:10
// expect: tree: an array of C; use std::array
// SPDX-License-Identifier: Apache-2.0
// An array of C of one element is counted, and is no tree.
#include "tutti/tree/tree.hpp"

struct Params {
  tutti::Array w[1];
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
