// SPDX-License-Identifier: Apache-2.0
#include "tests/soundness/peers.hpp"

#include <fmt/format.h>

#include <gtest/gtest.h>

#include <cmath>

#include "tests/soundness/laws.hpp"
#include "tests/support/values.hpp"
#include "tutti/base/error.hpp"
#include "tutti/run/on_machine.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti::generated {
namespace {

using Values = std::vector<PerDevice>;

/// Joins programs into one, so that XLA compiles once.
Program side_by_side(const std::vector<Program>& programs) {
  Program all;
  for (const Program& program : programs) {
    auto offset = static_cast<Var>(all.types.size());
    auto shifted = [&](std::vector<Var> vars) {
      for (Var& var : vars) var += offset;
      return vars;
    };
    auto append = [&](std::vector<Var>& to, const std::vector<Var>& vars) {
      for (Var var : shifted(vars)) to.push_back(var);
    };
    all.types.insert(all.types.end(), program.types.begin(), program.types.end());
    append(all.inputs, program.inputs);
    append(all.outputs, program.outputs);
    for (Equation equation : program.equations) {
      equation.operands = shifted(equation.operands);
      equation.results = shifted(equation.results);
      all.equations.push_back(std::move(equation));
    }
  }
  return all;
}

/// The program; for every second one its gradient by all inputs, unless that is refused.
Program tried(const Draft& draft) {
  Program program = written(draft).program;
  if (draft.values % 2 == 0) return program;
  try {
    return vjp(program, Bits(program.inputs.size(), true));
  } catch (const Error& error) {
    if (error.code() != Code::refused_rule) throw;
    return program;
  }
}

// A program has fewer than 1,000 equations on numbers near 1. XLA's error in each is at most 128 roundings
// (log1p, tests/oracle), and later equations magnify it at most 30 times: 1,000 * 128 * 30 * 2^-52 < 1e-9.
constexpr double bound = 1e-9;

std::string difference(const Values& ours, const Values& theirs) {
  if (ours.size() != theirs.size()) return fmt::format("{} results for {}", theirs.size(), ours.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (std::size_t device = 0; device < ours[i].size(); ++device)
      for (std::int64_t e = 0; e < ours[i][device].elements(); ++e) {
        double x = ours[i][device].at(e), y = theirs[i][device].at(e);
        if (!(std::abs(x - y) <= bound * std::max(1.0, std::abs(x))))
          return fmt::format("output {} on device {}, element {}: {} here, {} there", i, device, e, x, y);
      }
  return {};
}

std::string differs(const std::vector<Program>& programs, const Mesh& mesh, std::uint64_t seed,
                    const Peer& peer) {
  Program program = side_by_side(programs);
  Random random(seed);
  std::vector<ExampleOperand> operands;
  for (Type type : program.types_of(program.inputs)) operands.emplace_back(type, -1, 1);
  Values inputs = random_values(random, operands, Numbers::any, mesh);
  const Answer answer = peer(program, mesh, inputs);
  if (!answer.failure.empty()) return answer.failure;
  return difference(run_on_machine(program, mesh, inputs), answer.results);
}

/// Describes the differences and the programs that have them. Tries each program again alone, with other
/// values.
std::string differing(const std::vector<Draft>& drafts, std::uint64_t seed, const Peer& peer) {
  std::vector<Program> programs;
  for (const Draft& draft : drafts) programs.push_back(tried(draft));
  Mesh mesh = written(drafts[0]).mesh;
  std::string found = differs(programs, mesh, seed, peer);
  if (found.empty()) return {};
  for (std::size_t i = 0; i < programs.size(); ++i)
    for (std::uint64_t other = 0; other < 3; ++other)
      if (std::string alone = differs({programs[i]}, mesh, seed + other, peer); !alone.empty())
        return alone + "\n" + to_string(drafts[i]) + "\n" + to_string(programs[i]);
  found += "\nNone of these differs alone:";
  for (const Draft& draft : drafts) found += "\n" + to_string(draft);
  return found;
}

}  // namespace

void expect_same_numbers(const Trials& trials, std::uint64_t seed, const Peer& peer) {
  constexpr std::size_t together = 10;
  const std::vector<std::vector<int>> meshes{{4}, {2, 2}, {3, 2}, {2, 4}, {2, 2, 2}};
  for (std::size_t tried_so_far = 0; tried_so_far < static_cast<std::size_t>(trials.programs);
       tried_so_far += together, ++seed) {
    std::vector<Draft> drafts;
    while (drafts.size() < together) {
      drafts.push_back(
          drawn(meshes[tried_so_far / together % meshes.size()], 6, seed * together + drafts.size()));
      drafts.back().dtype = DType::f64;
    }
    EXPECT_EQ(differing(drafts, seed, peer), "") << "seed " << trials.seed;
  }
}

}  // namespace tutti::generated
