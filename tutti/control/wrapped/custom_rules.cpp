// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/custom_rules.hpp"

#include <algorithm>
#include <numeric>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/ops/zeros_of.hpp"
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

SubProgram batched(const SubProgram& program, const Axis& axis) { return shared(batch(*program, axis)); }

}  // namespace

// --- CustomJvp -------------------------------------------------------------------------------------------------

bool CustomJvp::operator==(const CustomJvp& other) const {
  return arguments == other.arguments && same_programs(programs(), other.programs());
}
Axes CustomJvp::communicates() const { return communicated_axes({body}); }
std::vector<AxisStates> CustomJvp::wants(const Types&) const { return call_wants(*body); }
Types CustomJvp::infer(const Types& operands) const { return call_infer(*body, operands); }

Jvp CustomJvp::jvp(const Arrays& operands, const Tangents& tangents) const {
  auto n = static_cast<std::size_t>(arguments), results = body->outputs.size();
  if (!any_of_first(tangents, n)) return {tutti::apply(*this, operands), Tangents(results)};
  Arrays given = slice(operands, 0, n), moved = or_zeros(operands, tangents, 0, n),
         outside = slice(operands, n, operands.size());
  given.insert(given.end(), moved.begin(), moved.end());
  given.insert(given.end(), outside.begin(), outside.end());
  Arrays found = inline_program(*rule, given);
  return {slice(found, 0, results), tangents_of(*body, slice(found, results, found.size()))};
}

OpSplit CustomJvp::split(const LinearOperands&) const {
  fail(Code::refused_rule, "transpose is refused: {}", transpose.why);
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

// --- CustomVjp -------------------------------------------------------------------------------------------------

bool CustomVjp::operator==(const CustomVjp& other) const {
  return arguments == other.arguments && same_programs(programs(), other.programs());
}
Axes CustomVjp::communicates() const { return communicated_axes({body}); }
std::vector<AxisStates> CustomVjp::wants(const Types&) const { return call_wants(*body); }
Types CustomVjp::infer(const Types& operands) const { return call_infer(*body, operands); }

Jvp CustomVjp::jvp(const Arrays& operands, const Tangents& tangents) const {
  auto n = static_cast<std::size_t>(arguments), results = body->outputs.size();
  if (!any_of_first(tangents, n)) return {tutti::apply(*this, operands), Tangents(results)};
  Arrays found = inline_program(*forward, operands);
  Arrays given = slice(found, results, found.size()), outside = slice(operands, n, operands.size()),
         moved = or_zeros(operands, tangents, 0, n);
  given.insert(given.end(), outside.begin(), outside.end());
  int known = static_cast<int>(given.size());
  given.insert(given.end(), moved.begin(), moved.end());
  Arrays moving = tutti::apply(CustomTangent{backward, known}, given);
  return {slice(found, 0, results), tangents_of(*body, moving)};
}

OpSplit CustomVjp::split(const LinearOperands&) const {
  fail(Code::refused_rule, "transpose is refused: {}", transpose.why);
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

// --- CustomTangent ---------------------------------------------------------------------------------------------

SubProgram CustomTangent::forward() const {
  Bits cotangents(backward->inputs.size(), true);
  std::fill_n(cotangents.begin(), known, false);
  return shared(tutti::transpose(*backward, cotangents));
}

bool CustomTangent::operator==(const CustomTangent& other) const {
  return known == other.known && same_programs(programs(), other.programs());
}
Axes CustomTangent::communicates() const { return communicated_axes({backward}); }

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

// --- Front ends ------------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view rule_returns = "the rule returns the function's results and a tangent of each",
                           forward_returns = "forward returns the function's results and residuals",
                           backward_returns = "backward returns a cotangent of each argument leaf";

/// Leaves of the arguments of a function with a rule of its own. In the op those with a derivative come first; the others
/// follow as values of outside do.
class Leaves {
 public:
  explicit Leaves(const Arrays& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      Array own = Builder::current().own(arguments[i]);
      auto& [arrays, types, places] = has_tangent(own.type()) ? moving_ : still_;
      arrays.push_back(own);
      types.push_back(own.type());
      places.push_back(i);
    }
  }

  Arrays in_op() const { return joined(moving_.arrays, still_.arrays); }
  const Types& moving() const { return moving_.types; }
  const Types& still() const { return still_.types; }
  Types types_in_op() const { return joined(moving_.types, still_.types); }
  std::size_t size() const { return moving_.places.size() + still_.places.size(); }

  /// The user's order of `given`, which is the op's.
  Arrays for_user(const Arrays& moving, const Arrays& still) const {
    Arrays all(size());
    for (std::size_t i = 0; i < moving.size(); ++i) all[moving_.places[i]] = moving[i];
    for (std::size_t i = 0; i < still.size(); ++i) all[still_.places[i]] = still[i];
    return all;
  }
  /// Tangents in the user's order: zeros of their own type where there is none.
  Arrays tangents_for_user(const Arrays& moving) const {
    Arrays zeros;
    for (Type type : still_.types) zeros.push_back(zeros_of(type));
    return for_user(moving, zeros);
  }
  /// Of the user's leaves those with a derivative.
  Arrays moving_of(const Arrays& all) const {
    Arrays found;
    for (std::size_t place : moving_.places) found.push_back(all[place]);
    return found;
  }

  template <class T>
  static std::vector<T> joined(std::vector<T> front, const std::vector<T>& back) {
    front.insert(front.end(), back.begin(), back.end());
    return front;
  }

 private:
  struct Part {
    Arrays arrays;
    Types types;
    std::vector<std::size_t> places;  // in the user's order
  };
  Part moving_, still_;
};

/// A user's function of the arguments, as one of the op's operands.
InnerFunction in_order_of_op(const InnerFunction& function, const Leaves& leaves) {
  return [&function, &leaves](const Arrays& given) {
    const std::size_t n = leaves.moving().size();
    return function(leaves.for_user(slice(given, 0, n), slice(given, n, given.size())));
  };
}

/// Those of `arrays`, one per type, whose type has a tangent.
Arrays with_tangents_only(const Types& types, const Arrays& arrays) {
  Arrays found;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (has_tangent(types[i])) found.push_back(arrays[i]);
  return found;
}

Types moving_types(const Types& types) {
  Types found;
  for (Type type : types)
    if (has_tangent(type)) found.push_back(type);
  return found;
}

void require_count(std::size_t found, std::size_t expected, std::string_view what) {
  require(found == expected, Code::tree, "{}; found {}, expected {}", what,
          counted(static_cast<std::int64_t>(found), "array"), expected);
}

/// What a function is to return: arrays of these types, and how messages name each: "the rule's tangent 0".
struct Expected {
  Types types;
  std::vector<std::string> names;

  void add(std::string_view name, const Types& more) {
    for (std::size_t i = 0; i < more.size(); ++i) names.push_back(fmt::format("{} {}", name, i));
    types.insert(types.end(), more.begin(), more.end());
  }
};

/// `program` with outputs of these types, as far as free casts go; `what` says how many arrays were expected.
Program fitted(const Program& program, const Expected& expected, std::string_view what) {
  require_count(program.outputs.size(), expected.types.size(), what);
  std::vector<AxisStates> states;
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    Type found = program.type(program.outputs[i]), wanted = expected.types[i];
    require_type(expected.names[i], found.with(wanted.states()), wanted);
    require_free_casts(expected.names[i], found, wanted);
    states.push_back(wanted.states());
  }
  return with_output_states(program, states);
}

Types outputs_of(const Program& program) { return program.types_of(program.outputs); }

Types duals(Types types) {
  for (Type& type : types) type = dual(type);
  return types;
}

/// The user's rule on (moving arguments, their tangents, other arguments), without tangents of results that have none.
Arrays ruled(const InnerFunction& rule, const Leaves& leaves, const Types& results, const Arrays& given) {
  const std::size_t n = leaves.moving().size();
  Arrays at = leaves.for_user(slice(given, 0, n), slice(given, 2 * n, given.size())),
         moved = leaves.tangents_for_user(slice(given, n, 2 * n));
  Arrays found = rule(Leaves::joined(at, moved));
  require_count(found.size(), 2 * results.size(), rule_returns);
  Arrays tangents = with_tangents_only(results, slice(found, results.size(), found.size()));
  return Leaves::joined(slice(found, 0, results.size()), tangents);
}

/// The user's backward on (residuals, cotangents of results that have one, other arguments), without cotangents of arguments
/// that have none.
Arrays pulled(const InnerFunction& backward, const Leaves& leaves, const Types& results, const Arrays& given,
              std::size_t residuals) {
  Arrays all = slice(given, 0, residuals);
  std::size_t next = residuals;
  for (Type type : results) all.push_back(has_tangent(type) ? given[next++] : zeros_of(dual(type)));
  Arrays found = backward(all);
  require_count(found.size(), leaves.size(), backward_returns);
  return leaves.moving_of(found);
}

}  // namespace

Arrays custom_jvp_flat(const InnerFunction& function, const InnerFunction& rule, const Arrays& arguments,
                       Where where) try {
  const Leaves leaves = front_end("custom_jvp", where, [&] { return Leaves(arguments); });
  const Types& moving = leaves.moving();
  std::vector<InnerTrace> traces{trace_inside(leaves.types_in_op(), {}, in_order_of_op(function, leaves))};
  const Types results = outputs_of(traces[0].program);
  const Types given = Leaves::joined(Leaves::joined(moving, moving), leaves.still());
  traces.push_back(trace_inside(given, {}, [&](const Arrays& x) { return ruled(rule, leaves, results, x); }));
  return front_end("custom_jvp", where, [&] {
    Arrays operands = Leaves::joined(leaves.in_op(), share_captured(traces));
    Expected both;
    both.add("the rule's result", results);
    both.add("the rule's tangent", moving_types(results));
    CustomJvp op{shared(traces[0].program), shared(fitted(traces[1].program, both, rule_returns)),
                 static_cast<int>(moving.size())};
    return tutti::apply(op, operands);
  });
} catch (const Error& error) {
  throw error.at(where, "custom_jvp");
}

Arrays custom_vjp_flat(const InnerFunction& function, const InnerFunction& forward,
                       const InnerFunction& backward, const Arrays& arguments, Where where) try {
  const Leaves leaves = front_end("custom_vjp", where, [&] { return Leaves(arguments); });
  std::vector<InnerTrace> traces{
      trace_inside(leaves.types_in_op(), {}, in_order_of_op(function, leaves)),
      trace_inside(leaves.types_in_op(), {}, in_order_of_op(forward, leaves))};
  const Types results = outputs_of(traces[0].program), ahead = outputs_of(traces[1].program);
  const std::size_t residuals = ahead.size() - std::min(ahead.size(), results.size());
  const Types kept(ahead.end() - static_cast<std::ptrdiff_t>(residuals), ahead.end());
  const Types before = Leaves::joined(kept, duals(moving_types(results)));
  traces.push_back(trace_inside(Leaves::joined(before, leaves.still()), {}, [&](const Arrays& x) {
    return pulled(backward, leaves, results, x, residuals);
  }));
  return front_end("custom_vjp", where, [&] {
    Arrays operands = Leaves::joined(leaves.in_op(), share_captured(traces));
    Expected first, last;
    first.add("forward's result", results);
    first.add("forward's residual", kept);
    last.add("backward's cotangent", duals(leaves.moving()));
    Program back = fitted(traces[2].program, last, backward_returns);
    // Other arguments and values of outside come before the cotangents.
    auto at = [&](std::size_t input) { return back.inputs.begin() + static_cast<std::ptrdiff_t>(input); };
    std::rotate(at(residuals), at(before.size()), back.inputs.end());
    CustomVjp op{shared(traces[0].program), shared(fitted(traces[1].program, first, forward_returns)),
                 shared(std::move(back)), static_cast<int>(leaves.moving().size())};
    return tutti::apply(op, operands);
  });
} catch (const Error& error) {
  throw error.at(where, "custom_vjp");
}

}  // namespace tutti
