// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "tutti/kernels/code/code.hpp"
#include "tutti/kernels/code/registers.hpp"

namespace tutti::kernels {

/// Bytes of an element in memory.
inline int bytes_of(Scalar scalar) { return std::max(bits(scalar), 8) / 8; }

/// Writes the instructions of one kernel, region by region. Each op has a write().
class CodeWriter {
 public:
  CodeWriter(const Function& function, int threads)
      : function_(function),
        threads_(static_cast<std::uint32_t>(threads)),
        registers_(function),
        differs_(function.types.size()) {}

  KernelCode code();

 private:
  void write(const Region& region);

  void note_threads(const Op& op);
  bool differs(Value value) const { return differs_[static_cast<std::size_t>(value.id)]; }

  std::uint32_t lanes_of_type(Value value) const;
  Scalar scalar(Value value) const { return type_of(function_, value).scalar; }

  Instruction& emit(Step step);
  std::uint32_t here() const { return static_cast<std::uint32_t>(code_.instructions.size()); }
  void land(std::uint32_t jump) { code_.instructions[jump].target = here(); }

  std::uint32_t result(const Op& op);

  /// A register with an operand on n lanes. Splats an operand of another width to a temporary.
  std::uint32_t in(Value value, std::uint32_t n);
  std::uint32_t in(const Op& op, std::size_t operand, std::uint32_t n);
  void free_temporaries();

  /// Emits dst = fn(operands), on the lanes of the result.
  Instruction& lanes(const Op& op, LaneFn fn, Step step = Step::lanes);
  /// The same with these registers as operands.
  Instruction& lanes(const Op& op, LaneFn fn, Step step, std::array<std::uint32_t, 3> operands);

  void constant(const Op& op, const std::vector<LaneWord>& lanes);
  void alias(const Op& op) { registers_.alias(op.results.front(), op.operands.front()); }

  void write(const Op& op, const GetProgramId&);
  void write(const Op& op, const GetNumPrograms&);
  void write(const Op& op, const MakeRange& range);
  void write(const Op& op, const ThreadId&);
  void write(const Op& op, const Constant& c);

  void write(const Op& op, const Splat&);
  void write(const Op& op, const ExpandDims&) { alias(op); }
  void write(const Op& op, const Reshape&) { alias(op); }
  void write(const Op& op, const PtrToInt&) { alias(op); }
  void write(const Op& op, const Broadcast& broadcast);

  void write(const Op& op, const AddPtr&);
  void write(const Op& op, const IntToPtr& cast);
  void write(const Op& op, const Bitcast& cast);
  void write(const Op& op, const Arith& arith);
  void write(const Op& op, const CompareInts& compare);
  void write(const Op& op, const CompareFloats& compare);
  void write(const Op& op, const Convert& convert);
  void write(const Op& op, const Select&);

  void write(const Op& op, const Reduce& reduce);

  // code_memory.cpp

  Instruction access(const Op& op, Step step, bool is_visible);
  template <class Atomic>
  Instruction atomic(const Op& op, Step step, const Atomic& how) {
    Instruction made = access(op, step, true);
    made.order = how.order;
    made.scope = how.scope;
    return made;
  }
  void append(const Op& op, Instruction made);

  void write(const Op& op, const Load& load);
  void write(const Op& op, const Store& store);
  void take_operands(const Op& op, Instruction& made);
  void write(const Op& op, const AtomicRmw& rmw);
  void write(const Op& op, const AtomicCas& cas);
  void write(const Op& op, const AtomicStore& store);
  void write(const Op& op, const AtomicLoad& load);
  void write(const Op& op, const AtomicPoll& poll);
  void write(const Op& op, const ThreadSignal& signal);
  void write(const Op& op, const ThreadWait& wait);
  void widen_in_branch(Instruction& made) const;
  void append_by_thread(const Op& op, Instruction made);
  void write(const Op&, const BlockBarrier&) {}  // a program is one agent: its own order is enough

  // code_control.cpp

  void copy(std::uint32_t dst, std::uint32_t x, std::uint32_t n, Step step = Step::lanes);

  struct Carried {
    std::uint32_t reg, n;
  };
  /// Makes registers for a region's arguments from `first` on, and copies `values` into them.
  std::vector<Carried> carried(const Region& region, std::size_t first, std::span<const Value> values);
  /// Copies `values` into `to` as if at once: a value may be in the register of another argument.
  void carry(const std::vector<Carried>& to, std::span<const Value> values, Step step);
  void bind_results(const Op& op, const std::vector<Carried>& registers);
  static std::span<const Value> tail(const std::vector<Value>& values, std::size_t first);

  void write(const Op& op, const For&);
  void write(const Op& op, const While&);
  void write(const Op& op, const If&);
  void branch(const Op& op, const Region& region);

  /// Writes both branches, each under the mask of the threads that take it.
  void write_by_thread(const Op& op);

  void write(const Op&, const Yield&) {}
  void write(const Op&, const Condition&) {}
  void write(const Op&, const ReduceReturn&) {}
  void write(const Op&, const Return&) { emit(Step::end); }

  const Function& function_;
  std::uint32_t threads_;
  Registers registers_;
  std::vector<bool> differs_;
  KernelCode code_;
  std::uint32_t site_ = 0;
  std::uint32_t thread_mask_ = 0;  // register of the threads that run the branch; 0: all
  std::vector<Carried> temporaries_;
};

}  // namespace tutti::kernels
