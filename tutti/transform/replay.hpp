// SPDX-License-Identifier: Apache-2.0
// For transforms: values of a program while it is walked, and the place and name that errors of its rules
// get.
#pragma once

#include "tutti/base/error.hpp"
#include "tutti/base/inside.hpp"
#include "tutti/ir/builder.hpp"

namespace tutti {

/// One flag per input or output of a program.
using Bits = std::vector<bool>;

/// Something per variable of a program.
template <class T>
class PerVar {
 public:
  explicit PerVar(const Program& program, const T& initial = {}) : values_(program.types.size(), initial) {}
  decltype(auto) operator[](Var var) { return values_[static_cast<std::size_t>(var)]; }
  std::vector<T> of(const std::vector<Var>& vars) const {
    std::vector<T> found;
    for (Var var : vars) found.push_back(values_[static_cast<std::size_t>(var)]);
    return found;
  }

 private:
  std::vector<T> values_;
};

/// Runs `rule` for one equation: what it records carries the equation's place, and its errors that and the
/// op's name.
template <class F>
auto replay(const Equation& equation, F&& rule) {
  auto place = Builder::current().replaying(equation);
  try {
    return rule();
  } catch (const Error& error) {
    throw error.at(equation.where, equation.op->name());
  }
}

/// The equation again in the current builder, on other operands.
inline Arrays repeat(const Equation& equation, const Arrays& operands) {
  return replay(equation, [&] { return Builder::current().add(equation.op, operands); });
}

}  // namespace tutti
