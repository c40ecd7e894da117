// expect: tree_of_25_fields\.cpp:10
// expect: tree: a struct of more than 24 fields; give it a member 'auto tie\(\) \{ return std::tie\(a, b, \.\.\.\); \}'
// SPDX-License-Identifier: Apache-2.0
// The ladder of bindings ends at 24.
#include "tutti/tree/tree.hpp"

struct Params {
  tutti::Array a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y;
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
