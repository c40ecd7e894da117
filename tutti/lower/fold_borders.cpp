// SPDX-License-Identifier: Apache-2.0
#include "tutti/lower/fold_borders.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tutti/base/require.hpp"
#include "tutti/lower/sharding_text.hpp"
#include "tutti/ops/moves/enter.hpp"
#include "tutti/ops/moves/leave.hpp"
#include "tutti/plan/take_step.hpp"
#include "tutti/transform/replay.hpp"
#include "tutti/transform/simplify.hpp"

namespace tutti {
namespace {

class Folder {
 public:
  Folder(const Program& program, const Mesh& mesh)
      : program_(program), mesh_(mesh), values_(program), leaves_(program) {}

  FoldedProgram fold() {
    check_inputs();
    for (const Equation& equation : program_.equations) {
      if (const Enter* border = equation.op.as<Enter>()) enter(equation, border->sharding);
      else if (equation.op.as<Leave>()) leaves_[equation.results[0]] = &equation;
      else set(equation, repeat(without_inner_borders(equation), wholes(equation.operands)));
    }
    Arrays outputs;
    for (Var var : program_.outputs) outputs.push_back(output(var));
    folded_.program = builder_.finish(outputs);
    return std::move(folded_);
  }

 private:
  void check_inputs() const {
    for (std::size_t i = 0; i < program_.inputs.size(); ++i)
      require(program_.type(program_.inputs[i]).states().empty(), Code::state,
              "input {} is {}, one device's part; lower it per device, or put shard_map around the program",
              i, program_.type(program_.inputs[i]));
  }

  void check_mesh(const Equation& equation, const Sharding& sharding) const {
    if (!(sharding.mesh == mesh_))
      throw_error(Code::mesh, equation.where,
                  fmt::format("{}: its mesh is {}, the program is lowered for {}; use the same mesh",
                              equation.op->name(), to_string(sharding.mesh), to_string(mesh_)));
  }

  static Equation without_inner_borders(const Equation& equation) {
    auto as_moves = [](const Program& program) {
      return with_borders_as_moves(program, [](const Equation&) { return false; });
    };
    return {with_changed_programs(equation.op, as_moves), {}, {}, equation.where};
  }

  void set(const Equation& equation, const Arrays& results) {
    for (std::size_t i = 0; i < results.size(); ++i) values_[equation.results[i]] = results[i];
  }

  void enter(const Equation& equation, const Sharding& sharding) {
    check_mesh(equation, sharding);
    Var from = equation.operands[0];
    const Equation* left = leaves_[from];
    auto input = std::ranges::find(program_.inputs, from);
    if (left && sharding_of(*left) == sharding) {
      set(equation, {whole(left->operands[0])});
    } else if (input != program_.inputs.end()) {
      set(equation, {part(static_cast<std::size_t>(input - program_.inputs.begin()), sharding)});
    } else if (left && !values_[from]) {
      const Array inside = whole(left->operands[0]);
      set(equation, {replay(equation, [&] { return moved(inside, *left, sharding); })});
    } else {
      set(equation, {replay(equation, [&] { return enter_by_moves(whole(from), sharding); })});
    }
  }

  /// The part of a value that has left one shard_map, for another one: by a plan, without the whole.
  Array moved(const Array& inside, const Equation& left, const Sharding& to) const {
    check_mesh(left, sharding_of(left));
    return take_at_once(*shared_plan({program_.type(left.results[0]), sharding_of(left), to, {}}), inside);
  }

  Array output(Var var) {
    const Equation* left = leaves_[var];
    if (left) check_mesh(*left, sharding_of(*left));
    folded_.results.push_back(left ? sharding_of(*left) : unsharded(mesh_, program_.type(var).rank()));
    return whole(left ? left->operands[0] : var);
  }

  /// The value of a variable on every device.
  Array whole(Var var) {
    std::optional<Array>& value = values_[var];
    if (value) return *value;
    if (const Equation* left = leaves_[var]) {
      check_mesh(*left, sharding_of(*left));
      Array inside = whole(left->operands[0]);
      value = replay(*left, [&] { return leave_by_moves(inside, sharding_of(*left)); });
    } else {
      auto input = std::ranges::find(program_.inputs, var) - program_.inputs.begin();
      value = part(static_cast<std::size_t>(input), unsharded(mesh_, program_.type(var).rank()));
    }
    return *value;
  }

  Arrays wholes(const std::vector<Var>& vars) {
    Arrays all;
    for (Var var : vars) all.push_back(whole(var));
    return all;
  }

  /// The device's part of an input, one variable for each sharding.
  Array part(std::size_t input, const Sharding& sharding) {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (folded_.sources[i].input == input && folded_.sources[i].sharding == sharding) return parts_[i];
    folded_.sources.push_back({input, sharding});
    parts_.push_back(builder_.input(local_type(program_.type(program_.inputs[input]), sharding)));
    return parts_.back();
  }

  static const Sharding& sharding_of(const Equation& leave) { return leave.op.as<Leave>()->sharding; }

  const Program& program_;
  Mesh mesh_;
  Builder builder_;
  PerVar<std::optional<Array>> values_;
  PerVar<const Equation*>
      leaves_;    // the Leave that makes a variable; moved only when somebody needs the whole
  Arrays parts_;  // the inputs so far
  FoldedProgram folded_;
};

}  // namespace

FoldedProgram fold_borders(const Program& program, const Mesh& mesh) { return Folder(program, mesh).fold(); }

}  // namespace tutti
