// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/manual_module.hpp"

#include "tutti/lower/spelling.hpp"

namespace tutti {
namespace {

stablehlo::Operation terminator(const char* name, std::vector<stablehlo::Value> values,
                                std::vector<stablehlo::ValueType> types) {
  stablehlo::Operation operation;
  operation.name = name;
  operation.operands = std::move(values);
  operation.operand_types = std::move(types);
  return operation;
}

stablehlo::Attributes placement(const std::optional<Sharding>& placed) {
  if (!placed) return {};
  return {{"sdy.sharding", sharding_attribute(*placed)}};
}

}  // namespace

stablehlo::Value ManualModule::argument(Type type, const std::optional<Sharding>& placed) {
  argument_attributes_.push_back(placement(placed));
  outside_.argument_types.push_back(tensor_type(type));
  outside_.arguments.push_back(emitter_.new_value(tensor_type(type)));
  return outside_.arguments.back();
}

stablehlo::Value ManualModule::enter(stablehlo::Value outside, Type local, const Sharding& sharding) {
  // XLA folds parameters without elements away, then misses them at the border (jax 0.10.2).
  if (local.elements() == 0) return emitter_.constant(Tensor(local.shape(), local.dtype()));
  entering_.values.push_back(outside);
  entering_.types.push_back(emitter_.type_of(outside));
  entering_.shardings.push_back(sharding);
  inside_.argument_types.push_back(tensor_type(local));
  inside_.arguments.push_back(emitter_.new_value(tensor_type(local)));
  return inside_.arguments.back();
}

void ManualModule::leave(stablehlo::Value inside, Type outside, const Sharding& sharding,
                         const std::optional<Sharding>& placed) {
  result_attributes_.push_back(placement(placed));
  leaving_.values.push_back(inside);
  leaving_.types.push_back(tensor_type(outside));
  leaving_.shardings.push_back(sharding);
}

stablehlo::Module ManualModule::finish() && {
  std::vector<stablehlo::ValueType> inside_types;
  for (stablehlo::Value value : leaving_.values) inside_types.push_back(emitter_.type_of(value));
  inside_.operations = emitter_.take();
  inside_.operations.push_back(terminator("sdy.return", leaving_.values, std::move(inside_types)));

  stablehlo::Operation body = manual_computation(std::move(inside_));
  outside_.operations = {body, terminator("func.return", body.results, leaving_.types)};

  stablehlo::Function main;
  main.body = std::move(outside_);
  main.argument_attributes = std::move(argument_attributes_);
  main.result_types = leaving_.types;
  main.result_attributes = std::move(result_attributes_);
  auto count = [](int n) { return stablehlo::Attribute{stablehlo::Integer{n, "i32"}}; };
  stablehlo::Module module;
  module.attributes = {{"mhlo.num_partitions", count(mesh_.devices())}, {"mhlo.num_replicas", count(1)}};
  module.symbols.push_back(mesh_symbol(mesh_));
  module.functions.push_back(std::move(main));
  return module;
}

stablehlo::Operation ManualModule::manual_computation(stablehlo::Block inside) const {
  stablehlo::Operation body;
  body.name = "sdy.manual_computation";
  body.operands = entering_.values;
  body.operand_types = entering_.types;
  for (const stablehlo::ValueType& type : leaving_.types) body.results.push_back(emitter_.new_value(type));
  body.result_types = leaving_.types;
  body.attributes = {{"in_shardings", per_value_attribute(entering_.shardings)},
                     {"manual_axes", manual_axes_attribute(mesh_)},
                     {"out_shardings", per_value_attribute(leaving_.shardings)}};
  body.regions.push_back(std::move(inside));
  return body;
}

}  // namespace tutti
