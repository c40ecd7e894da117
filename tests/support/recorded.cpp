// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recorded.hpp"

#include "tutti/api/derivatives.hpp"

namespace tutti {

Program recorded(const Types& types, const std::function<Arrays(const Arrays&)>& function) {
  Program program = trace(types, function).program;
  check(program);
  return program;
}

Program gradient_of(const Types& types, const std::function<Array(const Arrays&)>& loss) {
  return recorded(types, [&](const Arrays& x) { return grad([&](const Arrays& y) { return loss(y); })(x); });
}

int count(const Program& program, std::string_view op) {
  int found = 0;
  for (const Equation& equation : program.equations) {
    found += equation.op->name() == op ? 1 : 0;
    for (const SubProgram& inner : equation.op->programs()) found += count(*inner, op);
  }
  return found;
}

}  // namespace tutti
