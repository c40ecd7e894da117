// SPDX-License-Identifier: Apache-2.0
#include "tutti/ops/effects/check.hpp"
#include "tutti/base/inside.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/linearity.hpp"

namespace tutti {
namespace {

struct Run {
  Message message;
  Types operands;
  Lanes lanes;
  std::vector<std::string> holders;

  void operator()(const kernel::Unit& unit) const {
    const std::int64_t all = count_of(lanes);
    const std::int64_t each = all > 0 ? operands[0].elements() / all : 0;
    for (std::int64_t lane = 0; lane < all; ++lane) {
      unit.results[0][lane] = std::byte{0};
      const std::byte* begin = unit.operands[0] + lane * each;
      if (std::find(begin, begin + each, std::byte{0}) != begin + each) report(unit, lane);
    }
  }

  [[noreturn]] void report(const kernel::Unit& unit, std::int64_t lane) const {
    std::string text = message.with(values_of(unit, operands, 1, lanes, lane));
    if (const std::string devices = devices_of(unit, holders); !devices.empty()) text += ", on " + devices;
    if (!lanes.empty()) text += fmt::format(", in lane {}", lane);
    fail(Code::check, "{}", text);
  }
};

}  // namespace

Parameters Check::parameters() const { return message_parameters(text, lanes); }

Types Check::infer(const Types& operands) const {
  require(operands[0].dtype() == DType::boolean, Code::dtype,
          "the predicate is {}, not bool; compare it: x > 0", operands[0]);
  require_lanes(operands, lanes);
  Types values = without_lanes(operands, lanes);
  values.erase(values.begin());
  Message(text).require_values(values);
  return {effect_type(operands, lanes)};
}

Kernel Check::kernel(const Layout& layout) const {
  const Types& operands = layout.operands();
  return kernel::Opaque{.nanoseconds = 20 + 0.1 * static_cast<double>(operands[0].elements()),
                        .run = Run{Message(text), operands, lanes, layout.holders(layout.results()[0])},
                        .may_throw = true};
}

Jvp Check::jvp(const Arrays& operands, const Tangents&) const { return constant_jvp(*this, operands); }

BatchedArrays Check::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  const auto [arrays, batched] = in_lanes(axis, operands);
  Check op = *this;
  if (batched) op.lanes.insert(op.lanes.begin(), axis.size);
  return {{apply_one(op, arrays), batched}};
}

std::vector<Example> Check::examples() {
  const Axes& axes = example_mesh().axes();
  const Type x(DType::f32, {3});
  auto holds = [](const Shape& shape, const Axes& along) {
    std::int64_t positions = 1;
    for (const Axis& axis : along) positions *= axis.size;
    Tensor all(shape, DType::boolean);
    std::fill_n(all.mutable_bytes(), all.bytes(), std::byte{1});
    return ExampleOperand(ExampleOperand::Given{along, Tensors(static_cast<std::size_t>(positions), all)});
  };
  return {{Check{"never"}, {holds({}, {})}},
          {Check{"x is {}"}, {holds({2}, {axes[0]}), x.with(axes[0], varying)}},
          {Check{"x is {}"}, {holds({}, {}), x.with(axes[1], unreduced)}},
          {Check{"x is {}"}, {holds({}, {}), x.with(axes[2], reduced)}},
          {Check{"x is {}", {2}}, {holds({2, 2}, {}), Type(DType::f64, {2, 3})}}};
}

void internal::check_values(const Operand& predicate, const std::string& text,
                            const std::vector<Operand>& values) {
  front_end(Check::name, predicate.where(), [&] {
    Arrays operands = as_values(values);
    operands.insert(operands.begin(), as_values({predicate})[0]);
    apply_one(Check{text}, operands);
  });
}

}  // namespace tutti
