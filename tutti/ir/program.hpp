// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tutti/ir/op.hpp"

namespace tutti::ops {

/// One op of a program: the variables that it reads, and those that it defines.
struct Equation {
  Op op;
  std::vector<Var> operands, results;
  Where where;  // what the user wrote that caused it; two equations are equal wherever they stand

  bool operator==(const Equation& other) const {
    return op == other.op && operands == other.operands && results == other.results;
  }
};

/// A program as a plain value: a flat list of equations over numbered variables, each assigned once.
/// Copy it, compare it, print it; every transform maps programs to programs.
struct Program {
  Types types;  // of each variable
  std::vector<Var> inputs;
  std::vector<Equation> equations;
  std::vector<Var> outputs;

  /// The type of a variable.
  Type type(Var var) const { return types[static_cast<std::size_t>(var)]; }
  /// The types of several variables.
  Types types_of(const std::vector<Var>& vars) const;
  bool operator==(const Program&) const = default;
};

/// True if an equation, or one of a program inside, has an effect.
bool has_effects(const Program& program);

/// The bytes of all equations, each run once.
Traffic traffic_of(const Program& program);

/// For the fields of ops: a program that is never changed again.
SubProgram shared(Program program);
/// The same programs, whoever holds them.
bool same_programs(const std::vector<SubProgram>& a, const std::vector<SubProgram>& b);

/// One equation a line, with types and places; sub-programs below their op.
std::string to_string(const Program& program);

/// Derives every type anew and compares. Throws I001 where the program says something else; also for a
/// variable that is used before it is assigned. Sub-programs are checked as well.
void check(const Program& program);

}  // namespace tutti::ops
