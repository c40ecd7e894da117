// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/generated_drafts.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>

namespace tutti::generated {

void showValue(const Draft& draft, std::ostream& out) { out << to_string(draft); }

namespace {

rc::Gen<Draft> drafts(const std::vector<int>& mesh) {
  return rc::Gen<Draft>([mesh](const rc::Random& random, int size) {
    rc::Random source = random;
    std::uint64_t seed = source.next();
    for (int axis : mesh) seed = seed * 31 + static_cast<std::uint64_t>(axis);  // other drafts for every mesh
    auto shrinks = [](const Draft& draft) { return rc::seq::fromContainer(simpler(draft)); };
    return rc::shrinkable::shrinkRecur(drawn(mesh, 2 + size / 10, seed), shrinks);
  });
}

/// RapidCheck's own one reads the environment and prints another seed than ours.
class Silent : public rc::detail::TestListener {
  void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
};

}  // namespace

Trials trials_from_environment(int programs) {
  rc::detail::Configuration defaults;
  Trials trials;
  defaults.testParams.seed = trials.seed;
  defaults.testParams.maxSuccess = programs;
  const char* given = std::getenv("RC_PARAMS");
  rc::detail::TestParams params = rc::detail::configFromString(given ? given : "", defaults).testParams;
  return {params.seed, params.maxSuccess};
}

std::string found_and_shrunken(const std::vector<int>& mesh, const Trials& trials,
                               const std::function<std::string(const Draft&)>& broken) {
  std::string first,
      latest;  // what was broken: in the first draft that broke anything, in the last one tried
  auto property = [&] {
    const Draft draft = *drafts(mesh);
    latest = broken(draft);
    if (latest.empty()) return;
    if (first.empty()) first = to_string(draft) + "\n" + latest;
    RC_FAIL(latest);
  };
  rc::detail::TestParams params{.seed = trials.seed, .maxSuccess = trials.programs};
  Silent silent;
  rc::detail::TestResult result =
      rc::detail::checkTestable(property, rc::detail::TestMetadata{}, params, silent);
  if (result.is<rc::detail::SuccessResult>()) return {};
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  // The message is about one more run of the shrunken draft; if that breaks nothing, it does not say what was
  // broken.
  if (latest.empty()) text << "\nThis does not repeat. The first failure:\n" << first << "\n";
  return text.str();
}

void expect_none(const std::vector<int>& mesh, const Trials& trials,
                 const std::function<std::string(const Draft&)>& broken) {
  std::string found = found_and_shrunken(mesh, trials, broken);
  if (found.empty()) return;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  ADD_FAILURE()
      << found
      << fmt::format(
             "\nRC_PARAMS='seed={} max_success={}' build/release/bin/soundness_tests --gtest_filter='{}.{}'",
             trials.seed, trials.programs, test.test_suite_name(), test.name());
}

}  // namespace tutti::generated
