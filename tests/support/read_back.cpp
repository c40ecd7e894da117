// SPDX-License-Identifier: Apache-2.0
#include "tests/support/read_back.hpp"

#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/read/program/module_program.hpp"
#include "tutti/read/reading.hpp"
#include "tutti/stablehlo/write/write.hpp"

namespace tutti {

Program read_back(const Program& program, const Mesh& mesh) {
  const SourceModule source(stablehlo::write(lower_per_device(program, mesh)), "written");
  require_no_errors(source);
  const stablehlo::Function& main = *source.function("main");
  require_all_run(source, main);
  const stablehlo::Operation& map = main.body.operations.at(0);
  ensure(map.name == "sdy.manual_computation", "the body of one device is {}", map.name);
  const stablehlo::Block& body = map.regions.at(0);
  // Some parameters do not enter: those without elements.
  std::vector<std::size_t> entered;
  for (const stablehlo::Value operand : map.operands)
    for (std::size_t i = 0; i < main.body.arguments.size(); ++i)
      if (main.body.arguments[i] == operand) entered.push_back(i);
  Types types = program.types_of(program.inputs);
  for (Type& type : types)
    for (const Axis& axis : mesh.axes())
      if (type.at(axis) == State::unreduced) type = type.with({axis}, State::varying);
  return trace(types,
               [&](const Arrays& inputs) {
                 const auto bound = Builder::current().bind(mesh.axes());
                 Reading::Budget budget;
                 Arrays arguments;
                 for (const std::size_t i : entered) arguments.push_back(inputs[i]);
                 return Reading({source, mesh}, budget, mesh.axes()).block(body, arguments);
               })
      .program;
}

}  // namespace tutti
