// SPDX-License-Identifier: Apache-2.0
#include "tests/laws/law.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti {
namespace {

constexpr State states[] = {State::invariant, State::varying, State::unreduced, State::reduced};

bool accepts(const Op& op, const Types& operands) {
  try {
    op->infer(operands);
    return true;
  } catch (const Error& error) {
    if (error.code() == Code::internal) throw;
    return false;
  }
}

// The dtype has no part in the states: these are tried in one. But some ops are of complex numbers only.
bool is_of_more_dtypes(Type type) {
  auto more = more_dtypes();
  return type.dtype() != DType::complex128 && std::ranges::find(more, type.dtype()) != more.end();
}

// No op makes such a value.
bool is_sum_of_bools(Type type) {
  auto is_sum = [](const auto& axis_and_state) { return axis_and_state.second == State::unreduced; };
  return type.dtype() == DType::boolean && std::ranges::any_of(type.states(), is_sum);
}

class Variants {
 public:
  explicit Variants(const Example& example)
      : example_(example), found_{example}, seen_{types_of(example.operands)} {}

  std::vector<Example> all() && {
    if (example_.operands.empty() || std::ranges::any_of(seen_[0], is_of_more_dtypes))
      return std::move(found_);
    const Axes& axes = example_mesh().axes();
    for (const Axis& axis : axes) add_all_states(axis, seen_[0], 0);
    for (std::size_t i = 0; i < axes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        for (State first : states)
          for (State second : states) add(alike(alike(seen_[0], axes[i], first), axes[j], second));
    return std::move(found_);
  }

 private:
  static Types alike(Types types, const Axis& axis, State state) {
    for (Type& type : types) type = type.with(axis, state);
    return types;
  }

  // Operands before `next` have got their state along the axis.
  void add_all_states(const Axis& axis, Types types, std::size_t next) {
    if (next == types.size()) return add(types);
    for (State state : states) {
      types[next] = types[next].with(axis, state);
      add_all_states(axis, types, next + 1);
    }
  }

  void add(const Types& types) {
    if (std::ranges::find(seen_, types) != seen_.end()) return;
    seen_.push_back(types);
    if (std::ranges::any_of(types, is_sum_of_bools) || !accepts(example_.op, types)) return;
    Example variant = example_;
    for (std::size_t i = 0; i < types.size(); ++i) variant.operands[i].type = types[i];
    found_.push_back(std::move(variant));
  }

  const Example& example_;
  std::vector<Example> found_;
  std::vector<Types> seen_;
};

}  // namespace

std::string Findings::text() const {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < broken_.size() && i < shown; ++i) text += broken_[i] + "\n";
  if (broken_.size() > shown) text += fmt::format("and {} more", broken_.size() - shown);
  return text;
}

Findings tried(Law law, const std::vector<Example>& examples) {
  Findings findings;
  for (const Example& example : examples)
    for (const Example& variant : variants(example)) try {
        law(variant, findings);
      } catch (const Error& error) {
        findings.broken(described(variant) + ": " + error.what());
      }
  return findings;
}

std::vector<Example> variants(const Example& example) { return Variants(example).all(); }

std::string described(const Example& example) {
  std::string text = to_string(example.op);
  for (std::size_t i = 0; i < example.operands.size(); ++i)
    text += (i == 0 ? " " : ", ") + to_string(example.operands[i].type);
  return text;
}

Program program_of(const Example& example) {
  Builder builder;
  auto place = builder.on_behalf_of({place_of_example, example.op->name()});
  Arrays operands;
  for (Type type : types_of(example.operands)) operands.push_back(builder.input(type));
  return builder.finish(finished(example.op, operands, builder.add(example.op, operands)));
}

namespace {

/// The example's values for an input of this type, if it has any. An example has at most one given operand of
/// a dtype and shape.
std::optional<PerDevice> given_values(Random& random, const std::vector<ExampleOperand>& operands,
                                      Type type) {
  for (const ExampleOperand& operand : operands) {
    if (!operand.given || operand.type.dtype() != type.dtype()) continue;
    PerDevice given = random_value(random, operand, Numbers::any);
    if (operand.type.shape() == type.shape()) return given;
    for (const Axis& axis : example_mesh().axes())
      if (is_stored_per_device(operand.type.at(axis)) && !is_stored_per_device(type.at(axis)) &&
          operand.type.shape().inserted(Dim{0}, axis.size) == type.shape())
        return lanes_along(axis, given);
  }
  return std::nullopt;
}

}  // namespace

std::vector<PerDevice> values_for(Random& random, const Program& program,
                                  const std::vector<ExampleOperand>& operands, Numbers numbers) {
  std::vector<PerDevice> values;
  for (Type type : program.types_of(program.inputs)) {
    std::optional<PerDevice> given = given_values(random, operands, type);
    values.push_back(given ? *given : random_value(random, type, numbers));
  }
  return values;
}

Bits float_inputs(const Program& program) {
  Bits floats;
  for (Var var : program.inputs) floats.push_back(tangent(program.type(var)).has_value());
  return floats;
}

std::vector<Bits> linear_inputs(const Example& example) {
  Bits floats = float_inputs(program_of(example));
  if (std::ranges::none_of(floats, std::identity{})) return {};
  if (example.op->mixing() != Mixing::bilinear) return {floats};
  std::vector<Bits> each;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    Bits alone(floats.size());
    alone[i] = true;
    if (floats[i]) each.push_back(alone);
  }
  return each;
}

bool may_refuse_transpose(const Example& example) {
  bool is_bilinear = example.op->mixing() == Mixing::bilinear;
  bool has_programs = !example.op->programs().empty();  // which need not be linear
  return is_bilinear || has_programs || !example.op->refusal(Rule::transpose).empty() ||
         !tangent(example.op->infer(types_of(example.operands))[0]);
}

}  // namespace tutti
