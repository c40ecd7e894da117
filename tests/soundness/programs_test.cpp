// SPDX-License-Identifier: Apache-2.0
// Every law on generated programs, on meshes of 1 to 8 devices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "tests/soundness/generated_drafts.hpp"
#include "tests/soundness/laws.hpp"
#include "tutti/base/error.hpp"

namespace tutti::generated {
namespace {

std::string broken_by(const Draft& draft, Inputs inputs,
                      const std::function<std::string(const Written&)>& broken) {
  try {
    return broken(written(draft, inputs));
  } catch (const Error& error) {
    return std::string("every draft is a program: ") + error.what();
  }
}

class generated_programs : public testing::TestWithParam<std::vector<int>> {};

TEST_P(generated_programs, meet_all_laws) {
  Tally tally;
  Trials trials = trials_from_environment(250);
  expect_none(GetParam(), trials, [&](const Draft& draft) {
    return broken_by(draft, Inputs::few_elements,
                     [&](const Written& made) { return broken_law(made, draft.values, tally); });
  });
  std::cout << fmt::format("seed {}: {} programs, {} slopes, {} kinks, {} transposes refused\n", trials.seed,
                           tally.programs, tally.derivatives, tally.kinks, tally.no_transposes);
  EXPECT_LE(tally.kinks, tally.derivatives / 20);
  EXPECT_LE(tally.no_transposes, tally.programs / 4);
}

TEST_P(generated_programs, give_the_bits_of_the_definition_where_the_last_tile_is_cut_short) {
  Trials trials = trials_from_environment(250);
  trials.programs = (trials.programs + 9) / 10;  // they take longer
  expect_none(GetParam(), trials, [&](const Draft& draft) {
    return broken_by(draft, Inputs::more_than_a_tile,
                     [&](const Written& made) { return broken_law_of_running(made, draft.values); });
  });
}

INSTANTIATE_TEST_SUITE_P(meshes, generated_programs,
                         testing::Values(std::vector<int>{1}, std::vector<int>{3}, std::vector<int>{4},
                                         std::vector<int>{2, 2}, std::vector<int>{1, 3},
                                         std::vector<int>{3, 2}, std::vector<int>{2, 4},
                                         std::vector<int>{2, 2, 2}),
                         [](const auto& instance) {
                           return fmt::format("{}", fmt::join(instance.param, "x"));
                         });

}  // namespace
}  // namespace tutti::generated
