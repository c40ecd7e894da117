// SPDX-License-Identifier: Apache-2.0
#include "tutti/cli/ops/op_facts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/start.hpp"
#include "tutti/lower/lower.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/collectives/reduce_scatter.hpp"
#include "tutti/read/program/device_program.hpp"
#include "tutti/run/watch/equal_terms.hpp"
#include "tutti/stablehlo/write/write.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/vjp.hpp"

namespace tutti::cli {
namespace {

constexpr State all_states[] = {State::invariant, State::varying, State::unreduced, State::reduced};

bool accepts(const Op& op, const Types& operands) try {
  op->infer(operands);
  return true;
} catch (const Error&) {
  return false;
}

bool differs_between_devices(const Example& example) {
  Types types = types_of(example);
  std::ranges::copy(example.op->infer(types), std::back_inserter(types));
  return std::ranges::any_of(types, [](Type type) { return !type.states().empty(); });
}

// With `dtype` in place of one of its own, wherever the operands have that.
bool may_have(const Example& example, DType dtype) {
  const Types own = types_of(example);
  return std::ranges::any_of(own, [&](Type replaced) {
    Types types = own;
    for (Type& type : types)
      if (type.dtype() == replaced.dtype()) type = type.with(dtype);
    return accepts(example.op, types);
  });
}

std::string with_shapes(const Types& types) {
  std::string text;
  for (Type type : types) text += (text.empty() ? "" : ", ") + to_string(type.with(AxisStates{}));
  return text.empty() ? "()" : text;
}

// The distinct states of the results along one axis.
std::string states_along(const Axis& axis, const Arrays& results) {
  std::string text;
  for (const Array& result : results) {
    char state = letter(result.type().at(axis));
    if (text.find(state) == text.npos) text += (text.empty() ? "" : ", ") + std::string(1, state);
  }
  return text;
}

StatesOutcome outcome(const Example& example, const Axis& axis, const std::vector<State>& states) {
  Types types = types_of(example);
  for (std::size_t i = 0; i < types.size(); ++i)
    types[i] = types[i].with(axis, states[std::min(i, states.size() - 1)]);
  StatesOutcome found{states, "-", {}};
  Builder builder;
  try {
    Arrays operands;
    for (Type type : types) operands.push_back(builder.input(type));
    found.result = states_along(axis, tutti::apply(example.op, operands));
  } catch (const Error& error) {
    found.refusal = error.message();
  }
  return found;
}

std::vector<StatesOutcome> outcomes(const Example& example, const Axis& axis) {
  std::vector<StatesOutcome> all;
  for (State first : all_states) {
    if (example.operands.size() != 2) all.push_back(outcome(example, axis, {first}));
    else
      for (State second : all_states) all.push_back(outcome(example, axis, {first, second}));
  }
  return all;
}

bool alike(const std::vector<StatesOutcome>& a, const std::vector<StatesOutcome>& b) {
  return std::ranges::equal(a, b, {}, &StatesOutcome::result, &StatesOutcome::result);
}

// The program after `transform` as text, or the reason why it is refused.
template <class F>
std::string text_of(F transform) try {
  return to_string(without_places(without_dead_code(transform())));
} catch (const Error& error) {
  return fmt::format("refused: {}\n", error.message());
}

Bits inexact_inputs(const Program& program) {
  Bits inexact;
  for (Type type : program.types_of(program.inputs)) inexact.push_back(is_inexact(type.dtype()));
  return inexact;
}

// The derivative by all floats and complex numbers, as text.
template <class F>
std::string derivative_text(const Example& given, F derivative) {
  const Example example = from_the_start(given);
  Program program = program_of(example.op, types_of(example));
  Bits by = inexact_inputs(program);
  if (std::ranges::none_of(by, std::identity{})) return "refused: no operand is a float or complex\n";
  return text_of([&] { return derivative(program, by); });
}

// The operands with lanes along `axis`: all of them, or else the first.
std::optional<Types> with_lanes(const Example& example, const Axis& axis) {
  Types all = types_of(example), first = all;
  if (all.empty()) return std::nullopt;
  for (Type& type : all) type = type.with(axis, varying);
  first[0] = first[0].with(axis, varying);
  if (accepts(example.op, all)) return all;
  return accepts(example.op, first) ? std::optional(first) : std::nullopt;
}

// An axis that has lanes already, if the op was made for operands of certain states.
std::optional<Axis> axis_of_lanes(const Example& example) {
  Types types = types_of(example);
  std::ranges::copy(example.op->infer(types), std::back_inserter(types));
  for (Type type : types)
    for (const Axis& axis : example_mesh().axes())
      if (has_lanes(type, axis) && !contains(example.op->communicates(), axis)) return axis;
  return std::nullopt;
}

}  // namespace

Types types_of(const Example& example) {
  Types types;
  for (const ExampleOperand& operand : example.operands) types.push_back(operand.type);
  return types;
}

Program program_of(const Op& op, const Types& operands) {
  auto body = [&](const Arrays& x) { return finished(op, x, Builder::current().add(op, x)); };
  return trace(operands, body).program;
}

const Example& shown_example(const OpRow& row) {
  auto shown = std::ranges::find_if(row.examples, differs_between_devices);
  return shown == row.examples.end() ? row.examples.front() : *shown;
}

std::vector<std::string> front_ends(const OpRow& row) {
  std::string_view list = shown_example(row).op->about().front_ends;
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size(); begin += names.back().size() + 2)
    names.emplace_back(list.substr(begin, list.find(", ", begin) - begin));
  return names;
}

std::vector<std::string> family(const OpRow& row) {
  std::vector<std::string> names;
  for (const OpRow& other : all_ops())
    if (shown_example(other).op->type_tag() == shown_example(row).op->type_tag()) names.push_back(other.name);
  return names.size() == 1 ? std::vector<std::string>{} : names;
}

std::vector<std::string> shapes(const OpRow& row) {
  std::vector<std::string> found;
  std::set<std::string> seen;  // of whatever dtypes
  for (const Example& example : row.examples) {
    Types operands = types_of(example), results = example.op->infer(operands);
    std::string all;
    for (const Types* types : {&operands, &results})
      for (Type type : *types) all += to_string(type.shape()) + ";";
    if (seen.insert(all).second) found.push_back(with_shapes(operands) + " -> " + with_shapes(results));
  }
  return found;
}

std::vector<std::string> dtypes(const OpRow& row) {
  std::vector<std::string> found;
  for (DType dtype : all_dtypes())
    if (std::ranges::any_of(row.examples, [&](const Example& example) { return may_have(example, dtype); }))
      found.emplace_back(name(dtype));
  return found;
}

std::vector<StatesAlong> accepted_states(const Example& example) {
  std::vector<StatesAlong> found;
  if (example.operands.empty()) return found;
  for (const Axis& axis : example_mesh().axes()) {
    std::vector<StatesOutcome> here = outcomes(example, axis);
    auto same = std::ranges::find_if(found, [&](const auto& other) { return alike(other.outcomes, here); });
    if (same == found.end()) found.push_back({{axis}, here});
    else same->axes.push_back(axis);
  }
  return found;
}

std::vector<std::string> lowered(const Example& given) {
  const Example example = from_the_start(given);
  stablehlo::Module module = lower_per_device(program_of(example.op, types_of(example)), example_mesh());
  std::vector<std::string> names;
  for (const stablehlo::Operation& whole : module.functions[0].body.operations)
    for (const stablehlo::Block& inside : whole.regions)
      for (const stablehlo::Operation& operation : inside.operations)
        if (std::ranges::find(names, operation.name) == names.end()) names.push_back(operation.name);
  std::erase(names, "sdy.return");
  return names;
}

std::vector<std::string> read_again(const Example& given) {
  const Example example = from_the_start(given);
  const Program program = program_of(example.op, types_of(example));
  const SourceModule source(stablehlo::write(lower_per_device(program, example_mesh())), "example");
  const Program again = device_program(source, example_mesh(), program.types_of(program.inputs));
  std::vector<std::string> names;
  for (const Equation& equation : without_dead_code(again).equations) {
    const std::string text = to_string(equation.op), name = text.substr(0, text.find('{'));
    if (name != "cast" && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string program_text(const Example& given) {
  const Example example = from_the_start(given);
  return to_string(without_places(program_of(example.op, types_of(example))));
}

std::string jvp_text(const Example& example) {
  return derivative_text(example, [](const Program& p, const Bits& by) { return jvp(p, by).program; });
}

std::string gradient_text(const Example& example) {
  return derivative_text(example, [](const Program& p, const Bits& by) { return vjp(p, by); });
}

std::string equal_value_text(std::string_view name) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool scatters = is_one_of({"psum_scatter", "reduce_scatter", "psum_scatter_start"});
  if (!scatters && !is_one_of({"psum", "all_reduce", "psum_start"})) return "";
  const Axis& axis = example_mesh().axes()[0];
  const Type x(DType::f32, scatters ? Shape{axis.size, 3} : Shape{3});
  const auto sum = [&](const Arrays& in) {
    return Arrays{scatters ? psum_scatter(in[0], axis) : psum(in[0], axis)};
  };
  const Program program = without_places(trace({x}, sum).program);
  std::string text = to_string(program);
  for (const std::string& line : equal_terms(program)) text += line + "\n";
  return text;
}

std::vector<std::pair<std::string, std::string>> batched_texts(const Example& given) {
  const Example example = from_the_start(given);
  std::vector<std::pair<std::string, std::string>> found;
  auto add = [&](const Types& types, const Axis& axis, std::string_view note) {
    found.emplace_back(fmt::format("{}{}", axis.name, note),
                       text_of([&] { return batch(program_of(example.op, types), axis); }));
  };
  for (const Axis& axis : example.op->communicates()) add(types_of(example), axis, ", one of its own axes");
  const Axis& other = example_mesh().axes()[2];
  if (std::optional<Types> types = with_lanes(example, other)) add(*types, other, "");
  else if (std::optional<Axis> axis = axis_of_lanes(example)) add(types_of(example), *axis, "");
  return found;
}

}  // namespace tutti::cli
