// SPDX-License-Identifier: Apache-2.0
#include "tutti/api/derivatives.hpp"

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/composite.hpp"
#include "tutti/control/wrapped/custom_rules.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/stop_gradient.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

Types types_of(const Arrays& arrays) {
  Types types;
  for (const Array& array : arrays) types.push_back(array.type());
  return types;
}

Arrays joined(Arrays front, const Arrays& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

// The arguments as values of the current builder, followed by what the function captured.
Arrays own_all(const Arrays& arrays) {
  Arrays own;
  for (const Array& array : arrays) own.push_back(Builder::current().own(array));
  return own;
}

// The arguments as values here, and the program of the function on them.
struct TracedCall {
  Arrays own;
  TracedProgram traced;
};

TracedCall traced_call(std::string_view name, const FlatFunction& function, const Arrays& arguments,
                       Where where) try {
  Builder::current().refuse_futures(arguments);
  Arrays own = own_all(arguments);
  return {own, trace(types_of(own), function)};
} catch (const Error& error) {
  throw error.at(where, name);
}

void check_loss(const Program& program) {
  require(!program.outputs.empty(), Code::shape, "the function returns nothing; return the loss, a scalar");
  Type loss = program.type(program.outputs[0]);
  require(loss.rank() == 0, Code::shape, "the loss is {}, not a scalar; sum it with reduce_sum or mean",
          to_string(loss));
  require(
      !is_complex(loss.dtype()), Code::dtype,
      "the loss is {}, which is complex and has no smallest value; return a real number, such as real(loss)",
      to_string(loss));
  require(is_float(loss.dtype()), Code::dtype, "the loss is {}, which has no derivative; return a float",
          to_string(loss));
}

void check_differentiable(const Arrays& arguments, const Bits& by) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    require(!by[i] || is_inexact(arguments[i].dtype()), Code::dtype,
            "argument leaf {} is {}, which has no derivative; close over it or make it a later argument", i,
            to_string(arguments[i].type()));
}

// `x` cast to `wanted` where a cast is free.
Array as_type(const Array& x, Type wanted, std::string_view what) {
  auto check = [&](bool fits, Code code) {
    require(fits, code, "{} is {}, expected {}; hand in one of that type", what, to_string(x.type()),
            to_string(wanted));
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

Program varying_over(const Program& program, const Axes& axes);

// Repeats a program with implicit casts, on arguments that may vary over `axes`, with which it was not traced. Programs
// inside of its ops are typed anew: all their inputs and outputs vary over these.
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

// The axes over which arguments vary and inputs do not: those of a vmap inside of which a pullback of outside is called.
Axes new_axes(const Program& program, const Arrays& arguments) {
  Axes axes;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const auto& [axis, state] : arguments[i].type().states())
      if (state == State::varying && program.type(program.inputs[i]).at(axis) == State::invariant &&
          !contains(axes, axis))
        axes.push_back(axis);
  return axes;
}

// The equations that an output depends on.
Bits equations_for(const Program& program, Var output) {
  PerVar<bool> needed(program);
  needed[output] = true;
  Bits marked(program.equations.size());
  for (std::size_t i = program.equations.size(); i-- > 0;) {
    const Equation& equation = program.equations[i];
    marked[i] = std::ranges::any_of(equation.results, [&](Var var) { return needed[var]; });
    if (marked[i])
      for (Var var : equation.operands) needed[var] = true;
  }
  return marked;
}

// Results beside the loss are not differentiated: what only they need takes its operands without tangents.
Program with_auxiliaries_held(const Program& program) {
  if (program.outputs.size() == 1) return program;
  Bits of_loss = equations_for(program, program.outputs[0]);
  Builder builder;
  PerVar<Array> values(program), held(program);
  for (Var var : program.inputs) held[var] = values[var] = builder.input(program.type(var));
  PerVar<bool> is_held(program);
  for (std::size_t e = 0; e < program.equations.size(); ++e) {
    const Equation& equation = program.equations[e];
    Arrays operands = values.of(equation.operands);
    for (std::size_t i = 0; i < operands.size() && !of_loss[e]; ++i) {
      Var var = equation.operands[i];
      if (!is_held[var] && tangent(program.type(var)))
        held[var] = replay(equation, [&] { return apply_one(StopGradient{}, {values[var]}); });
      is_held[var] = true;
      operands[i] = held[var];
    }
    Arrays results = repeat(equation, operands);
    for (std::size_t i = 0; i < results.size(); ++i) {
      held[equation.results[i]] = values[equation.results[i]] = results[i];
      is_held[equation.results[i]] = !of_loss[e];
    }
  }
  return builder.finish(values.of(program.outputs));
}

// A gradient of its own runs forwards where it is linear. One that is not is refused here, not when it runs.
void require_forward(const Program& program) try {
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

}  // namespace

FlatGradient value_and_grad_flat(std::string_view name, const FlatFunction& function, const Arrays& arguments,
                                 const Bits& by, Where where) {
  auto [own, traced] = traced_call(name, function, arguments, where);
  Program derivative;
  auto wanted = by;
  wanted.resize(traced.program.inputs.size());
  try {
    check_loss(traced.program);
    check_differentiable(own, by);
    derivative = vjp(with_auxiliaries_held(traced.program), wanted);
  } catch (const Error& error) {
    throw error.at(where, name);
  }
  return front_end(name, where, [&own = own, &traced = traced, &derivative] {
    Arrays inputs = joined(own, own_all(traced.captured));
    for (std::size_t i = 0; i < traced.program.outputs.size(); ++i) {
      Type type = traced.program.type(traced.program.outputs[i]);
      if (tangent(type)) inputs.push_back(i == 0 ? ones_of(dual(type)) : zeros_of(dual(type)));
    }
    Arrays outputs = inline_program(derivative, inputs);
    auto middle = outputs.begin() + static_cast<std::ptrdiff_t>(traced.program.outputs.size());
    FlatGradient found{{outputs.begin(), middle}, {middle, outputs.end()}};
    return found;
  });
}

FlatJvp jvp_flat(const FlatFunction& function, const Arrays& arguments, const Arrays& tangents, Where where) {
  auto [own, traced] = traced_call("jvp", function, arguments, where);
  return front_end("jvp", where, [&own = own, &traced = traced, &tangents] {
    Bits nonzero(own.size(), true);
    nonzero.resize(traced.program.inputs.size());
    JvpProgram derived = jvp(traced.program, nonzero, Bits(traced.program.outputs.size(), true));
    require_forward(derived.program);
    Arrays inputs = joined(own, own_all(traced.captured));
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (!is_inexact(own[i].dtype())) continue;
      inputs.push_back(
          as_type(Builder::current().own(tangents[i]), own[i].type(), fmt::format("tangent leaf {}", i)));
    }
    Arrays outputs = inline_program(derived.program, inputs);
    FlatJvp found;
    std::size_t next = traced.program.outputs.size();
    for (std::size_t i = 0; i < derived.nonzero.size(); ++i) {
      found.results.push_back(outputs[i]);
      found.tangents.push_back(derived.nonzero[i] ? outputs[next++] : zeros_of(outputs[i].type()));
    }
    return found;
  });
}

FlatVjp vjp_flat(const FlatFunction& function, const Arrays& arguments, Where where) {
  auto [own, traced] = traced_call("vjp", function, arguments, where);
  Program program = without_common_subexpressions(with_early_casts(traced.program));
  Bits nonzero(own.size(), true);
  nonzero.resize(program.inputs.size());
  JvpProgram derived = jvp(program, nonzero);
  Bits linear(derived.program.inputs.size());
  std::fill(linear.begin() + static_cast<std::ptrdiff_t>(program.inputs.size()), linear.end(), true);
  SplitProgram halves = split(derived.program, linear);
  Arrays outputs = inline_program(halves.known, joined(own, own_all(traced.captured)));
  auto middle = outputs.begin() + static_cast<std::ptrdiff_t>(program.outputs.size());
  Bits linear_inputs(halves.linear.inputs.size());
  for (std::size_t i = static_cast<std::size_t>(outputs.end() - middle); i < linear_inputs.size(); ++i)
    linear_inputs[i] = true;
  return {{outputs.begin(), middle},
          transpose(halves.linear, linear_inputs),
          {middle, outputs.end()},
          derived.nonzero};
}

Arrays pull_back(const FlatVjp& vjp, const Arrays& arguments, const Arrays& cotangents, Where where) {
  return front_end("vjp", where, [&] {
    Arrays inputs = own_all(vjp.residuals);
    for (std::size_t i = 0; i < vjp.results.size(); ++i) {
      if (!vjp.active[i]) continue;
      Type wanted = dual(Builder::current().own(vjp.results[i]).type());
      inputs.push_back(
          as_type(Builder::current().own(cotangents[i]), wanted, fmt::format("cotangent leaf {}", i)));
    }
    Arrays found = replayed(vjp.pullback, inputs, new_axes(vjp.pullback, inputs)), all;
    std::size_t next = 0;
    for (const Array& argument : arguments) {
      Type type = argument.type();
      all.push_back(is_inexact(type.dtype()) ? found[next++] : zeros_of(type));
    }
    return all;
  });
}

}  // namespace tutti
