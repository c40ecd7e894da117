// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/compare.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

std::string stablehlo_name(CompareDirection direction) {
  switch (direction) {
    case CompareDirection::eq: return "EQ";
    case CompareDirection::ne: return "NE";
    case CompareDirection::lt: return "LT";
    case CompareDirection::le: return "LE";
    case CompareDirection::gt: return "GT";
    case CompareDirection::ge: return "GE";
  }
  return {};
}

bool needs_order(CompareDirection direction) {
  return direction != CompareDirection::eq && direction != CompareDirection::ne;
}

Array compare(CompareDirection direction, const Operand& a, const Operand& b) {
  return front_end(name(direction), a.where(), [&] {
    auto [x, y] = as_equal_shapes(a, b);
    return apply_one(Compare{direction}, {x, y});
  });
}

}  // namespace

About Compare::about() const {
  switch (direction) {
    case CompareDirection::eq: return {"x equals y, element by element; false for NaN.", "equal"};
    case CompareDirection::ne: return {"x differs from y, element by element; true for NaN.", "not_equal"};
    case CompareDirection::lt: return {"x is less than y, element by element; false for NaN.", "x < y"};
    case CompareDirection::le: return {"x is at most y, element by element; false for NaN.", "x <= y"};
    case CompareDirection::gt: return {"x is greater than y, element by element; false for NaN.", "x > y"};
    case CompareDirection::ge: return {"x is at least y, element by element; false for NaN.", "x >= y"};
  }
  return {};
}

Types Compare::infer(const Types& operands) const {
  require_same_elements(operands[0], operands[1]);
  if (needs_order(direction)) require_order(operands[0]);
  return {Type(DType::boolean, operands[0].shape(), agreed_states(operands, Mixing::alike))};
}

Kernel Compare::kernel(const Layout&) const { return kernel::Pointwise{direction}; }

Jvp Compare::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays Compare::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered Compare::lower(Emitter& emitter, const Lowered& operands) const {
  std::string type = order_of(emitter.operand_types()[0].dtype());
  return {emitter.emit("stablehlo.compare", operands, emitter.result_types()[0],
                       {{"comparison_direction",
                         stablehlo::enumeration("comparison_direction", stablehlo_name(direction))},
                        {"compare_type", stablehlo::enumeration("comparison_type", type)}})};
}

std::vector<Example> Compare::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  std::vector<Example> examples;
  for (CompareDirection direction : {CompareDirection::eq, CompareDirection::ne, CompareDirection::lt,
                                     CompareDirection::le, CompareDirection::gt, CompareDirection::ge}) {
    auto add = [&](Type type) { examples.push_back({Compare{direction}, {type, type}}); };
    add(Type(DType::f64, {2, 3}, {{a, varying}}));
    add(Type(DType::f32, {}, {{b, reduced}}));
    add(Type(DType::i32, {7}, {{a, varying}, {b, reduced}}));
    add(Type(DType::boolean, {5}));
    for (DType dtype : more_dtypes())
      if (!is_complex(dtype) || !needs_order(direction)) add(Type(dtype, {3, 5}, {{a, varying}}));
  }
  return examples;
}

Array operator<(const Operand& a, const Operand& b) { return compare(CompareDirection::lt, a, b); }
Array operator<=(const Operand& a, const Operand& b) { return compare(CompareDirection::le, a, b); }
Array operator>(const Operand& a, const Operand& b) { return compare(CompareDirection::gt, a, b); }
Array operator>=(const Operand& a, const Operand& b) { return compare(CompareDirection::ge, a, b); }
Array equal(const Operand& a, const Operand& b) { return compare(CompareDirection::eq, a, b); }
Array not_equal(const Operand& a, const Operand& b) { return compare(CompareDirection::ne, a, b); }

}  // namespace tutti
