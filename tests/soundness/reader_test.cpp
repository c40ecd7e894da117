// SPDX-License-Identifier: Apache-2.0
// Generated programs, and gradients of them, written as StableHLO and read again.
#include <gtest/gtest.h>

#include "tests/soundness/peers.hpp"
#include "tests/support/read_back.hpp"
#include "tutti/base/error.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti::generated {
namespace {

/// A text does not say that a value is assumed to be equal, and where devices go one way by it.
bool assumes(const Program& program) {
  return to_string(program).find("assume_invariant") != std::string::npos;
}

TEST(generated_and_read, give_the_same_numbers) {
  const Trials trials = trials_from_environment(500);
  expect_same_numbers(trials, trials.seed + 2000,
                      [](const auto& program, const Mesh& mesh, const auto& inputs) -> Answer {
                        try {
                          return {"", run_on_machine(read_back(program, mesh), mesh, inputs)};
                        } catch (const Error& error) {
                          if (error.label() == "T004" && assumes(program))
                            return {"", run_on_machine(program, mesh, inputs)};
                          return {error.what(), {}};
                        }
                      });
}

}  // namespace
}  // namespace tutti::generated
