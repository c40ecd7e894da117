// expect: tree_with_a_base\.cpp:13
// expect: tree: a struct with a base class; give it a member 'auto tie\(\) \{ return std::tie\(a, b, \.\.\.\); \}'
// SPDX-License-Identifier: Apache-2.0
// The fields of a base class cannot be bound together with its own.
#include "tutti/tree/tree.hpp"

struct Base {
  tutti::Array w;
};
struct Params : Base {
  tutti::Array b;
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
