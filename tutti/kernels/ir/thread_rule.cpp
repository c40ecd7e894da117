// SPDX-License-Identifier: Apache-2.0
#include "tutti/base/inside.hpp"
#include "tutti/base/require.hpp"
#include "tutti/kernels/ir/verify.hpp"

namespace tutti::kernels {
namespace {

template <class... Kinds>
bool is_one_of(const OpKind& kind) {
  return (std::holds_alternative<Kinds>(kind) || ...);
}

/// True for ops that a single thread may run without the other threads of its block.
bool runs_by_thread(const Op& op) {
  if (const auto* load = std::get_if<Load>(&op.kind)) return load->memory == Memory::own;
  return is_one_of<GetProgramId, GetNumPrograms, Constant, Arith, CompareInts, Select, Convert, AddPtr,
                   IntToPtr, PtrToInt, ThreadId, ThreadSignal, ThreadWait, If, Yield>(op.kind);
}

class Threads {
 public:
  explicit Threads(const Function& function) : function_(function), differs_(function.types.size()) {}

  void visit(const Region& region, const Op* branch) {
    for (const Op& op : region.ops) {
      if (branch) check(op, "only some threads of " + label(function_, *branch) + " run it");
      const bool by_thread = std::holds_alternative<ThreadId>(op.kind) || has_operand_that_differs(op);
      if (by_thread) check(op, "its operands differ between threads");
      for (Value value : op.results) differs_[static_cast<std::size_t>(value.id)] = by_thread;
      const bool begins = by_thread && std::holds_alternative<If>(op.kind);
      for (const Region& inner : op.regions) visit(inner, begins ? &op : branch);
    }
  }

 private:
  bool has_operand_that_differs(const Op& op) const {
    for (Value value : op.operands)
      if (differs_[static_cast<std::size_t>(value.id)]) return true;
    return false;
  }

  void check(const Op& op, const std::string& why) const {
    ensure(runs_by_thread(op), "{} needs the whole block, but {}", label(function_, op), why);
    for (const auto* values : {&op.operands, &op.results})
      for (Value value : *values)
        ensure(!is_tensor(type_of(function_, value)), "{} has tensors, but {}", label(function_, op), why);
    ensure(!std::holds_alternative<If>(op.kind) || op.results.empty(), "{} has results, but {}",
           label(function_, op), why);
  }

  const Function& function_;
  std::vector<bool> differs_;
};

}  // namespace

void check_threads(const Function& function) { Threads(function).visit(function.body, nullptr); }

}  // namespace tutti::kernels
