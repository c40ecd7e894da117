// SPDX-License-Identifier: Apache-2.0
// A table of ops, each with its Triton text and its generic text.
#pragma once

#include <string_view>

#include "tutti/kernels/ir/builder.hpp"

namespace tutti::kernels {

/// A kernel of scalars and of tensors of 8 elements. The first op of a row in the table is %16.
struct Sample {
  Builder b{"sample"};
  Value f = b.argument("f", pointer_to(Scalar::f32), 16), p = b.argument("p", pointer_to(Scalar::i32)),
        n = b.argument("n", value_of(Scalar::i32)), q = b.argument("q", value_of(Scalar::i64)),
        c = b.argument("c", value_of(Scalar::i1)), x = b.argument("x", value_of(Scalar::f32)),
        h = b.argument("h", value_of(Scalar::f16));
  Value i8 = b.range(0, 8), ps = b.splat(p, {8}), fs = b.splat(f, {8}), xs = b.splat(x, {8}),
        cs = b.splat(c, {8}), qs = b.splat(q, {8}), ns = b.splat(n, {8}),
        m = b.constant(value_of(Scalar::i32), 7), unused = b.constant(value_of(Scalar::i1), 1);
};

struct Row {
  void (*write)(Sample&);
  std::string_view triton, generic;
};

inline const Row text_rows[] = {
#include "tests/kernels/text_rows.inc"
};

inline Function kernel_of(const Row& row) {
  Sample sample;
  row.write(sample);
  return std::move(sample.b).finish();
}

}  // namespace tutti::kernels
