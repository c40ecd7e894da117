// SPDX-License-Identifier: Apache-2.0
#include "tests/support/differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tutti/ir/example.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {
Values computed_by(Oracle& peer, const Program& program, const Values& inputs) {
  std::string text = write(lower_per_device(program, example_mesh()));
  Verdict verdict = peer.run(text, example_mesh().devices(), inputs);
  EXPECT_EQ(verdict.errors, std::vector<std::string>{}) << text;
  EXPECT_EQ(verdict.failure, "") << text;
  return verdict.results;
}

bool communicates_in_a_loop(const Program& program) {
  for (const Equation& equation : program.equations) {
    const Op& op = equation.op;
    if ((op->name() == "scan" || op->name() == "while") && !op->communicates().empty()) return true;
    for (const SubProgram& inner : op->programs())
      if (communicates_in_a_loop(*inner)) return true;
  }
  return false;
}

Bounds exact() {
  return [](std::size_t, std::size_t, std::int64_t) { return 0.0; };
}

Bounds bounds_of_epsilons(const Values& results, double times) {
  return [&results, times](std::size_t k, std::size_t d, std::int64_t) {
    DType dtype = results[k][d].dtype();
    return is_inexact(dtype) ? times * epsilon(dtype) : 0.0;
  };
}

const Equation& equation_of_result(const Program& program, std::size_t k) {
  Var result = program.outputs[k];
  return *std::ranges::find_if(program.equations, [&](const Equation& equation) {
    return std::ranges::find(equation.results, result) != equation.results.end();
  });
}

std::string difference(const Program& program, const Values& ours, const Values& theirs,
                       const Bounds& bound) {
  if (theirs.size() != ours.size()) return "there are no results";
  for (std::size_t k = 0; k < ours.size(); ++k)
    for (std::size_t d = 0; d < ours[k].size(); ++d) {
      const Tensor x = in_parts(ours[k][d]), y = in_parts(theirs[k][d]);
      if (x == y) continue;
      if (x.shape() != y.shape() || x.dtype() != y.dtype()) return "the results have other types";
      for (std::int64_t i = 0; i < x.elements(); ++i) {
        double a = x.at(i), b = y.at(i);
        bool same = (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
        double apart = bound(k, d, i);
        if (same || (apart > 0 && std::abs(a - b) <= apart)) continue;
        return fmt::format("{}: element {} on device {} is {} here, {} there; {} apart are allowed",
                           to_string(equation_of_result(program, k).op), i, d, a, b, apart);
      }
    }
  return {};
}

}  // namespace tutti
