// SPDX-License-Identifier: Apache-2.0
// Drafts as RapidCheck draws and shrinks them.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/soundness/draft.hpp"

namespace tutti::generated {

/// How many programs, from which seed. The seed is fixed, so that everybody tries the same ones; RC_PARAMS in
/// the environment says otherwise: RC_PARAMS="seed=7 max_success=5000".
struct Trials {
  std::uint64_t seed = 20'251'121;
  int programs = 250;
};
Trials trials_from_environment(int programs);

/// Fails with the shrunken draft, its program and the seed if `broken` says how one of the drafts breaks a
/// law.
void expect_none(const std::vector<int>& mesh, const Trials& trials,
                 const std::function<std::string(const Draft&)>& broken);

/// The shrunken draft that `broken` finds; empty if it finds none.
std::string found_and_shrunken(const std::vector<int>& mesh, const Trials& trials,
                               const std::function<std::string(const Draft&)>& broken);

}  // namespace tutti::generated
