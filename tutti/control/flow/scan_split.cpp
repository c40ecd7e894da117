// SPDX-License-Identifier: Apache-2.0
// A scan that is linear in some operands, cut in two loops. The known one gives its residuals as ys. Those
// that do not change from iteration to iteration are computed once, outside; those that are slices of xs are
// there already.
#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/control/flow/scan_groups.hpp"
#include "tutti/control/parts/sub_programs.hpp"
#include "tutti/ops/apply.hpp"
#include "tutti/transform/simplify.hpp"
#include "tutti/transform/split.hpp"

namespace tutti {
namespace {

class Splitter {
 public:
  Splitter(const Scan& scan, const LinearOperands& operands)
      : scan_(scan),
        operands_(operands),
        ends_(scan),
        linear_(linear_ones(operands)),
        halves_(split(*scan.body, linear_)),
        known_results_(static_cast<std::size_t>(std::ranges::count(halves_.linear_outputs, false))) {}

  OpSplit run() {
    for (std::size_t i = 0; i < static_cast<std::size_t>(scan_.carries); ++i)
      require(!halves_.linear_outputs[i] || linear_[ends_.consts + i], Code::refused_rule,
              "transpose is refused: carry {} starts with a known value and becomes linear", i);
    take_known_operands();
    sort_residuals();
    run_known_loop();
    if (known_results_ < halves_.linear_outputs.size()) describe_linear_loop();
    return std::move(result_);
  }

 private:
  /// How the linear loop gets a residual.
  enum class Way {
    once,   // computed outside
    slice,  // of a known x
    stack,  // a y of the known loop
  };

  void take_known_operands() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (linear_[i]) continue;
      known_.push_back(*operands_[i].known);
      known_consts_ += i < ends_.consts ? 1 : 0;
      known_carries_ += i >= ends_.consts && i < ends_.carries ? 1 : 0;
    }
  }

  /// The number of an input of the known half among its inputs; as many as there are if it is none.
  std::size_t known_input(Var var) const {
    const std::vector<Var>& inputs = halves_.known.inputs;
    return static_cast<std::size_t>(std::ranges::find(inputs, var) - inputs.begin());
  }

  void sort_residuals() {
    Bits varies(known_.size(), true);  // from iteration to iteration
    std::fill_n(varies.begin(), known_consts_, false);
    Bits changes = depending_outputs(halves_.known, varies);
    for (std::size_t i = known_results_; i < changes.size(); ++i) {
      std::size_t input = known_input(halves_.known.outputs[i]);
      bool is_slice = input >= known_consts_ + known_carries_ && input < known_.size();
      ways_.push_back(!changes[i] ? Way::once : is_slice ? Way::slice : Way::stack);
    }
  }

  void run_known_loop() {
    std::vector<std::size_t> kept, once;  // outputs of the known half: of the loop, and outside
    for (std::size_t i = 0; i < known_results_; ++i) kept.push_back(i);
    for (std::size_t k = 0; k < ways_.size(); ++k) {
      if (ways_[k] == Way::once) once.push_back(known_results_ + k);
      if (ways_[k] == Way::stack) kept.push_back(known_results_ + k);
    }
    Scan loop{shared(with_outputs(halves_.known, kept)), static_cast<int>(known_consts_),
              static_cast<int>(known_carries_), scan_.length, scan_.reverse};
    Arrays found = tutti::apply(loop, known_);
    std::size_t next = 0;
    for (bool is_linear : halves_.linear_outputs)
      result_.known.push_back(is_linear ? std::nullopt : std::optional(found[next++]));
    stacks_.assign(found.begin() + static_cast<std::ptrdiff_t>(next), found.end());
    Program outside = with_outputs(without_effects(halves_.known), once);
    outside.inputs.resize(known_consts_);
    once_ = inline_program(outside,
                           {known_.begin(), known_.begin() + static_cast<std::ptrdiff_t>(known_consts_)});
  }

  /// consts: residuals once, linear consts; linear carries; xs: the other residuals, linear xs.
  void describe_linear_loop() {
    std::size_t next_once = 0, next_stack = 0;
    for (std::size_t k = 0; k < ways_.size(); ++k)
      if (ways_[k] == Way::once) add_residual(k, once_[next_once++]);
    add_linear(0, ends_.consts);
    auto consts = static_cast<int>(order_.size());
    add_linear(ends_.consts, ends_.carries);
    int carries = static_cast<int>(order_.size()) - consts;
    for (std::size_t k = 0; k < ways_.size(); ++k) {
      if (ways_[k] == Way::slice)
        add_residual(k, known_[known_input(halves_.known.outputs[known_results_ + k])]);
      if (ways_[k] == Way::stack) add_residual(k, stacks_[next_stack++]);
    }
    add_linear(ends_.carries, ends_.xs);
    result_.linear =
        Scan{shared(with_inputs(halves_.linear, order_)), consts, carries, scan_.length, scan_.reverse};
  }

  void add_residual(std::size_t number, const Array& value) {
    order_.push_back(number);
    result_.operands.push_back({value});
  }
  void add_linear(std::size_t begin, std::size_t end) {
    auto before = linear_.begin() + static_cast<std::ptrdiff_t>(begin);
    std::size_t number = ways_.size() + static_cast<std::size_t>(std::count(linear_.begin(), before, true));
    for (std::size_t i = begin; i < end; ++i) {
      if (!linear_[i]) continue;
      order_.push_back(number++);
      result_.operands.push_back({std::nullopt, i});
    }
  }

  const Scan& scan_;
  const LinearOperands& operands_;
  ScanGroups ends_;
  Bits linear_;
  SplitProgram halves_;
  std::size_t known_results_, known_consts_ = 0, known_carries_ = 0;
  Arrays known_;                    // operands
  std::vector<Way> ways_;           // of the residuals
  Arrays once_, stacks_;            // residuals
  std::vector<std::size_t> order_;  // of the inputs of the linear half in the linear loop
  OpSplit result_;
};

}  // namespace

OpSplit Scan::split(const LinearOperands& operands) const { return Splitter(*this, operands).run(); }

}  // namespace tutti
