// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/custom_rules.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/control/wrapped/remat.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

Arrays slice(const Arrays& arrays, std::size_t begin, std::size_t end) {
  return {arrays.begin() + static_cast<std::ptrdiff_t>(begin),
          arrays.begin() + static_cast<std::ptrdiff_t>(end)};
}

Arrays or_zeros(const Arrays& values, const Tangents& tangents, std::size_t begin, std::size_t end) {
  Arrays all;
  for (std::size_t i = begin; i < end; ++i)
    all.push_back(tangents[i] ? *tangents[i] : zero_tangent(values[i].type()));
  return all;
}

bool any_of_first(const Tangents& tangents, std::size_t count) {
  return std::any_of(tangents.begin(), tangents.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const auto& tangent) { return tangent.has_value(); });
}

bool has_tangent(Type type) { return tangent(type).has_value(); }

/// Tangents of the outputs of `body`: those given for outputs that have one, in order.
Tangents tangents_of(const Program& body, const Arrays& given) {
  Tangents all;
  std::size_t next = 0;
  for (Type type : body.types_of(body.outputs))
    all.push_back(has_tangent(type) ? std::optional(given[next++]) : std::nullopt);
  return all;
}

SubProgram batched(const SubProgram& program, const Axis& axis) {
  return program ? shared(batch(*program, axis)) : nullptr;
}

/// Refuses a derivative of higher order than the call was recorded for.
void require_traced(const SubProgram& rule) {
  require(rule != nullptr, Code::refused_rule,
          "jvp is refused: the rule was not traced, because no derivative was taken where the function was "
          "called; call it inside of the function that is differentiated");
}

/// A rule may call its function on tangents. The transpose is that of the body, if it is linear in them.
/// Otherwise it is refused, with `why`.
OpSplit split_body(const SubProgram& body, const LinearOperands& operands, std::string_view why) try {
  static_cast<void>(tutti::transpose(*body, linear_ones(operands)));  // throws where the body is not linear
  return Remat{body, RematPolicy::everything}.split(operands);
} catch (const Error& error) {
  if (error.code() != Code::refused_rule) throw;
  fail(Code::refused_rule, "transpose is refused: {}", why);
}

}  // namespace

// --- CustomJvp ---------------------------------------------------------------------------------------------

bool CustomJvp::operator==(const CustomJvp& other) const {
  return arguments == other.arguments && same_programs(programs(), other.programs());
}
std::vector<SubProgram> CustomJvp::programs() const {
  if (!rule) return {body};
  return {body, rule};
}
CustomJvp CustomJvp::with_programs(const std::vector<SubProgram>& programs) const {
  return {programs[0], rule ? programs[1] : nullptr, arguments};
}
Axes CustomJvp::communicates() const { return communicated_axes({body}); }
Traffic CustomJvp::traffic(const Types&) const { return traffic_of(*body); }
std::vector<AxisStates> CustomJvp::wants(const Types&) const { return call_wants(*body); }
Types CustomJvp::infer(const Types& operands) const { return call_infer(*body, operands); }

Jvp CustomJvp::jvp(const Arrays& operands, const Tangents& tangents) const {
  auto n = static_cast<std::size_t>(arguments), results = body->outputs.size();
  if (!any_of_first(tangents, n)) return {tutti::apply(*this, operands), Tangents(results)};
  require_traced(rule);
  Arrays given = slice(operands, 0, n), moved = or_zeros(operands, tangents, 0, n),
         outside = slice(operands, n, operands.size());
  given.insert(given.end(), moved.begin(), moved.end());
  given.insert(given.end(), outside.begin(), outside.end());
  Arrays found = inline_program(*rule, given);
  return {slice(found, 0, results), tangents_of(*body, slice(found, results, found.size()))};
}

OpSplit CustomJvp::split(const LinearOperands& operands) const {
  return split_body(body, operands, transpose.why);
}

BatchedArrays CustomJvp::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return call_batch(*body, CustomJvp{batched(body, axis), batched(rule, axis), arguments}, axis, operands);
}

Lowered CustomJvp::lower(Emitter& emitter, const Lowered& operands) const {
  return emitter.lower(*body, operands);
}

std::vector<Example> CustomJvp::examples() {
  std::vector<Example> examples;
  Axis a = example_mesh().axes()[0];
  for (Type x : {Type(DType::f64, {3}), Type(DType::f64, {2}, {{a, varying}})}) {
    auto body = [](const Arrays& v) -> Arrays { return {v[0] * v[1], tanh(v[0])}; };
    auto rule = [](const Arrays& v) -> Arrays {
      Array y = tanh(v[0]);
      return {v[0] * v[1], y, v[2] * v[1] + v[0] * v[3], v[2] * (1.0 - y * y)};
    };
    CustomJvp op{shared(trace({x, x}, body).program), shared(trace({x, x, x, x}, rule).program), 2};
    examples.push_back({op, {x, x}});
  }
  return examples;
}

// --- CustomVjp ---------------------------------------------------------------------------------------------

bool CustomVjp::operator==(const CustomVjp& other) const {
  return arguments == other.arguments && same_programs(programs(), other.programs());
}
std::vector<SubProgram> CustomVjp::programs() const {
  if (!forward) return {body};
  return {body, forward, backward};
}
CustomVjp CustomVjp::with_programs(const std::vector<SubProgram>& programs) const {
  if (!forward) return {programs[0], nullptr, nullptr, arguments};
  return {programs[0], programs[1], programs[2], arguments};
}
Axes CustomVjp::communicates() const { return communicated_axes({body}); }
Traffic CustomVjp::traffic(const Types&) const { return traffic_of(*body); }
std::vector<AxisStates> CustomVjp::wants(const Types&) const { return call_wants(*body); }
Types CustomVjp::infer(const Types& operands) const { return call_infer(*body, operands); }

Jvp CustomVjp::jvp(const Arrays& operands, const Tangents& tangents) const {
  auto n = static_cast<std::size_t>(arguments), results = body->outputs.size();
  if (!any_of_first(tangents, n)) return {tutti::apply(*this, operands), Tangents(results)};
  require_traced(forward);
  Arrays found = inline_program(*forward, operands);
  Arrays given = slice(found, results, found.size()), outside = slice(operands, n, operands.size()),
         moved = or_zeros(operands, tangents, 0, n);
  given.insert(given.end(), outside.begin(), outside.end());
  int known = static_cast<int>(given.size());
  given.insert(given.end(), moved.begin(), moved.end());
  Arrays moving = tutti::apply(CustomTangent{backward, known}, given);
  return {slice(found, 0, results), tangents_of(*body, moving)};
}

OpSplit CustomVjp::split(const LinearOperands& operands) const {
  return split_body(body, operands, transpose.why);
}

BatchedArrays CustomVjp::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  CustomVjp op{batched(body, axis), batched(forward, axis), batched(backward, axis), arguments};
  return call_batch(*body, op, axis, operands);
}

Lowered CustomVjp::lower(Emitter& emitter, const Lowered& operands) const {
  return emitter.lower(*body, operands);
}

std::vector<Example> CustomVjp::examples() {
  std::vector<Example> examples;
  Axis a = example_mesh().axes()[0];
  for (Type x : {Type(DType::f64, {3}), Type(DType::f64, {2}, {{a, varying}})}) {
    auto body = [](const Arrays& v) -> Arrays { return {tanh(v[0] * v[1])}; };
    auto forward = [](const Arrays& v) -> Arrays {
      Array y = tanh(v[0] * v[1]);
      return {y, v[0], v[1], 1.0 - y * y};
    };
    auto backward = [](const Arrays& v) -> Arrays {
      Array moved = v[3] * v[2];
      return {moved * v[1], moved * v[0]};
    };
    CustomVjp op{shared(trace({x, x}, body).program), shared(trace({x, x}, forward).program),
                 shared(trace({x, x, x, x}, backward).program), 2};
    examples.push_back({op, {x, x}});
  }
  return examples;
}

// --- CustomTangent -----------------------------------------------------------------------------------------

SubProgram CustomTangent::forward() const {
  Bits cotangents(backward->inputs.size(), true);
  std::fill_n(cotangents.begin(), known, false);
  return shared(tutti::transpose(*backward, cotangents));
}

bool CustomTangent::operator==(const CustomTangent& other) const {
  return known == other.known && same_programs(programs(), other.programs());
}
Axes CustomTangent::communicates() const { return communicated_axes({backward}); }
Traffic CustomTangent::traffic(const Types&) const { return traffic_of(*forward()); }

std::vector<AxisStates> CustomTangent::wants(const Types&) const {
  std::vector<AxisStates> states = call_wants(*backward);
  states.resize(static_cast<std::size_t>(known));
  for (Var var : backward->outputs) states.push_back(dual(backward->type(var)).states());
  return states;
}

Types CustomTangent::infer(const Types& operands) const {
  auto n = static_cast<std::size_t>(known);
  for (std::size_t i = 0; i < operands.size(); ++i)
    require_type(fmt::format("operand {}", i), operands[i],
                 i < n ? backward->type(backward->inputs[i])
                       : dual(backward->type(backward->outputs[i - n])));
  Types results;
  for (std::size_t i = n; i < backward->inputs.size(); ++i)
    results.push_back(dual(backward->type(backward->inputs[i])));
  return results;
}

Jvp CustomTangent::jvp(const Arrays& operands, const Tangents& tangents) const {
  Bits nonzero = marked(tangents);
  JvpProgram derived = tutti::jvp(*forward(), nonzero);
  Arrays found = inline_program(derived.program, with_tangents(operands, tangents, nonzero));
  return without_groups(found, by_groups({derived.nonzero.size()}, derived.nonzero), derived.nonzero);
}

OpSplit CustomTangent::split(const LinearOperands& operands) const {
  OpSplit result{Tangents(backward->inputs.size() - static_cast<std::size_t>(known)), *this, {}};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    require(operands[i].linear() == (i >= static_cast<std::size_t>(known)), Code::refused_rule,
            "transpose is refused: custom_tangent is linear in the tangents alone");
    result.operands.push_back({operands[i].known, i});
  }
  return result;
}

Tangents CustomTangent::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  auto n = static_cast<std::size_t>(known);
  Arrays given;
  for (std::size_t i = 0; i < n; ++i) given.push_back(*operands[i].known);
  for (std::size_t i = 0; i < cotangents.size(); ++i)
    given.push_back(cotangents[i] ? *cotangents[i] : zero_tangent(backward->type(backward->inputs[n + i])));
  Tangents result(n);
  for (const Array& cotangent : inline_program(*backward, given)) result.push_back(cotangent);
  return result;
}

BatchedArrays CustomTangent::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  SubProgram program = forward();
  Arrays found = inline_batched(*program, axis, operands);
  BatchedArrays results;
  for (std::size_t i = 0; i < found.size(); ++i)
    results.push_back({found[i], has_lanes(program->type(program->outputs[i]), axis)});
  return results;
}

Lowered CustomTangent::lower(Emitter& emitter, const Lowered& operands) const {
  return emitter.lower(*forward(), operands);
}

std::vector<Example> CustomTangent::examples() {
  Type x(DType::f64, {3}, {{example_mesh().axes()[0], varying}});
  auto backward = [](const Arrays& v) -> Arrays { return {v[0] * v[1], -v[1]}; };
  return {{CustomTangent{shared(trace({x, x}, backward).program), 1}, {x, x, x}}};
}

}  // namespace tutti
