// SPDX-License-Identifier: Apache-2.0
#include "tutti/read/program/device_program.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/read/reading.hpp"

namespace tutti {

Program device_program(const SourceModule& source, const Mesh& mesh, Types inputs) {
  internal::require_no_errors(source);
  const stablehlo::Function* main = source.function("main");
  ensure(main && !main->body.operations.empty(), "the text has no @main");
  internal::require_all_run(source, *main);
  const stablehlo::Operation& map = main->body.operations[0];
  ensure(map.name == "sdy.manual_computation", "the body of one device is {}", map.name);
  // Some parameters do not enter: those without elements.
  std::vector<std::size_t> entered;
  for (const stablehlo::Value operand : map.operands)
    for (std::size_t i = 0; i < main->body.arguments.size(); ++i)
      if (main->body.arguments[i] == operand) entered.push_back(i);
  for (Type& type : inputs)
    for (const Axis& axis : mesh.axes())
      if (type.at(axis) == State::unreduced) type = type.with({axis}, State::varying);
  const auto body = [&](const Arrays& parameters) {
    const auto bound = Builder::current().bind(mesh.axes());
    Reading::Budget budget;
    Arrays arguments;
    for (const std::size_t i : entered) arguments.push_back(parameters[i]);
    return Reading({source, mesh}, budget, mesh.axes()).block(map.regions.at(0), arguments);
  };
  return trace(inputs, body).program;
}

}  // namespace tutti
