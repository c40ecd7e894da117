// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/parts/inner_trace.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/ir/refused_trace.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/states.hpp"

namespace tutti {

InnerTrace ops::trace_inside(const Types& inputs, const Divergence& divergent, const InnerFunction& function,
                             const Builder::Differentiated& later) {
  Builder inner(divergent.axes, later.often);
  Arrays declared;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    declared.push_back(inner.input(inputs[i], later.moving.empty() || later.moving[i]));
  Program program = finished_program(inner, [&] { return function(declared); });
  for (const Array& captured : inner.captured()) entering("a value used inside", captured.type(), divergent);
  return {std::move(program), {inner.captured().begin(), inner.captured().end()}};
}

Type ops::entering(std::string_view what, Type type, const Divergence& divergent) {
  for (const Axis& axis : divergent.axes)
    require(type.at(axis) != State::unreduced, Code::state,
            "{} is {} ({}), and {} is {} ({}): devices would go different ways with terms of one sum. Reduce "
            "it first: psum(x, \"{}\")",
            what, in_words(type, axis), type, divergent.what, in_words(*divergent.by, axis), *divergent.by,
            axis.name);
  return type.with(divergent.axes, State::varying);
}

Arrays ops::share_captured(std::vector<InnerTrace>& traces) {
  Builder& outer = Builder::current();
  Arrays all;
  Types types;            // as they enter
  std::vector<Var> vars;  // outside
  for (InnerTrace& traced : traces)
    for (std::size_t i = 0; i < traced.captured.size(); ++i) {
      Program& program = traced.program;
      traced.captured[i] = outer.own(traced.captured[i]);
      Var var = traced.captured[i].traced()->var;
      if (std::ranges::find(vars, var) != vars.end()) continue;
      vars.push_back(var);
      all.push_back(traced.captured[i]);
      types.push_back(program.type(program.inputs[program.inputs.size() - traced.captured.size() + i]));
    }
  for (InnerTrace& traced : traces) {
    Program& program = traced.program;
    std::size_t declared = program.inputs.size() - traced.captured.size();
    std::vector<Var> own(program.inputs.begin() + static_cast<std::ptrdiff_t>(declared),
                         program.inputs.end());
    program.inputs.resize(declared);
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto is_it = [&](const Array& x) { return x.traced()->var == vars[i]; };
      auto found = std::ranges::find_if(traced.captured, is_it);
      if (found != traced.captured.end()) {
        program.inputs.push_back(own[static_cast<std::size_t>(found - traced.captured.begin())]);
        continue;
      }
      program.inputs.push_back(static_cast<Var>(program.types.size()));
      program.types.push_back(types[i]);
    }
    traced.captured = all;
  }
  return all;
}

std::string ops::as_terms(Type type, const Axis& axis) {
  bool varies = type.at(axis) == State::varying;
  return varies ? fmt::format("pcast(x, \"{}\", unreduced)", axis.name)
                : fmt::format("mask(x, \"{}\")", axis.name);
}

std::optional<State> ops::joined(State a, State b) {
  if (a == b) return a;
  if (a == State::unreduced || b == State::unreduced) return std::nullopt;
  bool any_varies = a == State::varying || b == State::varying;
  return any_varies ? State::varying : State::reduced;
}

Program ops::with_output_states(const Program& program, const std::vector<AxisStates>& states) {
  bool as_they_are = true;
  for (std::size_t i = 0; i < states.size(); ++i)
    as_they_are = as_they_are && program.type(program.outputs[i]).states() == states[i];
  if (as_they_are) return program;
  auto cast = [&](const Arrays& inputs) {
    Arrays outputs = inline_program(program, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = cast_to(outputs[i], states[i]);
    return outputs;
  };
  return trace(program.types_of(program.inputs), cast).program;
}

Axes internal::axes_of(Type a, Type b) {
  Axes axes;
  for (Type type : {a, b})
    for (const auto& [axis, state] : type.states())
      if (!contains(axes, axis)) axes.push_back(axis);
  std::ranges::sort(axes);
  return axes;
}

}  // namespace tutti
