// SPDX-License-Identifier: Apache-2.0
// A program seen as a function that is linear in some of its inputs: what is known of it, and what is linear.
#pragma once

#include "tutti/transform/replay.hpp"

namespace tutti {

/// One equation that depends on a linear input. Operands are known arrays, or variables of the program
/// walked.
struct LinearEquation {
  struct Operand {
    std::optional<Array> known;
    Var var = -1;
  };
  Op op;
  std::vector<Operand> operands;
  std::vector<Var> results;
  Where where;
};

/// Walks `program`: equations of known values are recorded in the current builder, the others are returned.
/// `linear` says which variables are linear, `known` holds the values of those that are not; both are filled
/// in.
std::vector<LinearEquation> walk_linear_part(const Program& program, PerVar<bool>& linear,
                                             PerVar<Array>& known);

/// Transposes the equations, last first, in the current builder: cotangents of results become cotangents of
/// operands.
/// After every rule a cotangent has exactly the dual type of its variable (I001 else).
void transpose_linear_part(const Program& program, const std::vector<LinearEquation>& equations,
                           PerVar<std::optional<Array>>& cotangents);

}  // namespace tutti
