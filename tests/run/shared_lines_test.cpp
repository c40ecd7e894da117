// SPDX-License-Identifier: Apache-2.0
// Workers share the lines of opaque kernels and the columns of folds on one device. In each plan the bits are
// those of the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "tests/run/harness.hpp"
#include "tests/run/opaque.hpp"
#include "tutti/control/boundary.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/run/plan/plan.hpp"
#include "tutti/tensor/fft/fft.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Mesh alone({{"x", 1}});

struct Case {
  const char* name;
  Shape shape;
  std::function<Arrays(const Array&)> body;
  DType dtype = DType::f32;
};
const Case cases[] = {
    {"sorts_of_rows", {45, 70}, [](const Array& x) { return Arrays{sort(x, 1)}; }},
    {"sorts_of_columns", {30, 75}, [](const Array& x) { return Arrays{sort(x, 0)}; }},
    {"sorts_of_columns_of_matrices",
     {3, 30, 50},
     [](const Array& x) { return Arrays{sort(x, 1)}; },
     DType::i16},
    {"sorts_with_others", {45, 70}, [](const Array& x) { return Arrays{argsort(x, 1), argsort(x, 0)}; }},
    {"largest_elements",
     {45, 70},
     [](const Array& x) {
       const auto [values, indices] = top_k(x, 5);
       return Arrays{values, indices};
     }},
    {"places_of_extremes",
     {45, 70},
     [](const Array& x) { return Arrays{argmax(x, 1), argmin(x, 0), argmax(x, 0, DType::i64)}; }},
    {"running_folds",
     {45, 70},
     [](const Array& x) {
       return Arrays{cumsum(x, 1), cumsum(x, 0), cummax(x, 0), cumsum(x, 1, Order::backward)};
     }},
    {"running_sums_inside_of_three_dims",
     {3, 20, 75},
     [](const Array& x) { return Arrays{cumsum(x, 1), cumsum(x, 0)}; },
     DType::f64},
    {"windows_of_images",
     {4, 20, 21, 12},
     [](const Array& x) {
       const auto pool = [](const Array& y) { return max_pool(y, {3, 3}, {.strides = {2, 1}}); };
       const auto size = [&](const Array& y) { return reduce_sum(square(pool(y))); };
       return Arrays{pool(x), avg_pool(x, {2, 2}, {.padding = WindowPadding::same}), grad(size)(x)};
     }},
    {"windows_of_halves_and_their_selections",
     {4, 20, 21, 12},
     [](const Array& x) {
       const auto size = [](const Array& y) { return reduce_sum(min_pool(y, {3, 3})); };
       return Arrays{reduce_window_sum(x, {1, 4, 1, 1}), grad(size)(x), reduce_precision(x, 8, 3)};
     },
     DType::bf16},
    {"rows_of_products",
     {300, 128},
     [](const Array& x) { return Arrays{matmul(x, concatenate({transpose(x), transpose(x)}, 1))}; }},
    {"columns_of_transposed_factors",
     {128, 300},
     [](const Array& x) { return Arrays{einsum("ki,kj->ij", x, x)}; },
     DType::f64},
    {"matrices_of_a_batch",
     {37, 64, 64},
     [](const Array& x) { return Arrays{einsum("bik,bkj->bij", x, x)}; }},
    {"rows_of_pads",
     {45, 70},
     [](const Array& x) {
       return Arrays{pad(x, 3, {{2, 5}, {1, 1}}), pad(x, 3, {{-2, 5}, {-1, 1}}),
                     pad(x, 1, {{0, 0, 2}, {0, 0}})};
     }},
    {"rows_of_concatenations", {45, 70}, [](const Array& x) { return Arrays{concatenate({x, x, x}, 1)}; }},
    {"looked_up_rows",
     {45, 70},
     [](const Array& x) {
       return Arrays{take(x, mod(iota({100}, DType::i32, 0) * 7, 45), 0),
                     take(x, iota({60}, DType::i32, 0), 1)};
     }},
    {"sums_of_columns", {45, 700}, [](const Array& x) { return Arrays{reduce_sum(x, 0), reduce_max(x, 0)}; }},
    {"sums_of_columns_of_matrices",
     {5, 45, 300},
     [](const Array& x) { return Arrays{reduce_sum(x, 1), reduce_sum(x, 0)}; },
     DType::i32},
    {"transforms_of_rows",
     {45, 70},
     [](const Array& x) {
       return Arrays{real(fft(x)), irfft(complex(x, x), {.n = 70}), real(fft(x, {.dim = 0}))};
     }},
    {"transforms_of_matrices",
     {37, 16, 20},
     [](const Array& x) { return Arrays{imag(rfft2(x)), irfft2(complex(x, x))}; },
     DType::f64},
    {"nothing",
     {0, 70},
     [](const Array& x) {
       return Arrays{sort(x, 1), sort(x, 0), cumsum(x, 0), argmax(x, 1), pad(x, 1, {{0, 2}, {1, 1}})};
     }},
};

Program program_of(const Case& of) {
  return test_program(alone, {{of.dtype, of.shape}}, [&](const Arrays& x) { return of.body(x[0]); }, {});
}

/// The steps that both workers take part in, of those that fold columns or run opaque kernels.
int shared_steps(const Program& program) {
  const Plan plan(localised(program, alone).program, alone,
                  {.choice = PlanChoice::by_tiles, .workers = 2, .caches = test_caches});
  const auto both_run = [&](StepId n) {
    return std::ranges::all_of(plan.schedule().lists[plan.placement().of[n].phase], [&](const auto& list) {
      return std::ranges::any_of(list, [&](const WorkerStep& step) { return step.of == n; });
    });
  };
  int shared = 0;
  for (StepId n : plan.steps().list.ids()) {
    const Step::Kind kind = plan.steps().list[n].kind;
    if ((kind == Step::Kind::columns || kind == Step::Kind::opaque) && both_run(n)) ++shared;
  }
  return shared;
}

class shared_lines : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const bool transforms = std::string_view(GetParam().name).starts_with("transforms");
    if (transforms && !has_fft()) GTEST_SKIP() << "this build has no sources of ducc";
  }
};
INSTANTIATE_TEST_SUITE_P(of, shared_lines, testing::ValuesIn(cases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST_P(shared_lines, have_the_bits_of_the_definition) {
  const Program program = program_of(GetParam());
  expect_all_plans_compute(program, alone);
  EXPECT_GT(shared_steps(program), 0);
}

TEST_P(shared_lines, have_the_same_bits_on_three_and_five_workers) {
  const Program program = program_of(GetParam());
  const Tensors inputs = test_data(program);
  Team one(1), three(3, Team::Use::always), five(5, Team::Use::always);
  const Tensors expected = run_once(program, alone, inputs, one, {});
  for (Team* team : {&three, &five})
    EXPECT_TRUE(run_once(program, alone, inputs, *team,
                         {.plan = {.choice = PlanChoice::by_tiles}, .check_races = true}) == expected)
        << team->workers();
}

TEST(shared_lines_of_a_kernel, are_handed_out_once_in_whole_blocks) {
  std::vector<std::atomic<int>> runs(10);
  Opaque counting{[&](const kernel::Unit& unit) {
    EXPECT_EQ(unit.lines.begin % 4, 0);
    EXPECT_TRUE(unit.lines.end % 4 == 0 || unit.lines.end == 10);
    for (std::int64_t i = unit.lines.begin; i < unit.lines.end; ++i) ++runs[static_cast<std::size_t>(i)];
  }};
  counting.shared = {10, 1, 4};
  const Program program =
      test_program(alone, {{DType::f32, {10, 3}}},
                   [&](const Arrays& x) { return Builder::current().add(counting, {x[0]}); }, {{}});
  Team two(2, Team::Use::always);
  EXPECT_EQ(shared_steps(program), 1);
  (void)run_once(program, alone, test_data(program), two, {.plan = {.choice = PlanChoice::by_tiles}});
  for (const std::atomic<int>& of_line : runs)
    EXPECT_EQ(of_line, 3);  // run_once calls the program three times
}

}  // namespace
}  // namespace tutti
