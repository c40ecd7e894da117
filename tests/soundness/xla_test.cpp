// SPDX-License-Identifier: Apache-2.0
// Generated programs, and gradients of them, as XLA computes what they lower to, on as many devices.
#include "tests/soundness/peers.hpp"
#include "tests/support/oracle.hpp"
#include "tests/xla/real_plugin.hpp"
#include "tutti/base/error.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti::generated {
namespace {

class generated_in_xla : public OracleTest {};

TEST_F(generated_in_xla, give_the_same_numbers) {
  const Trials trials = trials_from_environment(100);
  expect_same_numbers(trials, trials.seed, [](const auto& program, const Mesh& mesh, const auto& inputs) {
    Verdict verdict = Oracle::shared().run(write(lower_per_device(program, mesh)), mesh.devices(), inputs);
    return Answer{verdict.errors.empty() ? verdict.failure : verdict.errors[0], std::move(verdict.results)};
  });
}

using generated_on_xla = xla::RealXla;

// Other programs than those above.
TEST_F(generated_on_xla, give_the_same_numbers) {
  const Trials trials = trials_from_environment(50);
  expect_same_numbers(trials, trials.seed + 1000,
                      [](const auto& program, const Mesh& mesh, const auto& inputs) -> Answer {
                        try {
                          return {"", run_on_machine(program, inputs, *xla::RealXla::backend(mesh))};
                        } catch (const Error& error) {
                          return {error.what(), {}};
                        }
                      });
}

}  // namespace
}  // namespace tutti::generated
