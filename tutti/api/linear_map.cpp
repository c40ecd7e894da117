// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/linear_map.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/composite.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti {

TracedCall internal::traced_call(const FlatCalled& call) try {
  Builder& builder = Builder::current();
  builder.refuse_futures(call.arguments);
  Arrays own = own_all(call.arguments);
  Types types;
  std::vector<bool> moving = builder.moving(own);
  for (std::size_t i = 0; i < own.size(); ++i) {
    types.push_back(own[i].type());
    moving[i] = moving[i] || call.by.empty() || call.by[i];
  }
  return {own, trace(types, call.function, {builder.derivatives() + call.derivatives, moving})};
} catch (const Error& error) {
  throw error.at(call.where, call.name);
}

Arrays internal::own_all(const Arrays& arrays) {
  Arrays own;
  for (const Array& array : arrays) own.push_back(Builder::current().own(array));
  return own;
}

Arrays internal::joined(Arrays front, const Arrays& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

Array internal::as_type(const Array& x, Type wanted, std::string_view what) {
  auto check = [&](bool fits, Code code) {
    require(fits, code, "{} is {}, expected {}; hand in one of that type", what, x.type(), wanted);
  };
  check(x.dtype() == wanted.dtype(), Code::dtype);
  check(x.shape() == wanted.shape(), Code::shape);
  try {
    return cast_to(x, wanted.states());
  } catch (const Error& error) {
    check(false, error.code());
    throw;
  }
}

void internal::require_differentiable(const Arrays& arguments, const std::vector<bool>& by) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    require(!by[i] || is_inexact(arguments[i].dtype()), Code::dtype,
            "argument leaf {} is {}, which has no derivative; close over it or make it a later argument", i,
            arguments[i].type());
}

// One that is not linear is refused here, not when it runs.
void internal::require_forward(const Program& program) try {
  for (const Equation& equation : program.equations) {
    if (const auto* tangent = equation.op.as<CustomTangent>()) tangent->forward();
    else
      for (const SubProgram& inner : equation.op->programs()) require_forward(*inner);
  }
} catch (const Error& error) {
  constexpr std::string_view why = "the tangent of a custom_vjp needs its backward to be linear";
  if (error.message().starts_with(why)) throw;
  throw Error(error.code(), error.where(), fmt::format("{}; {}", why, error.message()));
}

namespace {

Program varying_over(const Program& program, const Axes& axes);

// Repeats a program with implicit casts, on arguments that may vary over `axes`, with which it was not
// traced. Programs inside of its ops are typed anew: all their inputs and outputs vary over these.
Arrays replayed(const Program& program, const Arrays& arguments, const Axes& axes) {
  PerVar<Array> values(program);
  for (std::size_t i = 0; i < arguments.size(); ++i) values[program.inputs[i]] = arguments[i];
  for (const Equation& equation : program.equations) {
    Op op = equation.op;
    Arrays operands = values.of(equation.operands);
    if (!axes.empty() && !op->programs().empty()) {
      op = with_changed_programs(op, [&](const Program& inner) { return varying_over(inner, axes); });
      for (Array& operand : operands) operand = cast_to(operand, axes, State::varying);
    }
    const auto* start = op.as<Start>();
    if (const auto* several = start ? start->op.as<Composite>() : nullptr; several && !axes.empty()) {
      op = Start{Composite{shared(varying_over(*several->body, axes))}};
      for (Array& operand : operands) operand = cast_to(operand, axes, State::varying);
    }
    if (op.as<Done>()) op = Done{started(operands[0].type())->op};
    Arrays results = replay(equation, [&] { return tutti::apply(op, operands); });
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
  }
  return values.of(program.outputs);
}

Program varying_over(const Program& program, const Axes& axes) {
  Types types = program.types_of(program.inputs);
  for (Type& type : types) type = type.with(axes, State::varying);
  auto repeated = [&](const Arrays& inputs) {
    Arrays outputs = replayed(program, inputs, axes);
    for (Array& output : outputs) output = cast_to(output, axes, State::varying);
    return outputs;
  };
  return trace(types, repeated).program;
}

// The axes along which arguments vary and traced inputs do not: a pullback that was made outside of a vmap is
// called inside it.
Axes new_axes(const Program& program, const Arrays& arguments) {
  Axes axes;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const auto& [axis, state] : arguments[i].type().states())
      if (state == State::varying && program.type(program.inputs[i]).at(axis) == State::invariant &&
          !contains(axes, axis))
        axes.push_back(axis);
  return axes;
}

/// Records the results of a call in the current builder. Returns them and the two parts of the derivative.
std::pair<FlatPoint, LinearizedProgram> called(const FlatCalled& call) {
  auto [own, traced] = traced_call(call);
  const std::size_t auxiliary = call.auxiliary ? call.auxiliary() : 0;
  FlatPoint at;
  at.name = call.name;
  for (std::size_t i = 0; i < own.size(); ++i)
    at.moving.push_back((call.by.empty() || call.by[i]) && is_inexact(own[i].dtype()));
  Bits by = at.moving;
  by.resize(traced.program.inputs.size());
  LinearizedProgram parts = linearize(traced.program, by, auxiliary);
  const Arrays outputs = inline_program(parts.known, joined(own, own_all(traced.captured)));
  const auto first_residual = outputs.begin() + std::ssize(parts.active);
  at.results = Arrays(outputs.begin(), first_residual);
  at.residuals = Arrays(first_residual, outputs.end());
  at.active = Bits(parts.active.begin(), parts.active.end() - static_cast<std::ptrdiff_t>(auxiliary));
  return {std::move(at), std::move(parts)};
}

}  // namespace

Linearized internal::linearized(const FlatCalled& call) {
  auto [at, parts] = called(call);
  return {std::move(at), std::move(parts.linear)};
}

Arrays internal::push_forward(const Linearized& map, const Arrays& arguments, const Arrays& tangents,
                              Where where) {
  const FlatPoint& at = map.at;
  return front_end(at.name, where, [&] {
    Arrays inputs = own_all(at.residuals);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!at.moving[i]) continue;
      Type wanted = Builder::current().own(arguments[i]).type();
      inputs.push_back(
          as_type(Builder::current().own(tangents[i]), wanted, fmt::format("tangent leaf {}", i)));
    }
    Arrays found = replayed(map.linear, inputs, new_axes(map.linear, inputs)), all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < at.active.size(); ++i)
      all.push_back(at.active[i] ? found[next++] : zeros_of(Builder::current().own(at.results[i]).type()));
    return all;
  });
}

FlatVjp internal::vjp_flat(const FlatCalled& call) {
  auto [at, parts] = called(call);
  return {std::move(at), pullback_of(parts)};
}

Arrays internal::pull_back(const FlatVjp& vjp, const Arrays& arguments, const Arrays& cotangents,
                           Where where) {
  const FlatPoint& at = vjp.at;
  return front_end(at.name, where, [&] {
    Arrays inputs = own_all(at.residuals);
    for (std::size_t i = 0; i < at.active.size(); ++i) {
      if (!at.active[i]) continue;
      Type wanted = dual(Builder::current().own(at.results[i]).type());
      inputs.push_back(
          as_type(Builder::current().own(cotangents[i]), wanted, fmt::format("cotangent leaf {}", i)));
    }
    Arrays found = replayed(vjp.pullback, inputs, new_axes(vjp.pullback, inputs)), all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      all.push_back(at.moving[i] ? found[next++] : zeros_of(arguments[i].type()));
    return all;
  });
}

}  // namespace tutti
