// SPDX-License-Identifier: Apache-2.0
// Threads that run at the same time keep apart what they write: callers of one executable, and workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "tests/run/harness.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/reshape.hpp"
#include "tutti/ops/transpose.hpp"
#include "tutti/tensor/products/product.hpp"

namespace tutti {
namespace {

std::shared_ptr<const GlobalArray> on_host(const Tensor& tensor) {
  return std::make_shared<const GlobalArray>(tensor);
}

// So many calls show a missing lock on every machine: it crashes, or gives another caller's
// result.
TEST(threads, get_the_results_of_their_own_calls_of_one_executable) {
  const Mesh mesh({{"a", 2}, {"b", 2}});
  Team team(2, Team::Use::always);
  Program program = test_program(mesh, {{DType::f32, {8, 3}, {mesh.axes()}}},
                                 [](const Arrays& x) { return Arrays{x[0] + 1.0, x[0] * x[0]}; },
                                 {{mesh.axes()}, {mesh.axes()}});
  Executable executable(program, mesh, team);
  std::vector<int> wrong(3);
  std::vector<std::thread> callers;
  for (std::size_t t = 0; t < wrong.size(); ++t)
    callers.emplace_back([&, t] {
      const Tensor data = test_data(DType::f32, {8, 3}, static_cast<int>(t));
      const auto argument = on_host(data);
      for (int call = 0; call < 3000; ++call) {
        const GlobalArrays results = executable.run(GlobalArrays{argument});
        const Tensor sum = results[0]->whole(), square = results[1]->whole();
        const auto at = call % data.elements();
        wrong[t] += sum.at(at) != data.at(at) + 1 || square.at(at) != data.at(at) * data.at(at);
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, std::vector<int>(3));
}

TEST(threads, of_a_team_do_not_share_the_scratch_of_products) {
  for (DType dtype :
       {DType::i32, DType::f16})  // on every processor: for the operand put in order, or widened
    EXPECT_GT(Product(dtype, {.m = 5, .n = 9, .k = 24, .b_transposed = true}).scratch_bytes(), 0U)
        << name(dtype);
  const Mesh mesh({{"a", 8}});
  Team one(1), two(2, Team::Use::always);
  for (DType dtype : {DType::i32, DType::f16, DType::f32, DType::f64, DType::complex64}) {
    Program program =
        test_program(mesh,
                     {{dtype, {8 * 5, 4, 6}, {mesh.axes()}}, {dtype, {24, 7}, {}}, {dtype, {9, 24}, {}}},
                     [](const Arrays& x) {
                       Array rows = reshape(transpose(x[0], {0, 2, 1}), {5, 24});
                       return Arrays{matmul(rows, x[1]), matmul(rows, transpose(x[2]))};
                     },
                     {{mesh.axes()}, {mesh.axes()}});
    const Tensors data = test_data(program);
    GlobalArrays arguments;
    std::ranges::transform(data, std::back_inserter(arguments), on_host);
    Executable alone(program, mesh, one),
        shared(program, mesh, two, {.plan = {.choice = PlanChoice::by_axis}});
    const GlobalArrays want = alone.run(arguments);
    int wrong = 0;
    for (int call = 0; call < 300; ++call) {
      const GlobalArrays found = shared.run(arguments);
      wrong += found[0]->whole() != want[0]->whole() || found[1]->whole() != want[1]->whole();
    }
    EXPECT_EQ(wrong, 0) << name(dtype);
  }
}

}  // namespace
}  // namespace tutti
