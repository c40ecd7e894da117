// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/print.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/tensor/tensor.hpp"

namespace tutti {

class Child;

/// The answers of the real StableHLO parser and XLA to one text.
struct Verdict {
  std::vector<std::string> errors;  // of the parser and verifier: "line:column message"
  std::string failure;              // why XLA did not run it; also a crash, or no answer in time
  std::vector<Tensors> results;     // [result][device]
};

/// A Python process with the jax wheel, asked over a socket. It takes 0.2 s to start, 0.7 s more before it
/// first runs something: ask one process many times. A process that dies or stands still fails the question
/// it was asked; the next question starts another.
class Oracle {
 public:
  static constexpr int default_limit_ms = 60'000;

  /// `command` speaks as tests/oracle/oracles.py does; `environment`: NAME=value.
  explicit Oracle(std::vector<std::string> command, int limit_ms = default_limit_ms,
                  std::vector<std::string> environment = {});
  ~Oracle();
  /// The one that all tests of this process share: .venv/bin/python of the repository, or $TUTTI_PYTHON.
  static Oracle& shared();
  /// StableHLO's reference interpreter; likewise. It runs only what `lower_per_device` writes.
  static Oracle& interpreter();

  /// Why it cannot be asked; empty if it can.
  std::string missing();
  /// Is the text legal? Fills `errors`.
  Verdict check(const std::string& text);
  /// Checks the text and runs it; inputs[k][d] is argument k on device d.
  Verdict run(const std::string& text, int devices, const std::vector<Tensors>& inputs);
  /// The `results` of a function of tests/oracle/jax_functions.py, one part each.
  Verdict run_jax(const std::string& function, const Tensors& arguments);
  /// Those of `functions` that are not among the functions there, and the other way round.
  std::vector<std::string> without_twin(const std::vector<std::string>& functions);
  /// For each function of the module `text` what Shardy makes of its reshard: see collectives_of in
  /// oracles.py.
  std::vector<std::string> reshards(const std::string& text);
  /// The errors of the first text that is not legal, or how the modules differ when MLIR prints them.
  std::vector<std::string> differences(const std::vector<std::string>& texts);

 private:
  std::string start();
  Verdict verdict_on(const std::string& question);

  std::vector<std::string> command_, environment_;
  int limit_ms_;
  std::unique_ptr<Child> child_;
};

/// Tests that need Oracle::shared(). Without it they are skipped with the reason, or fail if
/// TUTTI_REQUIRE_ORACLES=1.
class OracleTest : public testing::Test {
 protected:
  void SetUp() override;
};

}  // namespace tutti
