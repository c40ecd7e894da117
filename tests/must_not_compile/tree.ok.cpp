// SPDX-License-Identifier: Apache-2.0
// Control of the cases tree_*.cpp: what they say to write instead.
#include "tutti/tree/tree.hpp"

struct Base {
  tutti::Array w;
};
class Tied : Base {
 public:
  auto tie() { return std::tie(w, b_); }

 private:
  tutti::Array b_;
  float rate_ = 0.1F;
};
struct Params {
  std::array<tutti::Array, 3> w;
  Tied tied;
  tutti::Array b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, x;
};
tutti::Arrays leaves(const Params& params) { return tutti::tree::flatten(params); }
