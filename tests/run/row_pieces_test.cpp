// SPDX-License-Identifier: Apache-2.0
// Long rows are folded in pieces, by all workers, with the operations that make them.
#include <gtest/gtest.h>

#include <bit>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/functions/folds/statistics.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/reduce.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/run/fuse/steps.hpp"
#include "tutti/run/place/arena.hpp"
#include "tutti/tensor/loops/reductions.hpp"

namespace tutti {
namespace {

const Mesh mesh({{"a", 2}});

struct Case {
  std::string name;
  std::function<Arrays(const Array&)> body;
  DType dtype = DType::f32;
  std::size_t varying = 1;  // results that differ between devices; they come first
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

const Case cases[] = {
    {"sum", [](const Array& x) { return Arrays{reduce_sum(x, 1)}; }},
    {"max_of_f64", [](const Array& x) { return Arrays{reduce_max(x, 1)}; }, DType::f64},
    {"min_of_i32", [](const Array& x) { return Arrays{reduce_min(x, 1)}; }, DType::i32},
    {"max_of_bf16", [](const Array& x) { return Arrays{reduce_max(x, 1)}; }, DType::bf16},
    {"sum_over_all", [](const Array& x) { return Arrays{psum(reduce_sum(x), "a")}; }, DType::f32, 0},
    {"sum_of_squares", [](const Array& x) { return Arrays{psum(reduce_sum(x * x), "a")}; }, DType::f32, 0},
    {"sum_of_chain", [](const Array& x) { return Arrays{reduce_sum((x * 0.5 - 1.0) * x, 1)}; }},
    {"sum_of_converted", [](const Array& x) { return Arrays{reduce_sum(convert(x, DType::i64), 1)}; },
     DType::u8},
    {"sum_of_converted_halves", [](const Array& x) { return Arrays{reduce_sum(convert(x, DType::f32), 1)}; },
     DType::bf16},
    {"sum_over_all_of_converted",
     [](const Array& x) { return Arrays{psum(reduce_sum(convert(x, DType::i32)), "a")}; }, DType::i16, 0},
    {"sum_of_a_conversion_of_a_sum",
     [](const Array& x) { return Arrays{reduce_sum(convert(x + x, DType::i64), 1)}; }, DType::i32},
    {"max_of_converted", [](const Array& x) { return Arrays{reduce_max(convert(x, DType::i64), 1)}; },
     DType::u8},
    {"sum_and_max_of_converted",
     [](const Array& x) {
       Array y = convert(x, DType::i64);
       return Arrays{reduce_sum(y, 1), reduce_max(y, 1)};
     },
     DType::u8, 2},
    {"converted_transpose",
     [](const Array& x) { return Arrays{reduce_sum(convert(transpose(x), DType::i64), 0)}; }, DType::i8},
    {"sum_of_function", [](const Array& x) { return Arrays{reduce_sum(abs(x) + floor(x * 0.5), 1)}; }},
    {"of_row_less_its_max",
     [](const Array& x) { return Arrays{reduce_sum(x - expand_dims(reduce_max(x, 1), 1), 1)}; }},
    {"two_folds_of_a_value",
     [](const Array& x) {
       Array y = x * 2.0 + 1.0;
       return Arrays{reduce_sum(y, 1), reduce_max(y, 1)};
     },
     DType::f32, 2},
    {"value_that_is_a_result_too",
     [](const Array& x) {
       Array y = abs(x) * 0.5;
       return Arrays{y, reduce_sum(y, 1)};
     },
     DType::f32, 2},
    {"over_columns_of_a_transpose", [](const Array& x) { return Arrays{reduce_sum(transpose(x) * 2.0, 0)}; }},
    {"of_a_sum_over_devices", [](const Array& x) { return Arrays{reduce_sum(psum(x * 0.5, "a") + x, 1)}; }},
    {"of_a_long_column", [](const Array& x) { return Arrays{reduce_sum(transpose(x), 0)}; }},
};

class row_pieces_of : public testing::TestWithParam<Case> {
 protected:
  static Program program(std::int64_t rows, std::int64_t columns) {
    const Axes& axes = mesh.axes();
    return test_program(
        mesh, {{GetParam().dtype, {2 * rows, columns}, {axes}}},
        [](const Arrays& x) { return GetParam().body(x[0]); },
        std::vector<std::vector<Axes>>(GetParam().varying, {axes}));
  }
};

TEST_P(row_pieces_of, compute_what_the_kernels_do) {
  expect_all_plans_compute(program(2, 33'003), mesh);  // the last piece is shorter
}

INSTANTIATE_TEST_SUITE_P(, row_pieces_of, testing::ValuesIn(cases),
                         [](const auto& c) { return c.param.name; });

/// Numbers in [-1, 1) whose sums are inexact.
template <class T>
Tensor inexact(DType dtype, const Shape& shape) {
  Tensor x(shape, dtype);
  std::uint64_t state = 7;
  for (std::int64_t i = 0; i < x.elements(); ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x.mutable_data<T>()[i] = static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1);
  }
  return x;
}

template <class T>
void expect_the_tree_of_the_row(DType dtype, std::int64_t columns) {
  const std::int64_t rows = 2;
  Program program =
      test_program(mesh, {{dtype, {2 * rows, columns}, {mesh.axes()}}},
                   [](const Arrays& x) { return Arrays{reduce_sum(x[0], 1), reduce_sum(x[0] * x[0], 1)}; },
                   {{mesh.axes()}, {mesh.axes()}});
  Tensor x = inexact<T>(dtype, {2 * rows, columns}), squares = inexact<T>(dtype, {2 * rows, columns});
  for (std::int64_t i = 0; i < x.elements(); ++i) squares.mutable_data<T>()[i] *= x.as<T>()[i];
  Team team(2, Team::Use::always);
  for (PlanChoice plan : {PlanChoice::one_worker, PlanChoice::by_axis, PlanChoice::by_tiles}) {
    CompileOptions options;
    options.plan.choice = plan;
    options.check_races = true;
    Tensors found = run_once(program, mesh, {x}, team, options);
    for (std::size_t r = 0; r < 2; ++r) {
      Tensor whole({2 * rows}, dtype);
      reduce_rows_kernel(ReduceKind::sum, dtype)(whole.mutable_bytes(), (r == 0 ? x : squares).data(),
                                                 2 * rows, columns,
                                                 columns * static_cast<std::int64_t>(sizeof(T)));
      EXPECT_TRUE(found[r] == whole) << "result " << r << " of " << columns << " columns";
    }
  }
}

TEST(row_pieces, give_the_bits_of_the_whole_row) {
  for (std::int64_t columns : {32768, 32769, 36864 + 16, 600'000}) {
    expect_the_tree_of_the_row<float>(DType::f32, columns);
    expect_the_tree_of_the_row<double>(DType::f64, columns);
  }
}

struct Planned {
  std::vector<Split> splits;
  std::int64_t arena;
};

Planned planned(const std::function<Array(const Array&)>& body, DType dtype, std::int64_t elements) {
  Program program = test_program(mesh, {{dtype, {2 * elements}, {mesh.axes()}}},
                                 [&](const Arrays& x) { return Arrays{psum(body(x[0]), "a")}; }, {});
  Graph graph = make_graph(localised(program, mesh).program, mesh);
  Steps steps = make_steps(graph, Fusion::on);
  Placement placement =
      place(graph, steps, costs_of(graph, steps, Stores::by_size, test_caches), 2, PlanChoice::by_tiles);
  Planned found{{}, plan_arena(graph, steps, placement).bytes};
  for (const Assignment& assigned : placement.of) found.splits.push_back(assigned.split);
  return found;
}

TEST(row_pieces, are_split_over_workers_and_need_little_memory) {
  const std::function<Array(const Array&)> bodies[] = {
      [](const Array& x) { return reduce_sum(x * x); },
      [](const Array& x) { return reduce_sum(square(x - mean(x))); },
      [](const Array& x) { return reduce_sum(exp(x - reduce_max(x))); },
  };
  for (const auto& body : bodies) {
    Planned found = planned(body, DType::f32, 8 << 20);
    EXPECT_TRUE(std::holds_alternative<ByTiles>(found.splits[0]));
    EXPECT_LE(found.arena, 64 << 10);  // 64 bytes for each of 128 pieces, twice, and single numbers
  }
}

TEST(row_pieces, of_converted_elements_are_read_before_the_conversion) {
  auto uses_of_converted = [](DType from, DType to) {
    Program program =
        test_program(mesh, {{from, {131072}, {mesh.axes()}}},
                     [&](const Arrays& x) { return Arrays{psum(reduce_sum(convert(x[0], to)), "a")}; }, {});
    Graph graph = make_graph(localised(program, mesh).program, mesh);
    return make_steps(graph, Fusion::on).list[StepId(0)].uses;
  };
  EXPECT_EQ(uses_of_converted(DType::u8, DType::i64).converted.size(), 1);
  EXPECT_EQ(uses_of_converted(DType::f16, DType::f32).converted.size(), 1);
  EXPECT_EQ(uses_of_converted(DType::f32, DType::f64).converted.size(), 0);
}

TEST(row_pieces, keep_short_rows_whole) {
  EXPECT_EQ(planned([](const Array& x) { return reduce_sum(x * x); }, DType::f32, 4096).arena, 0);
}

}  // namespace
}  // namespace tutti
