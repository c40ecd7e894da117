// SPDX-License-Identifier: Apache-2.0
#include "tutti/ir/program.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/base/short_place.hpp"

namespace tutti {
namespace {

std::string typed(const Program& program, Var var) {
  return fmt::format("%{}: {}", var, to_string(program.type(var)));
}

template <class F>
std::string listed(const std::vector<Var>& vars, F text_of) {
  std::string text;
  for (Var var : vars) text += (text.empty() ? "" : ", ") + text_of(var);
  return text;
}

std::string number(Var var) { return fmt::format("%{}", var); }

std::string indented(const std::string& text) {
  std::string result;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    result += "    " + text.substr(begin, end - begin) + "\n";
  }
  return result;
}

}  // namespace

Types Program::types_of(const std::vector<Var>& vars) const {
  Types found;
  for (Var var : vars) found.push_back(type(var));
  return found;
}

SubProgram ops::shared(Program program) { return std::make_shared<const Program>(std::move(program)); }

bool ops::has_effects(const Program& program) {
  return std::ranges::any_of(program.equations, [](const Equation& e) { return e.op->has_effect(); });
}

Traffic ops::traffic_of(const Program& program) {
  Traffic all;
  for (const Equation& equation : program.equations)
    all = all + equation.op->traffic(program.types_of(equation.operands));
  return all;
}

bool ops::same_programs(const std::vector<SubProgram>& a, const std::vector<SubProgram>& b) {
  return std::ranges::equal(a, b,
                            [](const SubProgram& x, const SubProgram& y) { return x == y || *x == *y; });
}

std::string ops::to_string(const Program& program) {
  auto with_type = [&](Var var) { return typed(program, var); };
  std::string text = "program(" + listed(program.inputs, with_type) + ") {\n";
  for (const Equation& equation : program.equations) {
    std::string line = "  " + listed(equation.results, with_type) + " = " + to_string(equation.op);
    if (!equation.operands.empty()) line += " " + listed(equation.operands, number);
    if (equation.where.known())
      line += fmt::format("{:>{}}// {}", "", line.size() < 76 ? 76 - line.size() : 2,
                          short_place(equation.where));
    text += line + "\n";
    for (const SubProgram& inner : equation.op->programs()) text += indented(to_string(*inner));
  }
  return text + "  return " + listed(program.outputs, number) + "\n}\n";
}

void ops::check(const Program& program) {
  std::vector<bool> assigned(program.types.size());
  auto assign = [&](Var var) { assigned[static_cast<std::size_t>(var)] = true; };
  auto require_assigned = [&](Var var) {
    ensure(assigned[static_cast<std::size_t>(var)], "checker: %{} is used before it is assigned", var);
  };
  for (Var var : program.inputs) assign(var);
  for (const Equation& equation : program.equations) {
    for (Var var : equation.operands) require_assigned(var);
    Types inferred = equation.op->infer(program.types_of(equation.operands));
    Types stated = program.types_of(equation.results);
    ensure(inferred.size() == stated.size(), "checker: {} has {}, the program says {}", equation.op->name(),
           counted(std::ssize(inferred), "result"), stated.size());
    for (std::size_t i = 0; i < inferred.size(); ++i)
      if (inferred[i] != stated[i])
        fail(Code::internal, "checker: {} infers {}, the program says {}", equation.op->name(),
             to_string(inferred[i]), to_string(stated[i]));
    for (Var var : equation.results) assign(var);
    for (const SubProgram& inner : equation.op->programs()) check(*inner);
  }
  for (Var var : program.outputs) require_assigned(var);
}

}  // namespace tutti
