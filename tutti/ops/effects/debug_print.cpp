// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/effects/debug_print.hpp"
#include "tutti/base/inside.hpp"

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {
namespace {

struct Run {
  Message message;
  Types operands;
  Lanes lanes;

  void operator()(const kernel::Unit& unit) const {
    for (std::int64_t lane = 0; lane < count_of(lanes); ++lane) {
      unit.results[0][lane] = std::byte{0};
      if (unit.printer) unit.printer->print(message.with(values_of(unit, operands, 0, lanes, lane)));
    }
  }
};

}  // namespace

Parameters DebugPrint::parameters() const { return message_parameters(text, lanes); }

Types DebugPrint::infer(const Types& operands) const {
  require_lanes(operands, lanes);
  Message(text).require_values(without_lanes(operands, lanes));
  return {effect_type(operands, lanes)};
}

Kernel DebugPrint::kernel(const Layout& layout) const {
  const Types& operands = layout.operands();
  double bytes = 0;
  for (const Type& operand : operands) bytes += static_cast<double>(operand.bytes());
  return kernel::Opaque{.nanoseconds = 1000 + bytes, .run = Run{Message(text), operands, lanes}};
}

Jvp DebugPrint::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays DebugPrint::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto [arrays, batched] = in_lanes(axis, operands);
  DebugPrint op = *this;
  if (batched) op.lanes.insert(op.lanes.begin(), axis.size);
  return {{apply_one(op, arrays), batched}};
}

std::vector<Example> DebugPrint::examples() {
  const Axes& axes = example_mesh().axes();
  const Type x(DType::f32, {3}), number(DType::i32, {});
  return {{DebugPrint{"{}"}, {x.with(axes[0], varying)}},
          {DebugPrint{"x {} at {}"}, {x.with(axes[1], unreduced), number.with(axes[1], varying)}},
          {DebugPrint{"{:.3f} {{}}"}, {Type(DType::f64, {}).with(axes[2], reduced)}},
          {DebugPrint{"{}", {2}}, {Type(DType::f64, {2, 3})}},
          {DebugPrint{"here"}, {}}};
}

void internal::debug_print_values(const MessageText& text, const std::vector<Operand>& values) {
  front_end(DebugPrint::name, text.where(), [&] { apply_one(DebugPrint{text.text()}, as_values(values)); });
}

}  // namespace tutti
