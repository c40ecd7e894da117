// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/clamp.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/linearity.hpp"
#include "tutti/ops/select.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/ops/zero_tangent.hpp"

namespace tutti {
namespace {

// t where `holds`, else zero.
Array where_it_holds(const Array& holds, const Array& t) { return select(holds, t, zero_tangent(t.type())); }

}  // namespace

Types Clamp::infer(const Types& operands) const {
  Type low = operands[0], x = operands[1], high = operands[2];
  require_same_elements(x, low);
  require_same_elements(x, high);
  require_order(x);
  require(x.dtype() != DType::boolean, Code::dtype,
          "{} is bool, which has nothing between its bounds; use logical_and and logical_or", x);
  return {x.with(agreed_states(operands, mixing()))};
}

Kernel Clamp::kernel(const Layout&) const { return kernel::Pointwise{kernel::ClampFn{}}; }

Jvp Clamp::jvp(const Arrays& operands, const Tangents& tangents) const {
  const Array &low = operands[0], &x = operands[1], &high = operands[2];
  std::optional<Array> by_low, by_x, by_high;
  if (tangents[0]) by_low = where_it_holds((low > x) & (low < high), *tangents[0]);
  if (tangents[1]) by_x = where_it_holds((x > low) & (x < high), *tangents[1]);
  if (tangents[2]) by_high = where_it_holds(high < maximum(low, x), *tangents[2]);
  return {{apply_one(*this, operands)}, {sum_of(sum_of(by_low, by_x), by_high)}};
}

BatchedArrays Clamp::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return elementwise_batch(*this, axis, operands);
}

Lowered Clamp::lower(Emitter& emitter, const Lowered& operands) const {
  return {emitter.emit("stablehlo.clamp", operands, emitter.result_types()[0])};
}

// Away from the bounds, where the derivative jumps.
std::vector<Example> Clamp::examples() {
  Axis a = example_mesh().axes()[0], b = example_mesh().axes()[1];
  std::vector<Example> examples;
  auto add = [&](Type type, double from, double to) {
    examples.push_back({Clamp{}, {{type, -1.4, -1}, {type, from, to}, {type, 1, 1.4}}});
  };
  auto add_all_sides = [&](Type type) {
    add(type, -0.8, 0.8);
    add(type, -3, -1.6);
    add(type, 1.6, 3);
  };
  add_all_sides(Type(DType::f64, {2, 3}, {{a, varying}}));
  add_all_sides(Type(DType::f32, {5}, {{b, reduced}}));
  add(Type(DType::f32, {}), 1.6, 3);
  add(Type(DType::f32, {3, 5}, {{a, varying}, {b, reduced}}), -0.8, 0.8);
  add(Type(DType::i32, {7}, {{a, varying}}), -5, 5);
  add(Type(DType::i64, {2, 0}), -5, 5);
  for (DType dtype : more_dtypes())
    if (!is_complex(dtype)) add(Type(dtype, {3, 5}, {{a, varying}}), is_unsigned(dtype) ? 0 : -5, 5);
  Type crossing(DType::f64, {7}, {{a, varying}});  // the upper bound wins
  examples.push_back({Clamp{}, {{crossing, 1, 2}, {crossing, 2.2, 3}, {crossing, -2, -1}}});
  examples.push_back({Clamp{}, {{crossing, 1, 2}, {crossing, -0.5, 0.5}, {crossing, -2, -1}}});
  return examples;
}

Array clamp(const Operand& low, const Operand& x, const Operand& high) {
  return front_end(Clamp::name, x.where(), [&] {
    Array array = as_array(x, {low, high});
    auto bound = [&](const Operand& operand) {
      Array found = as_array(operand, {x, low, high});
      require(found.rank() <= array.rank(), Code::shape,
              "the bound is {}, the array {}; the array stands between its bounds: clamp(low, x, high)",
              found.type(), array.type());
      return broadcast_to(found, array.shape());
    };
    return apply_one(Clamp{}, {bound(low), array, bound(high)});
  });
}

}  // namespace tutti
