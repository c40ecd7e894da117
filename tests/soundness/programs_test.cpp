// SPDX-License-Identifier: Apache-2.0
// Every law on generated programs, on meshes of 1 to 8 devices.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/soundness/generated_drafts.hpp"
#include "tests/soundness/laws.hpp"
#include "tutti/base/error.hpp"

namespace tutti::generated {
namespace {

std::string broken_by(const Draft& draft, Tally& tally) {
  try {
    return broken_law(written(draft), draft.values, tally);
  } catch (const Error& error) {
    return std::string("every draft is a program: ") + error.what();
  }
}

class generated_programs : public testing::TestWithParam<std::vector<int>> {};

TEST_P(generated_programs, meet_all_laws) {
  Tally tally;
  Trials trials = trials_from_environment(250);
  expect_none(GetParam(), trials, [&](const Draft& draft) { return broken_by(draft, tally); });
  std::cout << fmt::format("seed {}: {} programs, {} slopes, {} kinks, {} transposes refused\n", trials.seed,
                           tally.programs, tally.derivatives, tally.kinks, tally.no_transposes);
  EXPECT_LE(tally.kinks, tally.derivatives / 20);
  EXPECT_LE(tally.no_transposes, tally.programs / 4);
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
