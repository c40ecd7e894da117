// SPDX-License-Identifier: Apache-2.0
// Assigns the values of a kernel to the registers of threads.
#pragma once

#include <optional>

#include "tutti/kernels/ptx/arithmetic.hpp"
#include "tutti/kernels/ptx/axis_info.hpp"
#include "tutti/kernels/ptx/ptx_writer.hpp"
#include "tutti/kernels/ptx/thread_layout.hpp"

namespace tutti::kernels {

/// One element: a register plus a number, a number alone, or the bits of a register from `bit` on. An i1 that
/// is a number is 0 or 1.
struct ElementValue {
  std::string reg;  // empty: the number `add` alone
  std::int64_t add = 0;
  int bit = 0;
};

/// Tracks the values of one kernel while its PTX is written. Elements of tensors are computed at their first
/// use, so that few are alive at once. Elements of a run that are equal, or differ by a constant, share one
/// register.
class ThreadValues {
 public:
  ThreadValues(const Function& function, int threads);

  const Function& function;
  const int threads;
  PtxWriter out;
  bool needs_shared = false;  // set if threads exchange values

  /// The type of a value.
  const ValueType& type(Value value) const { return type_of(function, value); }
  /// The kind of register that holds an element.
  RegisterKind kind(Value value) const { return register_kind(type(value)); }
  /// Facts about the elements of a value: runs, divisors, constants.
  const AxisInfo& info(Value value) const { return infos_[static_cast<std::size_t>(value.id)]; }
  /// How the elements of a value lie on the threads.
  const ThreadLayout& layout(Value value) const;
  /// True if an op reads the value.
  bool is_used(Value value) const { return uses_[static_cast<std::size_t>(value.id)] > 0; }
  /// True if the value may differ between threads, because it depends on a ThreadId or ThreadWait.
  bool differs(Value value) const { return differs_[static_cast<std::size_t>(value.id)]; }

  /// The register with the offset of a thread's elements from those of thread 0 in this layout.
  const std::string& lane(const ThreadLayout& layout) const;
  /// The predicate of the threads that own an element; empty if all threads do.
  const std::string& owner(const ThreadLayout& layout) const;

  /// Held element i of a value, computed at its first use.
  const ElementValue& held(Value value, int i);
  /// Returns the element as a register, or as a literal if it is a number.
  std::string operand(Value value, int i);
  /// The element as a register.
  std::string reg(Value value, int i) { return reg(held(value, i), kind(value)); }
  std::string reg(const ElementValue& held, RegisterKind kind);
  /// Extends an integer of at most 32 bits to 32 bits.
  std::string extended(Value value, int i, Extension extension);

  /// Defines an element of a value whose elements are computed together, such as the result of a load.
  void define(Value value, int i, ElementValue held);

  /// enter() begins a region. leave() ends it and forgets the elements that were computed since.
  void enter() { scopes_.emplace_back(); }
  void leave();

 private:
  void prepare_lanes();
  ElementValue computed(Value value, int i);

  std::map<std::int64_t, ThreadLayout> layouts_;
  std::vector<AxisInfo> infos_;
  std::vector<const Op*> definitions_;
  std::vector<int> uses_;
  std::vector<bool> differs_;
  struct Lane {
    std::string reg, owner;
  };
  std::map<std::int64_t, Lane> lanes_;
  std::vector<std::vector<std::optional<ElementValue>>> held_;
  std::vector<std::vector<std::pair<int, int>>> scopes_;  // value and element
};

}  // namespace tutti::kernels
