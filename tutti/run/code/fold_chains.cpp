// SPDX-License-Identifier: Apache-2.0
#include "tutti/run/code/fold_chains.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tutti {
namespace {

using I = RegionInstruction;
using Fn = ChainStep::Fn;

/// The function f with f(y, x) = fn(x, y); none if chains do not have it.
std::optional<Fn> exchanged(Fn fn) {
  switch (fn) {
    case Fn::add: return Fn::add_to;
    case Fn::sub: return Fn::sub_from;
    case Fn::mul: return Fn::mul_into;
    case Fn::div: return Fn::div_into;
    case Fn::maximum:
    case Fn::minimum: return fn;
    case Fn::take:
    case Fn::add_to:
    case Fn::sub_from:
    case Fn::mul_into:
    case Fn::div_into:
    case Fn::square:
    case Fn::limit_if_lt:
    case Fn::limit_if_le:
    case Fn::limit_if_gt:
    case Fn::limit_if_ge: break;
  }
  return std::nullopt;
}

class Joiner {
 public:
  Joiner(RegionCode& code, std::size_t fold) : code_(code), fold_(fold), next_(fold + 1) {}

  /// Adds the fold chain that begins at the fold to code.fold_chains. Returns the end of the instructions
  /// that it replaces; none if they cannot be joined.
  std::optional<std::size_t> join() {
    const RegionInstruction& fold = at(fold_);
    if (!sum().sums || fold.positions != 1 || fold.row_value || !is_in_scratch(fold.out)) return std::nullopt;
    value_ = fold.out;
    while (next_ < code_.code.size() && goes_on_from_fold(at(next_))) ++next_;
    if (next_ == code_.code.size() || !makes_results(at(next_))) return std::nullopt;
    code_.fold_chains.push_back(std::move(made_));
    return next_ + 1;
  }

 private:
  const RegionInstruction& at(std::size_t i) const { return code_.code[i]; }
  const I::Fold& sum() const { return *at(fold_).as<I::Fold>(); }
  bool is_in_scratch(RefId ref) const { return code_.refs[ref].base == scratch_base; }

  /// True for a chain, or an elementwise function that chains have, on whole tiles.
  static bool has_steps(const RegionInstruction& i) {
    if (const auto* chain = i.as<I::Chain>(); chain && chain->rims) return false;
    if (put_aside(i.chain_steps())) return false;
    return i.goes_through_elements() && i.operands > 1 && i.steps[1].fn != Fn::take && !i.row_value &&
           !i.by_row;
  }
  static bool reads(const RegionInstruction& i, RefId ref) {
    return std::find(i.in, i.in + i.operands, ref) != i.in + i.operands;
  }
  bool only_next_reads_value() const {
    for (std::size_t i = 0; i < code_.code.size(); ++i)
      if (reads(at(i), value_) != (i == next_)) return false;
    return true;
  }

  /// Adds `i` to made_.on_fold, if it is a function of value_ and of operands that repeat. False if not.
  bool goes_on_from_fold(const RegionInstruction& i) {
    if (!has_steps(i) || i.positions != 1 || !is_in_scratch(i.out) || !only_next_reads_value()) return false;
    const int value = i.in[0] == value_ ? 0 : 1;
    const std::optional<Fn> first = value == 0 ? i.steps[1].fn : exchanged(i.steps[1].fn);
    if (i.in[value] != value_ || !first) return false;
    for (int k = 0; k < i.operands; ++k)
      if ((k == value) == i.steps[k].repeats) return false;
    for (int k = 0; k < i.operands; ++k) {
      if (k != value) operands_.push_back(one(i, k));
      if (k > 0) made_.on_fold.push_back(k == 1 ? *first : i.steps[k].fn);
    }
    value_ = i.out;
    return true;
  }

  RegionFoldChain::Part one(const RegionInstruction& i, int k) const {
    return {i.in[k], code_.offset(i, 0, 1 + k), true};
  }

  bool makes_results(const RegionInstruction& i) {
    const RegionInstruction& fold = at(fold_);
    made_.kernel = fold_chain_kernel(*sum().sums, i.positions);
    if (!made_.kernel || !has_steps(i) || !only_next_reads_value()) return false;
    for (int k = 0; k < i.operands; ++k) {
      FoldStep step{FoldStep::Operand::each, i.steps[k].fn};
      if (i.in[k] == value_ || step.fn == Fn::square) {  // a square reads no operand
        step.of = FoldStep::Operand::fold;
      } else if (i.steps[k].repeats) {
        for (int p = 1; p < i.positions; ++p)
          if (code_.offset(i, p, 1 + k) != code_.offset(i, 0, 1 + k)) return false;
        step.of = FoldStep::Operand::one;
        operands_.push_back(one(i, k));
      } else {
        for (int p = 0; p < i.positions; ++p) operands_.push_back({i.in[k], code_.offset(i, p, 1 + k)});
      }
      made_.steps.push_back(step);
    }
    made_.results = i.positions;
    made_.terms = sum().terms;
    made_.load = sum().load;
    made_.store = i.as<I::Chain>() ? i.as<I::Chain>()->store : Store::plain;
    for (int p = 0; p < i.positions; ++p) made_.parts.push_back({i.out, code_.offset(i, p, 0)});
    for (int t = 0; t < sum().terms; ++t) made_.parts.push_back({fold.in[0], code_.offset(fold, 0, 1 + t)});
    made_.parts.insert(made_.parts.end(), operands_.begin(), operands_.end());
    return true;
  }

  RegionCode& code_;
  std::size_t fold_, next_;
  RefId value_{};  // the ref of the sum, then of each function of it
  RegionFoldChain made_{};
  std::vector<RegionFoldChain::Part> operands_;
};

}  // namespace

void join_folds(RegionCode& code) {
  bool fits = code.space.tile_rows * code.space.tile_columns % fold_chain_elements == 0;
  for (std::size_t i = 0; i < code.code.size();) {
    std::optional<std::size_t> end;
    if (fits && code.code[i].as<I::Fold>()) end = Joiner(code, i).join();
    if (!end) {
      code.whole.push_back(code.code[i++]);
      continue;
    }
    RegionInstruction joined{};
    joined.what = I::FoldChain{code.fold_chains.size() - 1};
    code.whole.push_back(joined);
    i = *end;
  }
}

}  // namespace tutti
