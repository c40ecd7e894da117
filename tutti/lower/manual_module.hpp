// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "tutti/lower/function_emitter.hpp"
#include "tutti/lower/sharding_text.hpp"
#include "tutti/stablehlo/tree.hpp"

namespace tutti {

/// A module under construction: one mesh, and one function that is one `sdy.manual_computation` over all its
/// axes.
class ManualModule {
 public:
  /// `emitter` writes what stands inside the manual computation.
  ManualModule(const Mesh& mesh, FunctionEmitter& emitter) : mesh_(mesh), emitter_(emitter) {}

  /// The next parameter of the function; `placed`: XLA is told how it lies on the mesh.
  stablehlo::Value argument(Type type, const std::optional<Sharding>& placed = {});
  /// One device's part of `outside`, a parameter: a value for the inside, of type `local`.
  stablehlo::Value enter(stablehlo::Value outside, Type local, const Sharding& sharding);
  /// The next result of the function: the value of type `outside` whose parts are `inside`.
  void leave(stablehlo::Value inside, Type outside, const Sharding& sharding,
             const std::optional<Sharding>& placed = {});
  stablehlo::Module finish() &&;

 private:
  struct Side {
    std::vector<stablehlo::Value> values;
    std::vector<stablehlo::ValueType> types;
    std::vector<Sharding> shardings;
  };
  stablehlo::Operation manual_computation(stablehlo::Block inside) const;

  Mesh mesh_;
  FunctionEmitter& emitter_;
  stablehlo::Block outside_;
  std::vector<stablehlo::Attributes> argument_attributes_, result_attributes_;
  stablehlo::Block inside_;
  Side entering_, leaving_;
};

}  // namespace tutti
