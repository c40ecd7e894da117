// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/lower.hpp"

#include "tutti/lower/manual_module.hpp"

namespace tutti {

stablehlo::Module lower_per_device(const Program& program, const Mesh& mesh) {
  FunctionEmitter emitter(mesh);
  ManualModule module(mesh, emitter);
  std::vector<stablehlo::Value> values(program.types.size());
  auto value = [&](Var var) -> stablehlo::Value& { return values[static_cast<std::size_t>(var)]; };
  auto unsharded_type = [&](Type type) { return unsharded(mesh, type.rank()); };
  for (Var var : program.inputs) {
    Type type = program.type(var);
    value(var) = module.enter(module.argument(type), type, unsharded_type(type));
  }
  for (const Equation& equation : program.equations) {
    Lowered operands;
    for (Var var : equation.operands) operands.push_back(value(var));
    Lowered results = emitter.lower(equation, operands, program.types_of(equation.operands),
                                    program.types_of(equation.results));
    for (std::size_t i = 0; i < results.size(); ++i) value(equation.results[i]) = results[i];
  }
  for (Var var : program.outputs)
    module.leave(value(var), program.type(var), unsharded_type(program.type(var)));
  return std::move(module).finish();
}

}  // namespace tutti
