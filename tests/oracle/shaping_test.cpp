// SPDX-License-Identifier: Apache-2.0
// Functions of integers that make arrays and move elements, against JAX: equal in all bits. Of floats, with
// gradients and lanes: gradients_test.cpp.
#include <gtest/gtest.h>

#include "tests/support/oracle.hpp"
#include "tests/support/print.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const std::vector<PadMode> modes{PadMode::constant,  PadMode::edge,    PadMode::reflect,
                                 PadMode::symmetric, PadMode::wrap,    PadMode::linear_ramp,
                                 PadMode::maximum,   PadMode::minimum, PadMode::mean,
                                 PadMode::median,    PadMode::empty};

Arrays made_and_moved(const Array& x, const Array& v) {
  DType i32 = DType::i32;
  Array four = slice_in_dim(v, 0, 4);
  Arrays made{eye(3, i32, {.columns = 4, .k = 1}), tri(3, i32, {.columns = 4, .k = -1}), tril(x, -1),
              triu(x, 1)};
  for (const Array& y : {diag(v, 2), diag(x, 1), diagonal(x, {.k = -1}), full_like(x, 7)}) made.push_back(y);
  made.push_back(linspace(-7, 9, 6, i32));
  made.push_back(linspace(four, x, 5, i32, {.dim = 1}));
  made.push_back(logspace(0, 4, 5, i32, {.base = 2}));
  for (const Array& y :
       {roll(x, -3), roll(x, {1, 2}, {0, 1}), tile(x, {2, 1, 2}), repeat(v, {0, 2, 1, 0, 3})})
    made.push_back(y);
  for (const Array& y : array_split(v, 3)) made.push_back(y);
  made.push_back(vstack({x, four}));
  made.push_back(hstack({v, v}));
  return made;
}

Arrays padded(const Array& x) {
  const PadWidths widths{{2, 3}, {4, 1}};
  Arrays made;
  for (PadMode mode : modes) made.push_back(pad(x, widths, mode));
  for (PadMode mode : {PadMode::reflect, PadMode::symmetric})
    made.push_back(pad(x, widths, mode, {.odd = true}));
  for (PadMode mode : {PadMode::maximum, PadMode::minimum, PadMode::mean, PadMode::median})
    made.push_back(pad(x, widths, mode, {.stat_length = 3}));
  made.push_back(pad(x, widths, PadMode::linear_ramp, {.end_value = 5}));
  return made;
}

Arrays all_of_integers(const Arrays& a) {
  const Array &x = a[0], &v = a[1];
  Arrays made = made_and_moved(x, v);
  for (const Array& y : padded(x)) made.push_back(y);
  made.push_back(kron(x, v));
  made.push_back(outer(v, x));
  made.push_back(inner(x, slice_in_dim(v, 1, {})));
  made.push_back(tensordot(x, x, {{1}, {1}}));
  made.push_back(einsum("ij,kj,k->ik", x, x, slice_in_dim(v, 0, 3)));
  return made;
}

using shapes_of_integers = OracleTest;

TEST_F(shapes_of_integers, equal_those_of_jax) {
  const Tensor x(Shape{3, 4}, std::vector<std::int32_t>{5, -2, 7, 0, 3, 8, -9, 4, 1, 6, -5, 2});
  const Tensor v(Shape{5}, std::vector<std::int32_t>{4, -1, 3, 10, -6});
  Verdict jax = Oracle::shared().run_jax("shapes_of_integers", {x, v});
  ASSERT_EQ(jax.failure, "");
  Arrays given{x, v};
  Arrays ours = open_local(Mesh({{"x", 1}})).compile(all_of_integers, given)(given);
  ASSERT_EQ(ours.size(), jax.results.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(ours[i].tensor(), jax.results[i][0]) << "result " << i;
}

}  // namespace
}  // namespace tutti
