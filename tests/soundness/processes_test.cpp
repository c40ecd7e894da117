// SPDX-License-Identifier: Apache-2.0
// Generated programs on many processes: on every grid the bits are those of one process.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <gtest/gtest.h>

#include "tests/soundness/generated_drafts.hpp"
#include "tests/soundness/written.hpp"
#include "tests/support/many_processes.hpp"
#include "tests/support/programs.hpp"
#include "tutti/base/error.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti::generated {
namespace {

std::string broken_on_a_grid(const Written& made, std::uint64_t seed) {
  const std::vector<PerDevice> inputs = drawn_inputs(made.program, made.mesh, seed);
  const std::vector<PerDevice> expected = run_on_machine(made.program, made.mesh, inputs, {});
  for (const Processes::Split& grid : grids_of(made.mesh)) {
    ManyProcesses processes{boxes_of(grid), grid, seed % 2 == 0 ? std::vector{1, 2} : std::vector{2, 1, 1}};
    if (seed % 3 == 0) processes.largest_whole_fold = 0;  // folds in chunks
    if (seed % 4 < 2) processes.most_looks = 40;
    const auto what = [&] { return "the bits of one process on " + grid_name(grid); };
    try {
      if (run_on_processes(made.program, made.mesh, inputs, processes,
                           {.plan = {.least_assembled_bytes = 0}, .check_races = true}) != expected)
        return what() + "\n" + to_string(made.program);
    } catch (const Error& error) {
      return what() + ": " + error.what() + "\n" + to_string(made.program);
    }
  }
  return {};
}

class generated_on_processes : public testing::TestWithParam<std::vector<int>> {};
TEST_P(generated_on_processes, give_the_bits_of_one_process) {
  expect_none(GetParam(), trials_from_environment(60), [](const Draft& draft) {
    return broken_on_a_grid(written(draft, Inputs::few_elements), draft.values);
  });
}
INSTANTIATE_TEST_SUITE_P(meshes, generated_on_processes,
                         testing::Values(std::vector<int>{4}, std::vector<int>{2, 2}, std::vector<int>{3, 2},
                                         std::vector<int>{6}, std::vector<int>{2, 2, 2},
                                         std::vector<int>{6, 2}),
                         [](const auto& instance) {
                           return fmt::format("{}", fmt::join(instance.param, "x"));
                         });

}  // namespace
}  // namespace tutti::generated
