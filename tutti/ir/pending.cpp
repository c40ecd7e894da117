// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/pending.hpp"

#include <algorithm>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

[[noreturn]] void refuse(const Equation& at, const std::string& message, const Equation& start) {
  std::vector<std::string> notes;
  if (start.where.known() && to_string(start.where) != to_string(at.where))
    notes.push_back("it was started at " + to_string(start.where));
  throw Error(Code::future, at.where, message, notes);
}

}  // namespace

void require_finished(const Program& program) {
  std::vector<const Equation*> use(program.types.size());
  auto used_by = [&](Var var) -> const Equation*& { return use[static_cast<std::size_t>(var)]; };
  std::vector<const Equation*> makers(program.types.size());
  for (const Equation& equation : program.equations) {
    for (Var var : equation.results) makers[static_cast<std::size_t>(var)] = &equation;
    for (Var var : equation.operands) {
      const Equation* start = makers[static_cast<std::size_t>(var)];
      if (!start || !program.type(var).in_flight()) continue;
      if (used_by(var))
        refuse(equation,
               "this future was used before, at " + to_string(used_by(var)->where) +
                   "; finish it once, and use the array that .done() returned, or the future that "
                   "optimization_barrier returned",
               *start);
      if (!equation.op->programs().empty())
        refuse(equation, "a future cannot enter this function; call .done() before, and hand it the array",
               *start);
      if (!equation.op->takes_pending())
        refuse(equation,
               "only .done() and optimization_barrier take a future; call .done() first, and use the array",
               *start);
      used_by(var) = &equation;
    }
  }
  for (const Equation& equation : program.equations)
    for (Var var : equation.results) {
      if (!program.type(var).in_flight()) continue;
      if (std::ranges::find(program.outputs, var) != program.outputs.end())
        refuse(equation,
               "this future leaves the function that starts it; call .done() there, and return the array",
               equation);
      if (!used_by(var))
        refuse(equation,
               "this future is never finished; call .done(), or precv of what psend sent, in the same "
               "function",
               equation);
    }
}

}  // namespace tutti
