// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/print.hpp"
#include "tests/support/reference.hpp"
#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/convert.hpp"

namespace tutti {
namespace {

const Dims none, d0{Dim{0}}, d1{Dim{1}};
const Type matrix(DType::f32, {5, 3}), indices(DType::i32, {4, 1}), updates(DType::f32, {4, 3});
const GatherDims rows{d1, d0, none, none, d0, Dim{1}}, elements{none, d0, none, none, d0, Dim{1}};

Tensor places(const Shape& shape, const std::vector<std::int32_t>& values) { return Tensor(shape, values); }
Tensor numbers(const Shape& shape, const std::vector<float>& values) { return Tensor(shape, values); }

TEST(scatter, of_replace_keeps_the_last_of_those_that_meet) {
  EXPECT_EQ(computed(Scatter{ScatterKind::replace, elements},
                     {counted(DType::f32, {3}), places({3}, {2, 0, 2}), numbers({3}, {10, 20, 30})})[0],
            numbers({3}, {20, 2, 30}));
}

TEST(scatter, of_add_sums_those_that_meet) {
  EXPECT_EQ(computed(Scatter{ScatterKind::add, elements},
                     {counted(DType::f32, {3}), places({3}, {2, 0, 2}), numbers({3}, {10, 20, 30})})[0],
            numbers({3}, {21, 2, 43}));
}

TEST(scatter, of_the_other_kinds_combines_those_that_meet) {
  auto combined = [](ScatterKind kind, const Tensor& updates) {
    return computed(Scatter{kind, elements}, {counted(DType::f32, {3}), places({3}, {2, 0, 2}), updates})[0];
  };
  EXPECT_EQ(combined(ScatterKind::multiply, numbers({3}, {10, 20, 30})), numbers({3}, {20, 2, 900}));
  EXPECT_EQ(combined(ScatterKind::min, numbers({3}, {2.5, 20, -1})), numbers({3}, {1, 2, -1}));
  EXPECT_EQ(combined(ScatterKind::max, numbers({3}, {3.5, -20, 4})), numbers({3}, {1, 2, 4}));
}

TEST(scatter, of_extremes_keeps_nan_and_the_sign_of_zero) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Tensor larger =
      computed(Scatter{ScatterKind::max, elements},
               {numbers({3}, {nan, -0.0F, 1}), places({3}, {0, 1, 2}), numbers({3}, {5, 0, nan})})[0];
  EXPECT_TRUE(std::isnan(larger.at(0)) && std::isnan(larger.at(2)));
  EXPECT_FALSE(std::signbit(larger.at(1)));
}

TEST(scatter, of_extremes_of_bool_is_or_and_and) {
  auto combined = [](ScatterKind kind) {
    return computed_by(
        [=](const Arrays& x) {
          Array updates = x[2] > 0;
          return convert(apply_one(Scatter{kind, elements}, {x[0] > 0, x[1], updates}), DType::f32);
        },
        {numbers({3}, {1, 0, 1}), places({3}, {0, 1, 2}), numbers({3}, {0, 1, 1})});
  };
  EXPECT_EQ(combined(ScatterKind::min), numbers({3}, {0, 0, 1}));
  EXPECT_EQ(combined(ScatterKind::max), numbers({3}, {1, 1, 1}));
}

/// In bf16, 1.0078125 squared is rounded to 1.015625; the product of four of them is rounded once to 1.03125.
TEST(scatter, of_multiply_rounds_a_product_of_halves_once) {
  Tensor product = computed_by(
      [](const Arrays& x) {
        Array bf16 = convert(x[0], DType::bf16), updates = convert(x[2], DType::bf16);
        return convert(scatter_multiply(bf16, x[1], updates, elements), DType::f32);
      },
      {numbers({1}, {257}), places({2}, {0, 0}), numbers({2}, {1.0078125F, 0.9921875F})});
  EXPECT_EQ(product, numbers({1}, {256}));
}

/// In bf16, 256 + 1 is rounded to 256, and 256 + 2 is 258.
TEST(scatter, of_add_rounds_a_sum_of_halves_once) {
  auto sums = [](const std::vector<std::int32_t>& where) {
    return computed_by(
        [](const Arrays& x) {
          Array bf16 = convert(x[0], DType::bf16), ones = convert(x[2], DType::bf16);
          return convert(scatter_add(bf16, x[1], ones, elements), DType::f32);
        },
        {numbers({2}, {256, 4}), places({2}, where), numbers({2}, {1, 1})});
  };
  EXPECT_EQ(sums({0, 0}), numbers({2}, {258, 4}));
  EXPECT_EQ(sums({0, 1}), numbers({2}, {256, 5}));
}

TEST(scatter, of_add_changes_halves_in_place_if_no_windows_meet) {
  auto changes = [](const GatherDims& dims, const Shape& x, const Shape& where, const Shape& windows) {
    const Types operands{Type(DType::bf16, x), Type(DType::i32, where), Type(DType::bf16, windows)};
    return std::get<kernel::Opaque>(kernel_of(Scatter{ScatterKind::add, dims}, operands)).changes.has_value();
  };
  EXPECT_TRUE(changes(rows, {5, 3}, {1, 1}, {1, 3}));
  EXPECT_FALSE(changes(rows, {5, 3}, {2, 1}, {2, 3}));
  const GatherDims a_row_per_lane{Dims{Dim{2}}, d1, d0, d0, d1, Dim{2}};
  EXPECT_TRUE(changes(a_row_per_lane, {4, 5, 3}, {4, 1, 1}, {4, 1, 3}));
  EXPECT_FALSE(changes(a_row_per_lane, {4, 5, 3}, {4, 2, 1}, {4, 2, 3}));
}

TEST(scatter, of_add_adds_a_row_of_halves) {
  EXPECT_EQ(computed_by(
                [](const Arrays& x) {
                  Array halves = convert(x[0], DType::f16), row = convert(x[2], DType::f16);
                  return convert(scatter_add(halves, x[1], row, rows), DType::f32);
                },
                {counted(DType::f32, {2, 3}), places({1, 1}, {1}), numbers({1, 3}, {10, 20, 30})}),
            numbers({2, 3}, {1, 2, 3, 14, 25, 36}));
}

TEST(scatter, leaves_windows_out_that_do_not_lie_inside) {
  Scatter op{ScatterKind::add, {d1, none, none, none, d0, Dim{1}}};  // windows of 2 elements
  EXPECT_EQ(computed(op, {counted(DType::f32, {3}), places({3, 1}, {-1, 1, 2}),
                          numbers({3, 2}, {10, 20, 30, 40, 50, 60})})[0],
            numbers({3}, {1, 32, 43}));
}

TEST(scatter, of_replace_transposes_to_those_that_stay) {
  Scatter op{ScatterKind::replace, elements};
  Type x(DType::f32, {3}), where(DType::i32, {4});
  auto cotangent = [&](std::size_t i) {
    return computed_by(
        [&, i](const Arrays& in) {
          return *op.transpose({{std::nullopt, x}, {in[0], where}, {std::nullopt, Type(DType::f32, {4})}},
                               {in[1]})[i];
        },
        {places({4}, {2, 0, 2, 7}), counted(DType::f32, {3})});
  };
  EXPECT_EQ(cotangent(0), numbers({3}, {0, 2, 0}));
  EXPECT_EQ(cotangent(2), numbers({4}, {0, 1, 3, 0}));
}

TEST(scatter, brings_windows_inside_if_asked) {
  EXPECT_EQ(computed_by(
                [](const Arrays& x) { return scatter(x[0], x[1], 9, elements, {.mode = GatherMode::clip}); },
                {counted(DType::f32, {3}), places({2}, {-4, 7})}),
            numbers({3}, {9, 2, 9}));
}

TEST(scatter, prints_under_the_name_of_its_kind) {
  EXPECT_EQ(
      program_text({Type(DType::f32, {3}), Type(DType::i32, {2}), Type(DType::f32, {2})},
                   [](const Arrays& x) { return scatter_add(x[0], x[1], x[2], elements); }),
      "program(%0: f32[3], %1: i32[2], %2: f32[2]) {\n"
      "  %3: f32[3] = scatter_add{window=[], collapsed=[0], batching=[], indices_batching=[], index_map=[0], "
      "index_vector=1} %0, %1, %2\n"
      "  return %3\n}\n");
}

TEST(scatter, rejects_updates_of_another_shape_c4) {
  Scatter op{ScatterKind::replace, rows};
  EXPECT_EQ(
      refusal_of(op, {matrix, indices, Type(DType::f32, {4})}),
      "T005: the updates are f32[4], of rank 1; i32[4,1] and these dims have windows of rank 2 (scatter_c4)");
  EXPECT_EQ(refusal_of(op, {matrix, indices, Type(DType::f32, {4, 4})}),
            "T005: the updates are windows of 4 elements along dim 1 of f32[5,3], which has 3; they cannot "
            "be larger "
            "(scatter_c4)");
  EXPECT_EQ(refusal_of(op, {matrix, indices, Type(DType::f32, {2, 3})}),
            "T005: the updates are f32[2,3], the windows of i32[4,1] have the shape [4,3] (scatter_c4)");
}

TEST(scatter, rejects_updates_of_another_dtype_c6) {
  EXPECT_EQ(
      refusal_of(Scatter{ScatterKind::add, rows}, {matrix, indices, Type(DType::f64, {4, 3})}).substr(0, 46),
      "T007: f32[5,3] and f64[4,3] have different dty");
}

TEST(scatter, rejects_a_sum_of_bool) {
  EXPECT_EQ(refusal_of(Scatter{ScatterKind::add, rows},
                       {Type(DType::boolean, {5, 3}), indices, Type(DType::boolean, {4, 3})}),
            "T007: bool[5,3] is bool, which has no sum; convert it to i32 first");
}

TEST(scatter, rejects_a_product_of_bool_and_an_order_of_complex_numbers) {
  auto refused = [](ScatterKind kind, DType dtype) {
    return refusal_of(Scatter{kind, rows}, {matrix.with(dtype), indices, updates.with(dtype)});
  };
  EXPECT_EQ(
      refused(ScatterKind::multiply, DType::boolean),
      "T007: bool[5,3] is bool, which has no product; for \"and\" take the minimum, or convert it to i32");
  EXPECT_EQ(refused(ScatterKind::min, DType::complex64).substr(0, 30), "T007: complex64[5,3] is comple");
}

TEST(scatter, prints_a_promise_of_unique_indices) {
  Scatter op{ScatterKind::multiply, elements, true};
  EXPECT_TRUE(to_string(Op(op)).ends_with("index_vector=1, unique_indices=true}")) << to_string(Op(op));
}

TEST(scatter, of_replace_at_unique_indices_transposes_without_finding_out_who_stays) {
  auto ops_of_transpose = [](bool unique) {
    auto back = [&](const Arrays& in) {
      Scatter op{ScatterKind::replace, elements, unique};
      Type x(DType::f32, {3}), u(DType::f32, {2});
      return *op.transpose({{std::nullopt, x}, {in[0], in[0].type()}, {std::nullopt, u}}, {in[1]})[2];
    };
    return program_text({Type(DType::i32, {2}), Type(DType::f32, {3})}, back);
  };
  EXPECT_EQ(ops_of_transpose(true).find("iota"), std::string::npos) << ops_of_transpose(true);
  EXPECT_NE(ops_of_transpose(false).find("iota"), std::string::npos);
}

TEST(scatter, numbers_its_constraints_as_stablehlo_does_c22) {
  EXPECT_EQ(
      refusal_of(Scatter{ScatterKind::add, {d1, d0, none, none, d0, Dim{3}}}, {matrix, indices, updates}),
      "T006: index_vector 3 is out of range for i32[4,1]; it is one of its dims, or its rank (scatter_c22)");
}

TEST(scatter, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(Scatter::examples()), std::vector<std::string>{});
}

}  // namespace
}  // namespace tutti
