// SPDX-License-Identifier: Apache-2.0
// The examples of every op, written as StableHLO and read again, give the same bits.
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "tests/support/example_programs.hpp"
#include "tests/support/halves.hpp"
#include "tests/support/read_back.hpp"
#include "tutti/base/error.hpp"
#include "tutti/run/on_machine.hpp"

namespace tutti::ops {
void PrintTo(const OpRow& row, std::ostream* out) { *out << row.name; }
}  // namespace tutti::ops

namespace tutti {
namespace {

/// Ops whose text gives other bits, with the reason.
const std::map<std::string, std::string>& other_bits() {
  static const std::string several = "the text computes it by several functions";
  static const std::map<std::string, std::string> all{{"exp2", several},
                                                      {"log10", several},
                                                      {"log2", several},
                                                      {"xla_erf_inv", "it is read as erf_inv"}};
  return all;
}

/// Ops whose text is not run, with the reason.
const std::map<std::string, std::string>& not_run() {
  static const std::map<std::string, std::string> all{{"cumlogsumexp", "a window by log(exp(x) + exp(y))"}};
  return all;
}

class round_trip : public testing::TestWithParam<OpRow> {};

TEST_P(round_trip, gives_the_same_bits) {
  for (const Example& example : GetParam().examples) {
    const Program program = program_of({example});
    const Values inputs = random_inputs({example});
    try {
      const Program again = read_back(program, example_mesh());
      const Values ours = run_on_machine(program, example_mesh(), inputs);
      if (run_on_machine(again, example_mesh(), inputs) == ours) continue;
      EXPECT_TRUE(other_bits().contains(GetParam().name)) << to_string(program) << to_string(again);
    } catch (const Error& error) {
      EXPECT_TRUE(error.label() == "S002" && not_run().contains(GetParam().name)) << error.what() << "\n"
                                                                                  << to_string(program);
    }
  }
}

std::string name_of(const testing::TestParamInfo<OpRow>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(all, round_trip, testing::ValuesIn(lowered_ops()), name_of);

}  // namespace
}  // namespace tutti
