// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tutti/base/inside.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ir/example.hpp"
#include "tutti/ir/program.hpp"

namespace tutti {

/// An op of the tests that lowers as the test says and has no other rule.
struct Scripted {
  static constexpr std::string_view name = "scripted";
  static constexpr About about{"A test's op.", ""};
  static constexpr Refused jvp{"a test's op"}, transpose{"a test's op"}, batch{"a test's op"};

  Types results;
  std::function<Lowered(Emitter&, const Lowered&)> script;

  Parameters parameters() const { return {}; }
  Mixing mixing() const { return Mixing::own; }
  Types infer(const Types&) const { return results; }
  Kernel kernel(const Layout&) const { return kernel::View{}; }
  Lowered lower(Emitter& emitter, const Lowered& operands) const { return script(emitter, operands); }
  static std::vector<Example> examples() { return {}; }
  bool operator==(const Scripted& other) const { return results == other.results; }
};
static_assert(complete<Scripted>());

/// A program of equations in a row: each has all inputs and earlier results before it.
class ProgramOf {
 public:
  Var input(Type type) {
    program_.inputs.push_back(variable(type));
    return program_.inputs.back();
  }
  Var equation(Type result, std::vector<Var> operands,
               std::function<Lowered(Emitter&, const Lowered&)> script) {
    Var var = variable(result);
    program_.equations.push_back(
        {Scripted{{result}, std::move(script)}, std::move(operands), {var}, {"model.cpp", 7, 3}});
    return var;
  }
  Program returning(std::vector<Var> outputs) {
    program_.outputs = std::move(outputs);
    return program_;
  }

 private:
  Var variable(Type type) {
    program_.types.push_back(type);
    return static_cast<Var>(program_.types.size()) - 1;
  }
  Program program_;
};

}  // namespace tutti
