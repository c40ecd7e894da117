// SPDX-License-Identifier: Apache-2.0
#include "tutti/control/boundary.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/control/wrapped/call.hpp"
#include "tutti/ir/builder.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/exchange.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

class Localiser {
 public:
  Localiser(const Program& program, const Mesh& mesh, const std::vector<std::optional<Sharding>>& lies)
      : program_(program),
        mesh_(mesh),
        lies_(lies),
        values_(program.types.size()),
        input_of_(program.types.size(), -1),
        left_(program.types.size()) {}

  LocalProgram localise() && {
    Builder builder;
    choose_shardings();
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      Type whole = program_.type(program_.inputs[i]);
      made_.input_types.push_back(whole);
      value(program_.inputs[i]) = builder.input(local_type(whole, made_.input_shardings[i]));
    }
    for (const Equation& equation : program_.equations) {
      auto place = builder.replaying(equation);
      add(builder, equation);
    }
    Arrays outputs;
    for (Var var : program_.outputs) outputs.push_back(output(var));
    made_.program = without_dead_code(builder.finish(outputs));
    return std::move(made_);
  }

 private:
  static std::size_t at(Var var) { return static_cast<std::size_t>(var); }
  Array& value(Var var) { return values_[at(var)]; }

  void choose_shardings() {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i) {
      input_of_[at(program_.inputs[i])] = static_cast<int>(i);
      made_.input_shardings.push_back(unsharded(mesh_, program_.type(program_.inputs[i]).rank()));
    }
    std::vector<bool> chosen(program_.inputs.size());
    const std::vector<bool> needed = wholes_needed();
    for (std::size_t i = 0; i < lies_.size(); ++i)
      if (lies_[i] && !needed[at(program_.inputs[i])]) {
        made_.input_shardings[i] = *lies_[i];
        chosen[i] = true;
      }
    for (const Equation& equation : program_.equations) {
      const Enter* enter = equation.op.as<Enter>();
      if (!enter || input_of_[at(equation.operands[0])] < 0) continue;
      auto input = static_cast<std::size_t>(input_of_[at(equation.operands[0])]);
      if (!chosen[input]) made_.input_shardings[input] = enter->sharding;
      chosen[input] = true;
    }
  }

  /// True for inputs that some op reads as they are: their whole would be put together in every call.
  std::vector<bool> wholes_needed() const {
    std::vector<bool> needed(program_.types.size());
    for (const Equation& equation : program_.equations)
      for (Var var : equation.operands)
        if (!equation.op.as<Enter>()) needed[at(var)] = true;
    return needed;
  }

  void require_own_mesh(const Sharding& sharding, const Equation& equation) const {
    if (sharding.mesh == mesh_) return;
    throw Error(Code::mesh, equation.where,
                fmt::format("shard_map: its mesh is {}, the machine's is {}; open a machine on this mesh",
                            to_string(sharding.mesh), to_string(mesh_)));
  }

  void add(Builder& builder, const Equation& equation) {
    if (const Enter* enter = equation.op.as<Enter>()) {
      require_own_mesh(enter->sharding, equation);
      int input = input_of_[at(equation.operands[0])];
      if (input >= 0 && made_.input_shardings[static_cast<std::size_t>(input)] == enter->sharding) {
        value(equation.results[0]) = value(equation.operands[0]);
        return;
      }
      if (const std::optional<ShardedValue> from = parts_of(equation.operands[0]);
          from && moves(*from, *enter)) {
        const Shape& shape = program_.type(equation.operands[0]).shape();
        value(equation.results[0]) =
            apply_one(Exchange{shape, from->sharding, enter->sharding}, {from->local});
        return;
      }
      if (!enter->sharding.unreduced.empty()) {
        value(equation.results[0]) = enter_by_moves(whole(equation.operands[0]), enter->sharding);
        return;
      }
    }
    if (const Leave* leave = equation.op.as<Leave>()) {
      require_own_mesh(leave->sharding, equation);
      left_[at(equation.results[0])] = {leave->sharding, whole(equation.operands[0])};
      value(equation.results[0]) = left(*left_[at(equation.results[0])]);
      return;
    }
    Arrays operands;
    for (Var var : equation.operands) operands.push_back(whole(var));
    Arrays results =
        builder.add(with_changed_programs(equation.op, [this](const Program& p) { return inner(p); }),
                    operands);
    for (std::size_t i = 0; i < results.size(); ++i) value(equation.results[i]) = results[i];
  }

  /// Borders inside of sub-programs: those that kernels can do stay.
  Program inner(const Program& program) const {
    auto stays = [&](const Equation& equation) {
      const Enter* enter = equation.op.as<Enter>();
      const Leave* leave = equation.op.as<Leave>();
      if (enter) require_own_mesh(enter->sharding, equation);
      if (leave) require_own_mesh(leave->sharding, equation);
      return (enter ? enter->sharding : leave->sharding).unreduced.empty();
    };
    return with_borders_as_moves(program, stays);
  }

  struct ShardedValue {
    Sharding sharding;
    Array local;
  };

  /// The parts of a value that lies on the mesh; none for a whole.
  std::optional<ShardedValue> parts_of(Var var) const {
    if (const std::optional<ShardedValue>& from = left_[at(var)]; from && input_of_[at(var)] < 0) return from;
    if (input_of_[at(var)] < 0) return {};
    const Sharding& sharding = made_.input_shardings[static_cast<std::size_t>(input_of_[at(var)])];
    if (axes_of(sharding).empty()) return {};
    return ShardedValue{sharding, values_[at(var)]};
  }

  /// True if parts become other parts without sums: then they are moved, and nobody makes the whole.
  static bool moves(const ShardedValue& from, const Enter& enter) {
    const Sharding& to = enter.sharding;
    return from.sharding.unreduced.empty() && to.unreduced.empty() && from.sharding.reduced.empty() &&
           to.reduced.empty();
  }

  static Array left(const ShardedValue& from) {
    return from.sharding.unreduced.empty() ? leave(from.local, from.sharding)
                                           : leave_by_moves(from.local, from.sharding);
  }

  /// A value as the program means it: an input that lies on the mesh is put together once.
  Array whole(Var var) {
    int input = input_of_[at(var)];
    if (input < 0) return value(var);
    const Sharding& sharding = made_.input_shardings[static_cast<std::size_t>(input)];
    if (axes_of(sharding).empty()) return value(var);
    if (!left_[at(var)]) {
      left_[at(var)] = {sharding, left({sharding, value(var)})};  // here `local` is the whole
      ++made_.moved_inputs;
    }
    return left_[at(var)]->local;
  }

  Array output(Var var) {
    made_.output_types.push_back(program_.type(var));
    int input = input_of_[at(var)];
    if (input >= 0) {
      made_.output_shardings.push_back(made_.input_shardings[static_cast<std::size_t>(input)]);
      return value(var);
    }
    if (left_[at(var)]) {
      made_.output_shardings.push_back(left_[at(var)]->sharding);
      return left_[at(var)]->local;
    }
    made_.output_shardings.push_back(unsharded(mesh_, program_.type(var).rank()));
    return value(var);
  }

  const Program& program_;
  const Mesh& mesh_;
  const std::vector<std::optional<Sharding>>& lies_;
  std::vector<Array> values_;  // per variable: its local value; of an input, as it lies
  std::vector<int> input_of_;  // per variable: which input it is
  std::vector<std::optional<ShardedValue>> left_;
  LocalProgram made_;
};

}  // namespace

LocalProgram localised(const Program& program, const Mesh& mesh,
                       const std::vector<std::optional<Sharding>>& lies, const Uninlined& kept) {
  Program inlined = with_calls_inlined(program, kept);
  LocalProgram made = Localiser(inlined, mesh, lies).localise();
  made.program = with_calls_inlined(made.program, kept);  // exchanges in two steps
  return made;
}

bool are_handed_out_alike(const LocalProgram& local, std::size_t input, std::size_t output) {
  return local.input_types[input] == local.output_types[output] &&
         local.input_shardings[input] == local.output_shardings[output];
}

}  // namespace tutti
