// SPDX-License-Identifier: Apache-2.0
#include "tutti/transform/simplify.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <ranges>
#include <string_view>
#include <unordered_map>

#include "tutti/ops/broadcast_in_dim.hpp"
#include "tutti/ops/cast.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/transform/replay.hpp"

namespace tutti {
namespace {

std::size_t mixed(std::size_t hash, std::size_t value) { return hash * 0x9e3779b97f4a7c15 + value; }

/// Equal for equations with the same op on the same operands.
std::size_t hash_of(const Equation& equation) {
  std::size_t hash = std::hash<std::string_view>{}(equation.op->name());
  for (Var var : equation.operands) hash = mixed(hash, static_cast<std::size_t>(var));
  return hash;
}

/// Equations by hash, as places in a list. Where many have one hash, such as the slices of one array, their
/// parameters are part of it; the text of these takes longer than all else.
class KnownEquations {
 public:
  explicit KnownEquations(const std::vector<Equation>& list) : list_(list) { places_.reserve(list.size()); }

  /// The place of an equal equation. If there is none, notes that this one will have the place `next`.
  std::optional<std::size_t> find_or_add(const Equation& equation, std::size_t next) {
    std::size_t hash = hash_of(equation), alike = 0;
    if (const auto found = find(hash, equation, alike)) return found;
    if (alike >= most_alike) {
      for (const auto& [name, text] : equation.op->parameters())
        hash = mixed(hash, std::hash<std::string_view>{}(text));
      if (const auto found = find(hash, equation, alike)) return found;
    }
    places_.emplace(hash, next);
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_alike = 8;

  std::optional<std::size_t> find(std::size_t hash, const Equation& equation, std::size_t& seen) const {
    const auto [begin, end] = places_.equal_range(hash);
    for (auto at = begin; at != end; ++at, ++seen)
      if (list_[at->second].operands == equation.operands && list_[at->second].op == equation.op)
        return at->second;
    return std::nullopt;
  }

  const std::vector<Equation>& list_;
  std::unordered_multimap<std::size_t, std::size_t> places_;
};

}  // namespace

Program without_dead_code(Program program) {
  PerVar<bool> live(program);
  for (Var var : program.outputs) live[var] = true;
  auto is_live = [&](const Equation& equation) {
    return equation.op->has_effect() ||
           std::ranges::any_of(equation.results, [&](Var var) { return live[var]; });
  };
  for (const Equation& equation : std::views::reverse(program.equations))
    if (is_live(equation))
      for (Var var : equation.operands) live[var] = true;
  std::erase_if(program.equations, std::not_fn(is_live));
  return program;
}

Program without_effects(Program program) {
  std::erase_if(program.equations, [](const Equation& equation) {
    return equation.op->has_effect() && equation.op->programs().empty();
  });
  for (Equation& equation : program.equations)
    if (equation.op->has_effect()) equation.op = with_changed_programs(equation.op, without_effects);
  return program;
}

Program without_common_subexpressions(Program program) {
  PerVar<Var> same(program);  // the variable that holds the value
  for (std::size_t var = 0; var < program.types.size(); ++var)
    same[static_cast<Var>(var)] = static_cast<Var>(var);
  std::vector<Equation>& equations = program.equations;
  KnownEquations known(equations);
  std::size_t kept = 0;  // equations, which move to the front
  for (std::size_t e = 0; e < equations.size(); ++e) {
    Equation& equation = equations[e];
    for (Var& var : equation.operands) var = same[var];
    // A pending value is used once: two starts stay two.
    const bool starts = !equation.results.empty() && program.type(equation.results[0]).in_flight() != nullptr;
    if (!starts && !equation.op->has_effect())
      if (const std::optional<std::size_t> equal = known.find_or_add(equation, kept)) {
        for (std::size_t i = 0; i < equation.results.size(); ++i)
          same[equation.results[i]] = equations[*equal].results[i];
        continue;
      }
    if (kept != e) equations[kept] = std::move(equation);
    ++kept;
  }
  equations.erase(equations.begin() + static_cast<std::ptrdiff_t>(kept), equations.end());
  for (Var& var : program.outputs) var = same[var];
  return program;
}

Program with_early_casts(const Program& program) {
  Builder builder;
  PerVar<Array> values(program);
  PerVar<const Equation*> made_by(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (const Equation& equation : program.equations) {
    const Equation* source = equation.operands.size() == 1 ? made_by[equation.operands[0]] : nullptr;
    bool swaps = equation.op.as<Cast>() && source && source->op.as<BroadcastInDim>();
    Arrays results = swaps ? repeat(*source, repeat(equation, values.of(source->operands)))
                           : repeat(equation, values.of(equation.operands));
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[equation.results[i]] = results[i];
      made_by[equation.results[i]] = &equation;
    }
  }
  return without_dead_code(builder.finish(values.of(program.outputs)));
}

Op with_changed_programs(const Op& op, const std::function<Program(const Program&)>& change) {
  std::vector<SubProgram> programs = op->programs();
  if (programs.empty()) return op;
  for (SubProgram& program : programs) program = shared(change(*program));
  return op->with_programs(programs);
}

Program without_places(Program program) {
  for (Equation& equation : program.equations) {
    equation.op = with_changed_programs(equation.op, without_places);
    equation.where = {};
  }
  return program;
}

Program with_borders_as_moves(const Program& program, const std::function<bool(const Equation&)>& stays) {
  Builder builder;
  PerVar<Array> values(program);
  for (Var var : program.inputs) values[var] = builder.input(program.type(var));
  for (const Equation& equation : program.equations) {
    const Enter* enter = equation.op.as<Enter>();
    const Leave* leave = equation.op.as<Leave>();
    if ((!enter && !leave) || stays(equation)) {
      auto inner = [&](const Program& program_inside) {
        return with_borders_as_moves(program_inside, stays);
      };
      Equation same{with_changed_programs(equation.op, inner), {}, {}, equation.where};
      Arrays results = repeat(same, values.of(equation.operands));
      for (std::size_t i = 0; i < results.size(); ++i) values[equation.results[i]] = results[i];
      continue;
    }
    values[equation.results[0]] = replay(equation, [&] {
      const Array& x = values[equation.operands[0]];
      return enter ? enter_by_moves(x, enter->sharding) : leave_by_moves(x, leave->sharding);
    });
  }
  return builder.finish(values.of(program.outputs));
}

}  // namespace tutti
