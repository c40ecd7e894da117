// expect: array_as_condition\.cpp:7:.* use of deleted function .*operator bool
// expect: operator bool\(\) const = delete;  // use where\(condition, x, y\)
// SPDX-License-Identifier: Apache-2.0
// A comparison has no value while it is traced: select chooses, not if.
#include "tutti/tutti.hpp"
tutti::Array larger(const tutti::Array& a, const tutti::Array& b) {
  if (a < b) return b;
  return a;
}
