// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/flow/cond.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/convert.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {
namespace {

void check_decider(const FlatSwitch& call, Type type) {
  bool is_bool = call.name == "cond";
  DType wanted = is_bool ? DType::boolean : DType::i32;
  std::string advice = type.rank() > 0
                           ? is_bool ? "for one per element use where" : "for one per element use vmap"
                       : is_bool                        ? "compare it: not_equal(x, 0)"
                       : type.dtype() == DType::boolean ? "use cond"
                                                        : "convert it: " + conversion_to(wanted);
  require(type.rank() == 0 && type.dtype() == wanted, Code::dtype, "{} is {}, expected {}; {}", call.what,
          type, is_bool ? "a bool scalar" : "an i32 scalar", advice);
  require_decidable(call.what, type, {});
}

// The states of each result that all branches can be cast to.
std::vector<AxisStates> joined_results(const std::vector<InnerTrace>& branches, const Axes& varies) {
  const Program& first = branches[0].program;
  std::vector<AxisStates> states;
  for (std::size_t i = 0; i < first.outputs.size(); ++i) {
    Type joint = first.type(first.outputs[i]);
    for (const InnerTrace& branch : branches) {
      Type other = branch.program.type(branch.program.outputs[i]);
      require(other.shape() == joint.shape(), Code::shape,
              "result {} is {} in one branch and {} in another; give them one shape", i, joint, other);
      require(other.dtype() == joint.dtype(), Code::dtype,
              "result {} is {} in one branch and {} in another; convert one of them", i, joint, other);
      for (const Axis& axis : axes_of(joint, other)) {
        std::optional<State> state = joined(joint.at(axis), other.at(axis));
        require(
            state.has_value(), Code::state,
            "result {} is {} in one branch and {} in another ({}, {}). Reduce the sum: psum(x, \"{}\"), or "
            "return terms from both: {}",
            i, in_words(joint, axis), in_words(other, axis), joint, other, axis.name,
            as_terms(joint.at(axis) == State::unreduced ? other : joint, axis));
        joint = joint.with(axis, *state);
      }
    }
    for (const Axis& axis : varies)
      require(joint.at(axis) != State::unreduced, Code::state,
              "result {} is {} ({}), and devices take different branches along it. Return the terms varying, "
              "and say outside what they are: pcast(result, \"{}\", unreduced)",
              i, in_words(joint, axis), joint, axis.name);
    states.push_back(joint.with(varies, State::varying).states());
  }
  return states;
}

}  // namespace

Arrays internal::switch_flat(const FlatSwitch& call) try {
  Where where = call.decider.where();
  Array decider;
  Arrays operands;
  Types types;
  Divergence divergent;
  front_end(call.name, where, [&] {
    require(call.decider.array(), Code::number,
            "{} is a number of C++, so the branch is known while tracing; choose it with if", call.what);
    decider = Builder::current().own(*call.decider.array());
    check_decider(call, decider.type());
    divergent = {varying_axes(decider.type()), call.what, decider.type()};
    for (const Array& operand : call.operands) {
      operands.push_back(Builder::current().own(operand));
      types.push_back(entering(fmt::format("operand {}", types.size()), operands.back().type(), divergent));
    }
  });
  std::vector<InnerTrace> traces;
  const std::vector<bool> moving = Builder::current().moving(operands);
  for (const InnerFunction& branch : call.branches)
    traces.push_back(trace_inside(types, divergent, branch, {.moving = moving}));
  return front_end(call.name, where, [&] {
    std::vector<AxisStates> states = joined_results(traces, divergent.axes);
    for (const Array& captured : share_captured(traces)) operands.push_back(captured);
    Switch op;
    for (const InnerTrace& branch : traces)
      op.branches.push_back(shared(with_output_states(branch.program, states)));
    require_decidable(call.what, decider.type(), op.branches);
    operands.insert(operands.begin(),
                    decider.dtype() == DType::boolean ? convert(decider, DType::i32) : decider);
    return tutti::apply(op, operands);
  });
} catch (const Error& error) {
  throw error.at(call.decider.where(), call.name);
}

}  // namespace tutti
