// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/wrapped/remat.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/ir/emitter.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/binary.hpp"
#include "tutti/ops/checkpoint_name.hpp"
#include "tutti/ops/collectives/all_reduce.hpp"
#include "tutti/ops/dot_general.hpp"
#include "tutti/ops/optimization_barrier.hpp"
#include "tutti/ops/unary.hpp"
#include "tutti/ops/zero_tangent.hpp"
#include "tutti/transform/batch.hpp"
#include "tutti/transform/jvp.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"
#include "tutti/transform/transpose.hpp"

namespace tutti {
namespace {

std::string_view name_of(RematPolicy policy) {
  switch (policy) {
    case RematPolicy::nothing: return "nothing";
    case RematPolicy::dots: return "dots";
    case RematPolicy::everything: return "everything";
  }
  return {};
}

/// The name that `keep` lists, if the equation gives one.
const CheckpointName* kept_name(const Equation& equation, const std::vector<std::string>& keep) {
  const auto* name = equation.op.as<CheckpointName>();
  return name && std::ranges::find(keep, name->called) != keep.end() ? name : nullptr;
}

bool is_kept(const Equation& equation, const Remat& remat) {
  if (kept_name(equation, remat.keep)) return true;
  switch (remat.policy) {
    case RematPolicy::nothing: return false;
    case RematPolicy::dots: return equation.op.as<DotGeneral>() != nullptr;
    case RematPolicy::everything: return true;
  }
  return false;
}

/// The program that recomputes the residuals of the linear half from operands and kept values.
struct Recomputation {
  Program program;        // (operands, kept values that it needs) -> residuals
  std::vector<Var> kept;  // variables of the known half
};

/// Lets all readers of a value with a kept name read the named value. So a tanh whose derivative reads its
/// own result is not recomputed.
void read_by_kept_names(Program& known, const std::vector<std::string>& keep) {
  PerVar<Var> read(known);
  for (std::size_t var = 0; var < known.types.size(); ++var)
    read[static_cast<Var>(var)] = static_cast<Var>(var);
  for (const Equation& equation : known.equations) {
    if (!kept_name(equation, keep)) continue;
    const Var value = equation.operands[0], named = equation.results[0];
    if (std::ranges::find(known.inputs, value) != known.inputs.end()) read[named] = value;  // is kept anyway
    else read[value] = named;
  }
  for (Equation& equation : known.equations)
    if (!kept_name(equation, keep))
      for (Var& var : equation.operands) var = read[var];
  for (Var& var : known.outputs) var = read[var];
}

Recomputation computed_again(Program known, std::size_t results, const Remat& remat) {
  known.outputs.erase(known.outputs.begin(), known.outputs.begin() + static_cast<std::ptrdiff_t>(results));
  read_by_kept_names(known, remat.keep);
  std::vector<Var> kept;
  std::erase_if(known.equations, [&](const Equation& equation) {
    if (!is_kept(equation, remat)) return false;
    kept.insert(kept.end(), equation.results.begin(), equation.results.end());
    return true;
  });
  known = without_dead_code(without_effects(std::move(known)));
  PerVar<bool> needed(known);
  for (Var var : known.outputs) needed[var] = true;
  for (const Equation& equation : known.equations)
    for (Var var : equation.operands) needed[var] = true;
  std::erase_if(kept, [&](Var var) { return !needed[var]; });
  known.inputs.insert(known.inputs.end(), kept.begin(), kept.end());
  return {std::move(known), std::move(kept)};
}

}  // namespace

Parameters Remat::parameters() const {
  Parameters all{{"policy", std::string(name_of(policy))}};
  if (!keep.empty()) all.push_back({"keep", fmt::format("['{}']", fmt::join(keep, "', '"))});
  return all;
}
bool Remat::operator==(const Remat& other) const {
  return policy == other.policy && keep == other.keep && same_programs({body}, {other.body});
}
Axes Remat::communicates() const { return communicated_axes({body}); }
std::vector<AxisStates> Remat::wants(const Types&) const { return call_wants(*body); }
Types Remat::infer(const Types& operands) const { return call_infer(*body, operands); }
Kernel Remat::kernel(const Layout&) const { return kernel::Sub{kernel::Sub::Control::call, {body}}; }

Jvp Remat::jvp(const Arrays& operands, const Tangents& tangents) const {
  Bits nonzero = marked(tangents);
  JvpProgram derived = tutti::jvp(*body, nonzero);
  Arrays results =
      tutti::apply(Remat{shared(derived.program), policy, keep}, with_tangents(operands, tangents, nonzero));
  return without_groups(results, by_groups({derived.nonzero.size()}, derived.nonzero), derived.nonzero);
}

OpSplit Remat::split(const LinearOperands& operands) const {
  Bits linear = linear_ones(operands);
  SplitProgram halves = tutti::split(*body, linear);
  auto results = static_cast<std::size_t>(std::ranges::count(halves.linear_outputs, false));
  Recomputation again = computed_again(halves.known, results, *this);

  Program known = halves.known;
  known.outputs.resize(results);
  known.outputs.insert(known.outputs.end(), again.kept.begin(), again.kept.end());
  Arrays known_operands;
  OpSplit result;
  Types types;
  auto take = [&](const OpSplit::Operand& operand, Type type) {
    result.operands.push_back(operand);
    types.push_back(type);
  };
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (!linear[i]) {
      known_operands.push_back(*operands[i].known);
      take({operands[i].known}, operands[i].type);
    }
  Arrays found = tutti::apply(Remat{shared(without_dead_code(known)), policy, keep}, known_operands);
  std::size_t next = 0;
  for (bool is_linear : halves.linear_outputs)
    result.known.push_back(is_linear ? std::nullopt : std::optional(found[next++]));
  if (results == halves.linear_outputs.size()) return result;
  for (; next < found.size(); ++next) take({found[next]}, found[next].type());
  std::size_t first_linear = types.size();
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (linear[i]) take({std::nullopt, i}, operands[i].type);
  auto rest = [&](const Arrays& given) {
    auto middle = given.begin() + static_cast<std::ptrdiff_t>(first_linear);
    Arrays arguments = inline_program(again.program, Arrays(given.begin(), middle));
    arguments.insert(arguments.end(), middle, given.end());
    return inline_program(halves.linear, arguments);
  };
  result.linear = Remat{shared(without_dead_code(trace(types, rest).program)), policy, keep};
  return result;
}

// Recomputes known values here. The barrier stops XLA from reusing the first ones, which it would have to
// keep.
Tangents Remat::transpose(const LinearOperands& operands, const Tangents& cotangents) const {
  Bits linear = linear_ones(operands);
  Arrays given;
  for (const LinearOperand& operand : operands)
    if (!operand.linear()) given.push_back(*operand.known);
  for (std::size_t i = 0; i < cotangents.size(); ++i)
    given.push_back(cotangents[i] ? *cotangents[i] : zero_tangent(dual(body->type(body->outputs[i]))));
  Program backward = tutti::transpose(*body, linear);
  Arrays found =
      tutti::apply(Remat{shared(backward), policy, keep}, tutti::apply(OptimizationBarrier{}, given));
  Tangents result;
  std::size_t next = 0;
  for (bool is_linear : linear) result.push_back(is_linear ? std::optional(found[next++]) : std::nullopt);
  return result;
}

BatchedArrays Remat::batch(const Axis& axis, const BatchedArrays& operands, const Types&) const {
  return call_batch(*body, Remat{shared(tutti::batch(*body, axis)), policy, keep}, axis, operands);
}

Lowered Remat::lower(Emitter& emitter, const Lowered& operands) const {
  return emitter.lower(*body, operands);
}

std::vector<Example> Remat::examples() {
  Axis a = example_mesh().axes()[0];
  std::vector<Example> examples;
  for (RematPolicy policy : {RematPolicy::nothing, RematPolicy::dots}) {
    auto linear = [&](const Arrays& v) -> Arrays { return {v[0] - all_reduce(v[1] * 2.0, {a}), v[1]}; };
    auto curved = [&](const Arrays& v) -> Arrays { return {tanh(matmul(v[0], v[1])) * v[1], v[1] * v[1]}; };
    Type x(DType::f64, {2}), over_a = x.with(a, varying), matrix(DType::f64, {2, 2}, {{a, varying}});
    examples.push_back({Remat{shared(trace({x, over_a}, linear).program), policy}, {x, over_a}});
    examples.push_back({Remat{shared(trace({matrix, over_a}, curved).program), policy}, {matrix, over_a}});
  }
  auto named = [](const Arrays& v) -> Arrays { return {sin(checkpoint_name(tanh(v[0]), "kept") * v[1])}; };
  Type x(DType::f64, {2}, {{a, varying}});
  examples.push_back({Remat{shared(trace({x, x}, named).program), RematPolicy::nothing, {"kept"}}, {x, x}});
  return examples;
}

Arrays internal::remat_flat(const InnerFunction& function, const Arrays& operands,
                            const RematOptions& options, Where where) try {
  if (options.policy == RematPolicy::everything) {
    builder_for("remat", where);
    return function(operands);
  }
  Arrays given;
  Types types;
  front_end("remat", where, [&] {
    for (const Array& operand : operands) {
      given.push_back(Builder::current().own(operand));
      types.push_back(given.back().type());
    }
  });
  std::vector<InnerTrace> traces{
      trace_inside(types, {}, function, {.moving = Builder::current().moving(given)})};
  return front_end("remat", where, [&] {
    for (const Array& captured : share_captured(traces)) given.push_back(captured);
    return tutti::apply(Remat{shared(std::move(traces[0].program)), options.policy, options.keep}, given);
  });
} catch (const Error& error) {
  throw error.at(where, "remat");
}

}  // namespace tutti
