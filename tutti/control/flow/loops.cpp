// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/flow/loops.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "tutti/base/counted.hpp"
#include "tutti/base/require.hpp"
#include "tutti/control/flow/scan.hpp"
#include "tutti/control/flow/while.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/compare.hpp"
#include "tutti/ops/constant.hpp"
#include "tutti/ops/elementwise.hpp"
#include "tutti/ops/iota.hpp"
#include "tutti/ops/states.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

std::int64_t length_of(const FlatScan& call) {
  std::optional<std::int64_t> length = call.options.length;
  for (const Array& x : call.xs) {
    Type type = x.type();
    require(type.rank() > 0, Code::shape, "{} has no dim to go through; xs are stacked along dim 0", type);
    require(!length || *length == type.shape()[0], Code::shape,
            "{} has {} along dim 0, but {} {}; all xs have one length", type,
            counted(type.shape()[0], "slice"), &x == call.xs.data() ? ".length is" : "the xs before have",
            length.value_or(0));
    length = type.shape()[0];
  }
  require(length.has_value(), Code::shape, "there are no xs; say how many trips with .length");
  require(*length >= 0 && *length <= std::numeric_limits<std::int32_t>::max(), Code::shape,
          "{}; ask for 0 to {}", counted(*length, "trip"), std::numeric_limits<std::int32_t>::max());
  return *length;
}

/// The first `own` carries are not the user's.
std::string carry_name(std::size_t i, std::size_t own) {
  return i < own ? "the count of trips" : fmt::format("carry {}", i - own);
}

/// Widens the types of the carries by what an iteration makes of them; true if none changed.
bool settle(Types& carries, const Program& body, std::size_t own = 0) {
  bool settled = true;
  require(body.outputs.size() >= carries.size(), Code::tree, "{} for {}",
          counted(std::ssize(body.outputs), "result"), counted(std::ssize(carries), "carry", "carries"));
  for (std::size_t i = 0; i < carries.size(); ++i) {
    Type before = carries[i], after = body.type(body.outputs[i]);
    require(before.shape() == after.shape(), Code::shape,
            "{} is {} before a trip and {} after it; keep its shape", carry_name(i, own), before, after);
    require(before.dtype() == after.dtype(), Code::dtype,
            "{} is {} before a trip and {} after it; convert it", carry_name(i, own), before, after);
    for (const Axis& axis : axes_of(before, after)) {
      std::optional<State> state = joined(before.at(axis), after.at(axis));
      bool becomes_sum = after.at(axis) == State::unreduced;
      require(state.has_value(), Code::state, "{} is {} before a trip and {} after it ({}, {}). {}",
              carry_name(i, own), in_words(before, axis), in_words(after, axis), before, after,
              becomes_sum ? fmt::format("Start with terms: {}, or reduce in the loop: psum(x, \"{}\")",
                                        as_terms(before, axis), axis.name)
                          : fmt::format("Reduce before the loop: psum(x, \"{}\")", axis.name));
      carries[i] = carries[i].with(axis, *state);
    }
    settled = settled && carries[i] == before;
  }
  return settled;
}

std::vector<AxisStates> states_of_outputs(const Program& body, const Types& carries) {
  std::vector<AxisStates> states;
  for (Type type : carries) states.push_back(type.states());
  for (std::size_t i = carries.size(); i < body.outputs.size(); ++i)
    states.push_back(body.type(body.outputs[i]).states());
  return states;
}

/// The axes over which every use of an input is a cast I -> V, or I -> R into a loop inside.
Axes always_cast_over(const Program& body, Var input) {
  std::optional<Axes> common;
  if (std::ranges::find(body.outputs, input) != body.outputs.end()) return {};
  for (const Equation& equation : body.equations) {
    if (std::ranges::find(equation.operands, input) == equation.operands.end()) continue;
    const Cast* cast = equation.op.as<Cast>();
    if (!cast || cast->from != State::invariant) return {};
    Axes both;
    for (const Axis& axis : common.value_or(cast->axes))
      if (contains(cast->axes, axis)) both.push_back(axis);
    common = both;
  }
  return common.value_or(Axes{});
}

/// A const, or xs, used only as V or R enters as R: its cotangent is then a sum of terms, reduced once after
/// the loop and not in every iteration.
Program with_reduced_inputs(const Program& original, std::size_t consts, std::size_t carries) {
  Program body = without_common_subexpressions(with_early_casts(original));
  Builder builder;
  PerVar<Array> values(body);
  PerVar<bool> reduced(body);
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    Var var = body.inputs[i];
    Type type = body.type(var);
    bool is_carry = i >= consts && i < consts + carries;
    Axes axes = !is_carry && tangent(type) ? always_cast_over(body, var) : Axes{};
    reduced[var] = !axes.empty();
    values[var] = builder.input(type.with(axes, State::reduced));
  }
  for (const Equation& equation : body.equations) {
    const Cast* cast = equation.op.as<Cast>();
    if (cast && reduced[equation.operands[0]]) {
      values[equation.results[0]] =
          replay(equation, [&] { return cast_to(values[equation.operands[0]], cast->axes, cast->to); });
      continue;
    }
    Arrays results = repeat(equation, values.of(equation.operands));
    for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
  }
  return builder.finish(values.of(body.outputs));
}

Arrays own_arrays(const Arrays& arrays) {
  Arrays own;
  for (const Array& array : arrays) own.push_back(Builder::current().own(array));
  return own;
}

/// The consts, now captured last, first.
Program with_consts_first(Program body, std::size_t declared) {
  std::ranges::rotate(body.inputs, body.inputs.begin() + static_cast<std::ptrdiff_t>(declared));
  return body;
}

}  // namespace

Arrays internal::scan_flat(const FlatScan& call, Where where) try {
  Arrays init, xs;
  Types carries, types;
  std::int64_t length = 0;
  front_end(call.name, where, [&] {
    init = own_arrays(call.init);
    xs = own_arrays(call.xs);
    length = length_of(call);
    for (const Array& array : init) carries.push_back(array.type());
  });
  std::vector<InnerTrace> traces;
  for (bool settled = false; !settled;) {
    types = carries;
    for (const Array& x : xs) types.push_back(x.type().erased(Dim{0}));
    traces = {trace_inside(types, {}, call.function)};
    settled = front_end(call.name, where, [&] { return settle(carries, traces[0].program); });
  }
  return front_end(call.name, where, [&] {
    Arrays operands = share_captured(traces);
    std::size_t consts = operands.size();
    Program body = with_output_states(traces[0].program, states_of_outputs(traces[0].program, carries));
    body = with_reduced_inputs(with_consts_first(std::move(body), types.size()), consts, init.size());
    operands.insert(operands.end(), init.begin(), init.end());
    operands.insert(operands.end(), xs.begin(), xs.end());
    return tutti::apply(Scan{shared(std::move(body)), static_cast<int>(consts), static_cast<int>(init.size()),
                             length, call.options.reverse},
                        operands);
  });
} catch (const Error& error) {
  throw error.at(where, call.name);
}

Arrays internal::while_flat(const FlatWhile& call, Where where) try {
  Arrays init;
  Types carries;
  front_end(call.name, where, [&] {
    init = own_arrays(call.init);
    for (const Array& array : init) carries.push_back(array.type());
  });
  std::vector<InnerTrace> traces;
  Divergence divergent{{}, call.what, {}};
  for (bool settled = false; !settled;) {
    traces = {trace_inside(carries, divergent, call.test), trace_inside(carries, divergent, call.body)};
    settled = front_end(call.name, where, [&] {
      Type decider = traces[0].program.type(traces[0].program.outputs[0]);
      require(decider.with(AxisStates{}) == Type(DType::boolean, {}), Code::dtype,
              "the test gives {}, expected a bool scalar; compare something", decider);
      // Whether they communicate over it is seen once all types are: a gradient by a carry that is still I
      // would.
      require_decidable(call.what, decider, {});
      bool same = varying_axes(decider) == divergent.axes;
      divergent = {varying_axes(decider), call.what, decider};
      for (std::size_t i = 0; i < carries.size(); ++i) {
        Type wide = entering(carry_name(i, call.own), carries[i], divergent);
        same = same && wide == carries[i];
        carries[i] = wide;
      }
      return same && settle(carries, traces[1].program, call.own);
    });
  }
  return front_end(call.name, where, [&] {
    require_decidable(call.what, *divergent.by, {shared(traces[0].program), shared(traces[1].program)});
    Arrays operands = share_captured(traces);
    std::size_t consts = operands.size();
    Program body = with_output_states(traces[1].program, states_of_outputs(traces[1].program, carries));
    operands.insert(operands.end(), init.begin(), init.end());
    return tutti::apply(While{shared(with_consts_first(traces[0].program, carries.size())),
                              shared(with_consts_first(std::move(body), carries.size())),
                              static_cast<int>(consts)},
                        operands);
  });
} catch (const Error& error) {
  throw error.at(where, call.name);
}

namespace {

std::int64_t whole_number(const Number& number) {
  require(std::holds_alternative<std::int64_t>(number), Code::number,
          "a bound is no whole number; give whole numbers, or integer arrays");
  return static_cast<std::int64_t>(as_scalar(number, DType::i32).at(0));
}

/// The bounds in this trace, two integer scalars of one dtype.
std::pair<Array, Array> bounds(const Operand& lower, const Operand& upper) {
  Array first = as_array(lower, {upper}), end = as_array(upper, {lower});
  for (const Array& bound : {first, end}) {
    require(bound.rank() == 0, Code::shape, "a bound is {}, expected a scalar; for one per element use vmap",
            bound.type());
    require(is_integer(bound.dtype()), Code::dtype, "a bound is {}, not an integer; convert it: {}",
            bound.type(), conversion_to(DType::i32));
  }
  require_same_dtype(first.type(), end.type());
  return {first, end};
}

Arrays without_first(Arrays arrays) {
  arrays.erase(arrays.begin());
  return arrays;
}

Arrays counted_loop(const Operand& lower, const Operand& upper, const InnerFunction& body,
                    const Arrays& init) {
  std::int64_t first = 0, iterations = 0;
  Array numbers = front_end("fori_loop", lower.where(), [&] {
    first = whole_number(*lower.number());
    iterations = std::max<std::int64_t>(whole_number(*upper.number()) - first, 0);
    return arange(iterations, DType::i32) + first;
  });
  auto one_iteration = [&](const Arrays& leaves) {  // the number comes last, as a slice
    Arrays arguments{leaves.back()};
    arguments.insert(arguments.end(), leaves.begin(), leaves.end() - 1);
    return body(arguments);
  };
  return scan_flat({"fori_loop", one_iteration, init, {numbers}, {}}, lower.where());
}

Arrays loop_to_array(const Operand& lower, const Operand& upper, const InnerFunction& body,
                     const Arrays& init) {
  auto here = [&](auto record) { return front_end("fori_loop", lower.where(), record); };
  auto [first, end] = here([&] { return bounds(lower, upper); });
  auto goes_on = [&, &end = end](const Arrays& leaves) {
    return here([&] { return Arrays{leaves[0] < end}; });
  };
  auto one_iteration = [&](const Arrays& leaves) {
    Arrays next = body(leaves);
    next.insert(next.begin(), here([&] { return leaves[0] + 1; }));
    return next;
  };
  Arrays start = init;
  start.insert(start.begin(), first);
  return without_first(
      while_flat({"fori_loop", "the range of trips", goes_on, one_iteration, start, 1}, lower.where()));
}

}  // namespace

Arrays internal::fori_flat(const Operand& lower, const Operand& upper, const InnerFunction& body,
                           const Arrays& init) try {
  bool are_numbers = lower.number() && upper.number();
  return are_numbers ? counted_loop(lower, upper, body, init) : loop_to_array(lower, upper, body, init);
} catch (const Error& error) {
  throw error.at(lower.where(), "fori_loop");
}

}  // namespace tutti
