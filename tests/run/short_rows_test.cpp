// SPDX-License-Identifier: Apache-2.0
// Tiles of several short rows: instructions whose operands repeat along rows, or from row to row.
#include <fmt/core.h>

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/unary.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}});

/// x is [2 * rows, columns], one half for each device; scale and bias are [columns].
void check(DType dtype, std::int64_t rows, std::int64_t columns,
           const std::function<Array(const Array& x, const Array& scale, const Array& bias)>& body) {
  const Axes& axes = mesh.axes();
  SCOPED_TRACE(fmt::format("{} rows of {} {}", rows, columns, name(dtype)));
  expect_all_plans_compute(
      test_program(mesh,
                   {{dtype, {2 * rows, columns}, {axes}}, {dtype, {columns}, {}}, {dtype, {columns}, {}}},
                   [&](const Arrays& x) { return Arrays{body(x[0], x[1], x[2])}; }, {{axes}}),
      mesh);
}

// 37 rows are several tiles, and no multiple of the rows that a kernel takes at once.
void check_all(const std::function<Array(const Array& x, const Array& scale, const Array& bias)>& body) {
  for (DType dtype : {DType::f32, DType::f64, DType::bf16})
    for (std::int64_t columns : {31, 32, 64, 96, 100, 128, 300}) check(dtype, 37, columns, body);
}

TEST(short_rows, of_a_long_chain_have_the_bits_of_one_function_after_the_other) {
  check_all([](const Array& x, const Array& scale, const Array& bias) {
    return (x - expand_dims(reduce_max(x, 1), 1)) * scale * expand_dims(reduce_min(x, 1), 1) + bias;
  });
}

TEST(short_rows, of_functions_on_their_own_have_the_bits_of_the_kernels) {
  check_all([](const Array& x, const Array& scale, const Array&) {
    return abs(x - expand_dims(reduce_max(x, 1), 1)) - scale;
  });
}

TEST(short_rows, of_a_chain_whose_value_is_folded_again) {
  check_all([](const Array& x, const Array& scale, const Array& bias) {
    const Array y = (x - expand_dims(reduce_max(x, 1), 1)) * scale - bias;
    return y + expand_dims(reduce_sum(y, 1), 1);
  });
}

}  // namespace
}  // namespace tutti
