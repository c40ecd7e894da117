// SPDX-License-Identifier: Apache-2.0
// A switch that is linear in some operands, cut in two. The known one returns its results and the residuals
// of all branches, zeros for those of branches not taken.
#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/flow/needed_part.hpp"
#include "tutti/control/flow/switch.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/ops/zeros_of.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"

namespace tutti {
namespace {

/// A branch cut in two. Residuals that are operands are handed on. The linear half computes a residual again
/// if no operand goes into it, or if devices take different branches along an axis where it is not V: it
/// could leave the known half only as V, and the linear half takes it as it is. The other residuals leave the
/// known half.
struct SplitBranch {
  SplitProgram split;
  std::size_t known_results;
  enum class Way { again, operand, result };
  struct Residual {
    Way way;
    std::size_t number = 0;  // of the known operand, or of the result among those that leave
  };
  std::vector<Residual> residuals;
  std::vector<std::size_t> leaving;  // outputs of the known half
};

/// `divergent`: the axes along which devices may take different branches.
SplitBranch halves_of(const Program& branch, const Bits& linear, const Axes& divergent) {
  SplitProgram split = tutti::split(branch, linear);
  SplitBranch halves{std::move(split), 0, {}, {}};
  const Program& known = halves.split.known;
  halves.known_results = static_cast<std::size_t>(std::ranges::count(halves.split.linear_outputs, false));
  Bits depends = depending_outputs(known, Bits(known.inputs.size(), true));
  for (std::size_t i = halves.known_results; i < known.outputs.size(); ++i) {
    auto operand = std::ranges::find(known.inputs, known.outputs[i]);
    Type type = known.type(known.outputs[i]);
    if (operand != known.inputs.end()) {
      halves.residuals.push_back(
          {SplitBranch::Way::operand, static_cast<std::size_t>(operand - known.inputs.begin())});
    } else if (!depends[i] || type != type.with(divergent, State::varying)) {
      halves.residuals.push_back({SplitBranch::Way::again});
    } else {
      halves.residuals.push_back({SplitBranch::Way::result, halves.leaving.size()});
      halves.leaving.push_back(i);
    }
  }
  return halves;
}

Types leaving_types(const SplitBranch& halves) {
  Types types;
  for (std::size_t i : halves.leaving)
    types.push_back(halves.split.known.type(halves.split.known.outputs[i]));
  return types;
}

/// Returns the known results, then the residuals of all branches. Those of other branches are zeros.
Program known_branch(const std::vector<SplitBranch>& all, std::size_t own) {
  const SplitBranch& halves = all[own];
  auto run = [&](const Arrays& inputs) {
    Arrays found = inline_program(halves.split.known, inputs);
    Arrays outputs(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(halves.known_results));
    for (std::size_t b = 0; b < all.size(); ++b) {
      Types types = leaving_types(all[b]);
      for (std::size_t k = 0; k < types.size(); ++k)
        outputs.push_back(b == own ? found[halves.leaving[k]] : zeros_of(types[k]));
    }
    return outputs;
  };
  return trace(halves.split.known.types_of(halves.split.known.inputs), run).program;
}

/// known operands -> the residuals that are computed again.
Program made_again(const SplitBranch& halves) {
  std::vector<std::size_t> outputs;
  for (std::size_t k = 0; k < halves.residuals.size(); ++k)
    if (halves.residuals[k].way == SplitBranch::Way::again) outputs.push_back(halves.known_results + k);
  return needed_part(without_effects(halves.split.known), outputs);
}

/// (known operands, residuals of all branches, linear operands) -> the linear results.
Program linear_branch(const std::vector<SplitBranch>& all, std::size_t own, const Types& inputs,
                      std::size_t known_operands) {
  const SplitBranch& halves = all[own];
  std::size_t own_residuals = known_operands, linear = known_operands;
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (b < own) own_residuals += all[b].leaving.size();
    linear += all[b].leaving.size();
  }
  auto run = [&](const Arrays& given) {
    Arrays known(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(known_operands)), operands;
    Arrays again = inline_program(made_again(halves), known);
    std::size_t next_again = 0;
    for (const SplitBranch::Residual& residual : halves.residuals) switch (residual.way) {
        case SplitBranch::Way::again: operands.push_back(again[next_again++]); break;
        case SplitBranch::Way::operand: operands.push_back(known[residual.number]); break;
        case SplitBranch::Way::result: operands.push_back(given[own_residuals + residual.number]); break;
      }
    operands.insert(operands.end(), given.begin() + static_cast<std::ptrdiff_t>(linear), given.end());
    return inline_program(halves.split.linear, operands);
  };
  return trace(inputs, run).program;
}

class Splitter {
 public:
  Splitter(const Switch& op, const LinearOperands& operands) : operands_(operands) {
    Bits linear = linear_ones(operands);
    require(!linear[0], Code::refused_rule, "transpose is refused: a branch is not chosen linearly");
    linear.erase(linear.begin());
    for (const SubProgram& branch : op.branches)
      halves_.push_back(halves_of(*branch, linear, varying_axes(operands[0].type)));
    linear_results_ = halves_[0].split.linear_outputs;
    for (const SplitBranch& halves : halves_)
      for (std::size_t i = 0; i < linear_results_.size(); ++i)
        require(halves.split.linear_outputs[i] == linear_results_[i], Code::refused_rule,
                "transpose is refused: result {} is linear in one branch and known in another", i);
  }

  OpSplit run() {
    for (const LinearOperand& operand : operands_)
      if (!operand.linear()) take({operand.known}, operand.type);
    std::size_t known_operands = types_.size() - 1;
    run_known_half();
    if (std::ranges::find(linear_results_, true) == linear_results_.end()) return std::move(result_);
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (operands_[i].linear()) take({std::nullopt, i}, operands_[i].type);
    Types inputs(types_.begin() + 1, types_.end());  // without the index
    Switch linear_half;
    for (std::size_t b = 0; b < halves_.size(); ++b)
      linear_half.branches.push_back(shared(linear_branch(halves_, b, inputs, known_operands)));
    result_.linear = linear_half;
    return std::move(result_);
  }

 private:
  void take(const OpSplit::Operand& operand, Type type) {
    result_.operands.push_back(operand);
    types_.push_back(type);
  }

  void run_known_half() {
    Arrays known;
    for (const OpSplit::Operand& operand : result_.operands) known.push_back(*operand.known);
    Switch known_half;
    for (std::size_t b = 0; b < halves_.size(); ++b)
      known_half.branches.push_back(shared(known_branch(halves_, b)));
    Arrays found = tutti::apply(known_half, known);
    std::size_t next = 0;
    for (bool is_linear : linear_results_)
      result_.known.push_back(is_linear ? std::nullopt : std::optional(found[next++]));
    for (; next < found.size(); ++next) take({found[next]}, found[next].type());
  }

  const LinearOperands& operands_;
  std::vector<SplitBranch> halves_;  // per branch
  Bits linear_results_;
  Types types_;  // of the operands of the linear half, the index first
  OpSplit result_;
};

}  // namespace

OpSplit Switch::split(const LinearOperands& operands) const { return Splitter(*this, operands).run(); }

}  // namespace tutti
