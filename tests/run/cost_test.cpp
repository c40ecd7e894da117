// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/place/cost.hpp"

#include <gtest/gtest.h>

#include "tests/run/harness.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Body = std::function<Arrays(const Array&)>;

/// Sum of the estimates of all updates in a plan and in the plans inside.
double of_updates(const Plan& plan) {
  double nanoseconds = 0;
  for (StepId n : plan.steps().list.ids()) {
    const Step& step = plan.steps().list[n];
    const Work& work = plan.graph().tasks[step.tasks[0]].work;
    if (const auto* opaque = std::get_if<OpaqueWork>(&work); opaque && opaque->opaque.changes)
      nanoseconds += plan.costs()[n].nanoseconds;
    if (const auto* subs = std::get_if<SubWork>(&work))
      for (const std::shared_ptr<Plan>& sub : subs->plans) nanoseconds += of_updates(*sub);
  }
  return nanoseconds;
}

/// How much the estimate of updates in an array of 64 rows on each of two devices grows with 64 times the
/// rows.
double growth(const Body& body) {
  const Mesh mesh({{"x", 2}});
  auto estimate = [&](std::int64_t rows) {
    Program program =
        test_program(mesh, {{DType::f32, {2 * rows, 16}, {mesh.axes()}}},
                     [&](const Arrays& x) { return body(x[0]); }, {{mesh.axes()}, {mesh.axes()}});
    return of_updates(Plan(localised(program, mesh).program, mesh, {}));
  };
  return estimate(4096) / estimate(64);
}

Array with_row(const Array& x) { return dynamic_update_slice_in_dim(x, full({1, 16}, 2.0, DType::f32), 3); }
Array added_to_row(const Array& x) {
  const GatherDims rows{.offset_dims = {Dim{1}},
                        .collapsed_slice_dims = {Dim{0}},
                        .start_index_map = {Dim{0}},
                        .index_vector_dim = Dim{1}};
  return scatter_add(x, full({1, 1}, 3, DType::i32), full({1, 16}, 2.0, DType::f32), rows);
}

TEST(cost, of_an_update_in_place_does_not_grow_with_the_array) {
  EXPECT_EQ(growth([](const Array& x) -> Arrays {
              return {fori_loop(0, 5, [](const Array&, const Array& c) { return with_row(c); }, x)};
            }),
            1);
  EXPECT_EQ(growth([](const Array& x) -> Arrays {
              return {fori_loop(0, 5, [](const Array&, const Array& c) { return added_to_row(c); }, x)};
            }),
            1);
  EXPECT_EQ(growth([](const Array& x) -> Arrays { return {with_row(x + 1.0)}; }), 1);
}

TEST(cost, of_an_update_of_an_argument_includes_its_copy) {
  EXPECT_GT(growth([](const Array& x) -> Arrays { return {with_row(x)}; }), 10);
}

TEST(cost, of_an_update_includes_a_copy_if_the_array_is_read_later) {
  auto trip = [](const Array& c, const Array& i) {
    Array next = with_row(c);
    return std::pair{next, dynamic_slice_in_dim(c, i, 1)};
  };
  EXPECT_GT(growth([&](const Array& x) -> Arrays {
              auto [last, rows_before] = scan(trip, x, arange(5, DType::i32));
              return {last, reduce_sum(rows_before, 0)};
            }),
            10);
}

}  // namespace
}  // namespace tutti
