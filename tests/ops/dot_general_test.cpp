// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/dot_general.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/rules.hpp"
#include "tests/support/tracing.hpp"
#include "tutti/ops/dims.hpp"

namespace tutti {
namespace {

const Dims none, d0{Dim{0}}, d1{Dim{1}}, d2{Dim{2}};
const DotGeneral matrices{none, none, d1, d0};

Type f32(Shape shape) { return Type(DType::f32, std::move(shape)); }
Axis axis_a() { return example_mesh().axes()[0]; }

std::string refusal(const DotGeneral& op, const Type& lhs, const Type& rhs) {
  return refusal_of(op, {lhs, rhs});
}

// --- What it accepts -------------------------------------------------------------------------------------

TEST(dot_general, has_batch_then_lhs_then_rhs_dims) {
  DotGeneral op{d1, d2, d2, d0};
  EXPECT_EQ(op.infer({f32({7, 3, 4}), f32({4, 5, 3})})[0], f32({3, 7, 5}));
}

TEST(dot_general, of_unreduced_and_reduced_is_unreduced) {
  Types operands{f32({2, 3}).with(axis_a(), unreduced), f32({3, 4}).with(axis_a(), reduced)};
  EXPECT_EQ(matrices.infer(operands)[0], f32({2, 4}).with(axis_a(), unreduced));
}

TEST(dot_general, refuses_batch_dims_without_partner_c1) {
  EXPECT_EQ(refusal({d0, none, none, none}, f32({2}), f32({3})),
            "T006: 1 batch dim of f32[2] and 0 of f32[3]; they go in pairs (dot_general_c1)");
}

TEST(dot_general, refuses_contracted_dims_without_partner_c2) {
  EXPECT_EQ(refusal({none, none, d0, none}, f32({2}), f32({3})),
            "T006: 1 contracted dim of f32[2] and 0 of f32[3]; they go in pairs (dot_general_c2)");
}

TEST(dot_general, refuses_an_lhs_dim_named_twice_c3) {
  EXPECT_EQ(refusal({d0, d0, d0, d1}, f32({2, 3}), f32({2, 2})),
            "T006: dim 0 of f32[2,3] is named twice; name each dim once (dot_general_c3)");
}

TEST(dot_general, refuses_an_rhs_dim_named_twice_c4) {
  EXPECT_EQ(refusal({d0, d1, d1, d1}, f32({2, 2}), f32({3, 2})),
            "T006: dim 1 of f32[3,2] is named twice; name each dim once (dot_general_c4)");
}

TEST(dot_general, refuses_an_lhs_batch_dim_out_of_range_c5) {
  EXPECT_EQ(refusal({d2, d0, none, none}, f32({2, 3}), f32({2})),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (dot_general_c5)");
}

TEST(dot_general, refuses_a_contracted_lhs_dim_out_of_range_c6) {
  EXPECT_EQ(refusal({none, none, d2, d0}, f32({2, 3}), f32({2})),
            "T006: dim 2 is out of range for f32[2,3], which has 2 dims, counted from 0 (dot_general_c6)");
}

TEST(dot_general, refuses_an_rhs_batch_dim_out_of_range_c7) {
  EXPECT_EQ(refusal({d0, d1, none, none}, f32({2, 3}), f32({2})),
            "T006: dim 1 is out of range for f32[2], which has 1 dim, counted from 0 (dot_general_c7)");
}

TEST(dot_general, refuses_a_contracted_rhs_dim_out_of_range_c8) {
  EXPECT_EQ(refusal({none, none, d0, d1}, f32({2, 3}), f32({2})),
            "T006: dim 1 is out of range for f32[2], which has 1 dim, counted from 0 (dot_general_c8)");
}

TEST(dot_general, refuses_batch_sizes_that_differ_c9) {
  EXPECT_EQ(
      refusal({d0, d0, none, none}, f32({2, 3}), f32({4})),
      "T005: batch dim 0 of f32[2,3] has size 2, its partner, dim 0 of f32[4], has 4; they must be equal "
      "(dot_general_c9)");
}

TEST(dot_general, refuses_contracted_sizes_that_differ_c10) {
  EXPECT_EQ(refusal(matrices, f32({2, 3}), f32({4, 5})),
            "T005: contracted dim 1 of f32[2,3] has size 3, its partner, dim 0 of f32[4,5], has 4; they must "
            "be equal "
            "(dot_general_c10)");
}

TEST(dot_general, refuses_dtypes_that_differ_c13) {
  EXPECT_EQ(
      refusal(matrices, f32({2, 3}), Type(DType::f64, {3, 2})),
      "T007: f32[2,3] and f64[3,2] have different dtypes (dot_general_c13); convert one of them: convert(x, "
      "DType::f64)");
}

TEST(dot_general, refuses_bool) {
  EXPECT_EQ(refusal(matrices, Type(DType::boolean, {2, 3}), Type(DType::boolean, {3, 2})),
            "T007: bool[2,3] is bool, which has no product of matrices; convert it: convert(x, DType::f32)");
}

TEST(dot_general, counts_negative_dims_from_the_end) {
  EXPECT_EQ(program_text({f32({2, 3, 4}), f32({2, 4, 5})},
                         [](const Arrays& x) {
                           return dot_general(x[0], x[1],
                                              {.lhs_batch = {0},
                                               .rhs_batch = {0},
                                               .lhs_contract = {-1},
                                               .rhs_contract = {-2}});
                         }),
            "program(%0: f32[2,3,4], %1: f32[2,4,5]) {\n"
            "  %2: f32[2,3,5] = dot_general{lhs_batch=[0], rhs_batch=[0], lhs_contract=[2], "
            "rhs_contract=[1]} %0, %1\n"
            "  return %2\n}\n");
}

// --- Its rules -------------------------------------------------------------------------------------------

TEST(dot_general, has_rules_with_the_right_types) {
  EXPECT_EQ(mistyped_rules(DotGeneral::examples()), std::vector<std::string>{});
}

TEST(dot_general, cotangent_of_a_reduced_operand_is_unreduced) {
  Type lhs = f32({2, 3}).with(axis_a(), unreduced), rhs = f32({3, 4}).with(axis_a(), reduced);
  EXPECT_EQ(program_text({lhs, dual(f32({2, 4}).with(axis_a(), unreduced))},
                         [&](const Arrays& x) {
                           return *matrices.transpose({{x[0], lhs}, {std::nullopt, rhs}}, {x[1]})[1];
                         }),
            "program(%0: f32[2,3]{U:a}, %1: f32[2,4]{R:a}) {\n"
            "  %2: f32[3,4]{U:a} = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[0], "
            "rhs_contract=[0]} %0, %1\n"
            "  return %2\n}\n");
}

TEST(dot_general, refuses_its_transpose_in_both_operands) {
  Builder builder;
  Tangents cotangent{builder.input(f32({2, 4}))};
  EXPECT_EQ(refusal_of([&] { matrices.transpose({{{}, f32({2, 3})}, {{}, f32({3, 4})}}, cotangent); }),
            "T010: transpose is refused: dot_general is linear in one operand at a time");
}

TEST(dot_general, batch_does_not_repeat_the_operand_without_lanes) {
  Axis lanes = fresh_axis("lanes", 7);
  Types types{f32({2, 3}), f32({3, 4})};
  EXPECT_EQ(program_text({f32({2, 3}), f32({7, 3, 4})},
                         [&](const Arrays& x) {
                           return matrices.batch(lanes, {{x[0], false}, {x[1], true}}, types)[0].array;
                         }),
            "program(%0: f32[2,3], %1: f32[7,3,4]) {\n"
            "  %2: f32[2,7,4] = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[1], rhs_contract=[1]} "
            "%0, %1\n"
            "  %3: f32[7,2,4] = transpose{permutation=[1, 0, 2]} %2\n"
            "  return %3\n}\n");
}

// --- Its kernel ------------------------------------------------------------------------------------------

std::int64_t at(const Shape& shape, const std::vector<std::int64_t>& index) {
  std::int64_t flat = 0;
  for (int i = 0; i < shape.rank(); ++i) flat = flat * shape[i] + index[static_cast<std::size_t>(i)];
  return flat;
}

// Every index of `shape` in row-major order.
std::vector<std::vector<std::int64_t>> all_indices(const Shape& shape) {
  std::vector<std::vector<std::int64_t>> all{{}};
  for (std::int64_t size : shape) {
    std::vector<std::vector<std::int64_t>> longer;
    for (const auto& index : all)
      for (std::int64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    all = std::move(longer);
  }
  return all;
}

// The definition: the sum over the contracted dims, one result after another.
std::vector<double> by_definition(const DotGeneral& op, const Tensor& lhs, const Tensor& rhs,
                                  const Shape& result) {
  auto place = [](std::vector<std::int64_t>& index, const Dims& dims, std::span<const std::int64_t> values) {
    for (std::size_t i = 0; i < dims.size(); ++i) index[static_cast<std::size_t>(dims[i].index)] = values[i];
  };
  auto free_of = [](int rank, Dims batch, const Dims& contract) {
    batch.insert(batch.end(), contract.begin(), contract.end());
    return other_dims(rank, batch);
  };
  Dims m = free_of(lhs.shape().rank(), op.lhs_batch, op.lhs_contract),
       n = free_of(rhs.shape().rank(), op.rhs_batch, op.rhs_contract);
  std::vector<std::int64_t> contracted;
  for (Dim dim : op.lhs_contract) contracted.push_back(lhs.shape()[dim]);
  std::vector<double> values;
  for (const auto& index : all_indices(result)) {
    double sum = 0;
    for (const auto& k : all_indices(Shape(contracted))) {
      std::vector<std::int64_t> i(lhs.shape().sizes().size()), j(rhs.shape().sizes().size());
      std::span<const std::int64_t> rest(index);
      place(i, op.lhs_batch, rest), place(j, op.rhs_batch, rest);
      rest = rest.subspan(op.lhs_batch.size());
      place(i, m, rest), place(j, n, rest.subspan(m.size()));
      place(i, op.lhs_contract, k), place(j, op.rhs_contract, k);
      sum += lhs.at(at(lhs.shape(), i)) * rhs.at(at(rhs.shape(), j));
    }
    values.push_back(sum);
  }
  return values;
}

std::vector<double> by_kernel(const DotGeneral& op, const Tensor& lhs, const Tensor& rhs,
                              const Type& result) {
  kernel::Opaque units = std::get<kernel::Opaque>(
      kernel_of(op, {Type(lhs.dtype(), lhs.shape()), Type(rhs.dtype(), rhs.shape())}));
  Tensor y = counted(result.dtype(), result.shape()),
         scratch({static_cast<std::int64_t>(units.scratch_bytes)}, DType::boolean);
  const std::byte* operands[] = {lhs.data(), rhs.data()};
  std::byte* results[] = {y.mutable_bytes()};
  units.run({operands, results, scratch.mutable_bytes(), 0, nullptr, {0, units.shared.lines}});
  std::vector<double> values(static_cast<std::size_t>(y.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = y.at(static_cast<std::int64_t>(i));
  return values;
}

TEST(dot_general, computes_the_sum_over_the_contracted_dims_in_every_example) {
  for (const Example& example : DotGeneral::examples()) {
    Types types{example.operands[0].type, example.operands[1].type};
    if (std::ranges::find(more_dtypes(), types[0].dtype()) != more_dtypes().end())
      continue;  // see tests/tensor
    Tensor lhs = counted(types[0].dtype(), types[0].shape()),
           rhs = counted(types[1].dtype(), types[1].shape());
    const DotGeneral& op = *example.op.as<DotGeneral>();
    Type result = op.infer(types)[0];
    // Small whole numbers: exact in every order of summation.
    EXPECT_EQ(by_kernel(op, lhs, rhs, result), by_definition(op, lhs, rhs, result.shape()))
        << to_string(example.op);
  }
}

// Which role each dim of an operand has, in order.
using Roles = std::vector<int>;
enum Role { batch_dim, free_dim, long_dim, short_dim };  // two contracted dims; the short one has size 1

Dim dim_of(const Roles& roles, Role role) {
  return Dim{static_cast<int>(std::ranges::find(roles, static_cast<int>(role)) - roles.begin())};
}

Shape shape_of(const Roles& roles, std::int64_t free_size) {
  const std::int64_t size_of_role[] = {2, free_size, 4, 1};
  std::vector<std::int64_t> sizes;
  for (int role : roles) sizes.push_back(size_of_role[role]);
  return Shape(sizes);
}

std::vector<Roles> all_arrangements() {
  std::vector<Roles> all;
  Roles roles{batch_dim, free_dim, long_dim, short_dim};
  do all.push_back(roles);
  while (std::next_permutation(roles.begin(), roles.end()));
  return all;
}

TEST(dot_general, computes_any_arrangement_of_batch_free_and_contracted_dims) {
  for (const Roles& left : all_arrangements())
    for (const Roles& right : all_arrangements()) {
      DotGeneral op{{dim_of(left, batch_dim)},
                    {dim_of(right, batch_dim)},
                    {dim_of(left, long_dim), dim_of(left, short_dim)},
                    {dim_of(right, long_dim), dim_of(right, short_dim)}};
      Tensor lhs = counted(DType::f32, shape_of(left, 3)), rhs = counted(DType::f32, shape_of(right, 5));
      ASSERT_EQ(by_kernel(op, lhs, rhs, f32({2, 3, 5})), by_definition(op, lhs, rhs, {2, 3, 5}))
          << to_string(op);
    }
}

TEST(dot_general, copies_no_operand_whose_dims_lie_as_runs) {
  // f64: the products of f32 have scratch of their own.
  auto f64 = [](Shape shape) { return Type(DType::f64, std::move(shape)); };
  auto scratch_of = [](const DotGeneral& op, const Type& lhs, const Type& rhs) {
    return std::get<kernel::Opaque>(kernel_of(op, {lhs, rhs})).scratch_bytes;
  };
  std::size_t plain = scratch_of(matrices, f64({32, 32}), f64({32, 32}));
  EXPECT_EQ(scratch_of({none, none, d0, d1}, f64({32, 32}), f64({32, 32})), plain);  // both transposed
  EXPECT_EQ(scratch_of({none, none, {Dim{1}, Dim{2}}, {Dim{0}, Dim{1}}}, f64({32, 4, 8}), f64({4, 8, 32})),
            plain);
  EXPECT_EQ(scratch_of({none, none, {Dim{2}, Dim{1}}, {Dim{1}, Dim{0}}}, f64({32, 4, 8}), f64({4, 8, 32})),
            plain);
  EXPECT_GE(scratch_of({none, none, d1, d0}, f64({4, 32, 8}), f64({32, 32})),
            plain + f64({4, 32, 8}).bytes());
}

// --- matmul ----------------------------------------------------------------------------------------------

// The equations of matmul of two shapes, without the first and the last lines.
std::string equations_of_matmul(const Shape& lhs, const Shape& rhs) {
  std::string text = program_text({f32(lhs), f32(rhs)}, [](const Arrays& x) { return matmul(x[0], x[1]); });
  std::size_t begin = text.find('\n') + 1;
  return text.substr(begin, text.find("  return") - begin);
}

TEST(dot_general, matmul_takes_vectors_on_either_side) {
  EXPECT_EQ(
      equations_of_matmul({3}, {3}),
      "  %2: f32[] = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[0], rhs_contract=[0]} %0, %1\n");
  EXPECT_EQ(
      equations_of_matmul({2, 3}, {3}),
      "  %2: f32[2] = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[1], rhs_contract=[0]} %0, %1\n");
  EXPECT_EQ(equations_of_matmul({3}, {5, 3, 4}), "  %2: f32[5,4] = dot_general{lhs_batch=[], rhs_batch=[], "
                                                 "lhs_contract=[0], rhs_contract=[1]} %0, %1\n");
}

TEST(dot_general, matmul_of_a_stack_and_a_matrix_is_one_product) {
  EXPECT_EQ(equations_of_matmul({5, 2, 3}, {3, 4}),
            "  %2: f32[5,2,4] = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[2], rhs_contract=[0]} "
            "%0, %1\n");
  EXPECT_EQ(equations_of_matmul({2, 3}, {5, 3, 4}),
            "  %2: f32[2,5,4] = dot_general{lhs_batch=[], rhs_batch=[], lhs_contract=[1], rhs_contract=[1]} "
            "%0, %1\n"
            "  %3: f32[5,2,4] = transpose{permutation=[1, 0, 2]} %2\n");
}

TEST(dot_general, matmul_broadcasts_the_dims_before_the_matrices) {
  EXPECT_EQ(equations_of_matmul({6, 1, 2, 3}, {5, 3, 4}),
            "  %2: f32[6,5,2,3] = broadcast_in_dim{to=[6,5,2,3], dims=[0, 1, 2, 3]} %0\n"
            "  %3: f32[6,5,3,4] = broadcast_in_dim{to=[6,5,3,4], dims=[1, 2, 3]} %1\n"
            "  %4: f32[6,5,2,4] = dot_general{lhs_batch=[0, 1], rhs_batch=[0, 1], lhs_contract=[3], "
            "rhs_contract=[2]} %2, %3\n");
}

TEST(dot_general, matmul_refuses_scalars) {
  EXPECT_EQ(refusal_of([] { trace({f32({3})}, [](const Arrays& x) { return Arrays{matmul(x[0], 2.0)}; }); }),
            "T005: matmul: f32[] is a scalar; multiply with *");
}

TEST(dot_general, matmul_refuses_sizes_that_differ) {
  EXPECT_EQ(
      refusal_of([] { equations_of_matmul({2, 3}, {5, 4, 6}); }),
      "T005: matmul: the last dim of f32[2,3] has size 3, dim 1 of f32[5,4,6] has 4; they must be equal");
}

}  // namespace
}  // namespace tutti
