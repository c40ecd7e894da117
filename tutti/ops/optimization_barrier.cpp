// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/optimization_barrier.hpp"

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {

Kernel OptimizationBarrier::kernel(const Layout&) const { return kernel::View{{}, true}; }

Jvp OptimizationBarrier::jvp(const Arrays& operands, const Tangents& tangents) const {
  Jvp result{tutti::apply(*this, operands), tangents};
  Arrays moved;
  for (const std::optional<Array>& tangent : tangents)
    if (tangent) moved.push_back(*tangent);
  moved = tutti::apply(*this, moved);
  std::size_t next = 0;
  for (std::optional<Array>& tangent : result.tangents)
    if (tangent) tangent = moved[next++];
  return result;
}

Tangents OptimizationBarrier::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Tangents result(operands.size());
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (operands[i].linear()) result[i] = cotangents[i];
  return result;
}

BatchedArrays OptimizationBarrier::batch(const Axis&, const BatchedArrays& operands, const Types&) const {
  Arrays arrays;
  for (const Batched& operand : operands) arrays.push_back(operand.array);
  arrays = tutti::apply(*this, arrays);
  BatchedArrays results = operands;
  for (std::size_t i = 0; i < arrays.size(); ++i) results[i].array = arrays[i];
  return results;
}

Lowered OptimizationBarrier::lower(Emitter& emitter, const Lowered& operands) const {
  const Types results = emitter.result_types();
  return emitter.emit_with_regions("stablehlo.optimization_barrier", operands, results, {});
}

std::vector<Example> OptimizationBarrier::examples() {
  const Axes& axes = example_mesh().axes();
  Type x(DType::f32, {3}, {{axes[0], varying}}), terms(DType::f64, {2, 2}, {{axes[1], unreduced}});
  return {{OptimizationBarrier{}, {x}}, {OptimizationBarrier{}, {x, terms, Type(DType::f64, {})}}};
}

Arrays ops::optimization_barrier_flat(const Arrays& operands, Where where) {
  return tutti::apply(OptimizationBarrier{}, operands, where);
}

}  // namespace tutti
