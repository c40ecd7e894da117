// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/composite.hpp"

#include <algorithm>
#include <ranges>

#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

/// The op of a program that is one op on the program's inputs in their order.
std::optional<Op> only_op(const Program& program) {
  if (program.equations.size() != 1) return std::nullopt;
  const Equation& equation = program.equations[0];
  bool is_all = equation.operands == program.inputs && equation.results == program.outputs;
  return is_all ? std::optional(equation.op) : std::nullopt;
}

bool has_tangent(Type type) { return tangent(type).has_value(); }

}  // namespace

Parameters Composite::parameters() const {
  std::string text;
  for (const Equation& equation : body->equations)
    text += (text.empty() ? "" : ", ") + std::string(equation.op->name());
  return {{"ops", text}};
}
bool Composite::operator==(const Composite& other) const {
  bool same_origin = transpose_of == other.transpose_of ||
                     (transpose_of && other.transpose_of && *transpose_of == *other.transpose_of);
  return same_origin && same_programs({body}, {other.body});
}
Axes Composite::communicates() const { return communicated_axes({body}); }
Traffic Composite::traffic(const Types&) const { return traffic_of(*body); }
std::vector<AxisStates> Composite::wants(const Types&) const { return call_wants(*body); }
Types Composite::infer(const Types& operands) const { return call_infer(*body, operands); }
Kernel Composite::kernel(const Layout&) const { return kernel::Sub{kernel::Sub::Control::call, {body}}; }

Jvp Composite::jvp(const Arrays& operands, const Tangents& tangents) const {
  Bits nonzero = marked(tangents);
  JvpProgram derived = tutti::jvp(*body, nonzero);
  Arrays arguments = with_tangents(operands, tangents, nonzero);
  Jvp result{tutti::apply(*this, operands), {std::nullopt}};
  // Recorded in line: as one op of all operands and tangents it would have no transpose.
  if (derived.nonzero[0])
    result.tangents[0] = inline_program(with_outputs(derived.program, {1}), arguments)[0];
  return result;
}

Tangents Composite::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Types types;
  Arrays given{*cotangents[0]};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    types.push_back(operands[i].type);
    require(i == 0 || operands[i].known.has_value(), Code::refused_rule,
            "transpose is refused: a program that is started is linear in one operand only");
    if (i > 0) given.push_back(*operands[i].known);
  }
  Tangents result(operands.size());
  result[0] = apply_one(transposed({*this, types}), given);
  return result;
}

BatchedArrays Composite::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return call_batch(*body, Composite{shared(tutti::batch(*body, axis))}, axis, operands);
}

Lowered Composite::lower(Emitter& emitter, const Lowered& operands) const {
  return emitter.lower(*body, operands);
}

std::vector<Example> Composite::examples() {
  Axis a = example_mesh().axes()[0];
  Type over_a(DType::f64, {3}, {{a, varying}});
  auto twice = [&](const Arrays& x) -> Arrays { return {all_reduce(x[0] * 2.0, {a})}; };
  return {{Composite{shared(trace({over_a}, twice).program)}, {over_a}}};
}

Op ops::transposed(const AppliedOp& of) {
  if (const auto* composite = of.op.as<Composite>(); composite && composite->transpose_of)
    return composite->transpose_of->op;
  const bool linear_in_first = !of.operands.empty() && tangent(of.operands[0]) &&
                               std::ranges::none_of(of.operands | std::views::drop(1), has_tangent);
  require(linear_in_first, Code::refused_rule, "transpose is refused: {} is not linear in one operand alone",
          of.op);
  Program program;
  if (const auto* composite = of.op.as<Composite>()) {
    Bits first(of.operands.size());
    first[0] = true;
    // (indices.., cotangent) -> (cotangent, indices..)
    program = tutti::transpose(*composite->body, first);
    std::vector<std::size_t> order{program.inputs.size() - 1};
    for (std::size_t i = 0; i + 1 < program.inputs.size(); ++i) order.push_back(i);
    program = with_inputs(std::move(program), order);
  } else {
    Types types = of.operands;
    types[0] = dual(of.op->infer(of.operands)[0]);
    auto rule = [&](const Arrays& given) -> Arrays {
      LinearOperands operands{{std::nullopt, of.operands[0]}};
      for (std::size_t i = 1; i < given.size(); ++i) operands.push_back({given[i], of.operands[i]});
      return {*of.op->transpose(operands, {given[0]})[0]};
    };
    program = trace(types, rule).program;
  }
  program = without_dead_code(std::move(program));
  if (std::optional<Op> op = only_op(program)) return *op;
  return Composite{shared(std::move(program)), std::make_shared<const AppliedOp>(of)};
}

Op ops::as_one_op(const Types& operands, const std::function<Array(const Arrays&)>& rule) {
  Program program = trace(operands, [&](const Arrays& x) { return Arrays{rule(x)}; }).program;
  if (std::optional<Op> op = only_op(program)) return *op;
  return Composite{shared(std::move(program))};
}

}  // namespace tutti
