// SPDX-License-Identifier: Apache-2.0
// Plants defects in emitted kernels: finds ops, and changes, drops, moves or adds some.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "tests/kernels/cells.hpp"
#include "tutti/kernels/emit/writer.hpp"

namespace tutti::kernels {

/// Writes ops in front of one op of a kernel.
class Before {
 public:
  Before(Function& function, std::vector<Op>& ops) : function_(function), ops_(ops) {}

  /// An op with one result.
  Value one(OpKind kind, std::vector<Value> operands = {});
  Value constant(ValueType type, std::int64_t value) { return one(Constant{std::move(type), value}); }
  /// pointer + words, with the lanes of the pointer.
  Value moved(Value pointer, Value words);

  const Function& function() const { return function_; }

 private:
  Function& function_;
  std::vector<Op>& ops_;
};

/// Visits every op, then the ops of its regions. `visit` may change the op and write others before it, and
/// returns true if it did. Returns the number of changes.
int rewrite(Function& function, const std::function<bool(Op&, Before&)>& visit);
/// Changes the attributes of all ops of one kind. Returns the number of changes.
template <class Kind>
int change(Function& function, const std::function<bool(Kind&)>& how) {
  return rewrite(function, [&](Op& op, Before&) {
    Kind* kind = std::get_if<Kind>(&op.kind);
    return kind && how(*kind);
  });
}
/// Drops matching ops, which have no results. Returns their number.
int drop(Function& function, const std::function<bool(const Op&)>& is_it);
/// Moves the first op that matches `moved` behind the next op of its region that matches `target`. True if it
/// moved one.
bool move_behind(Function& function, const std::function<bool(const Op&)>& moved,
                 const std::function<bool(const Op&)>& target);

/// True if the op, or one in its regions, matches.
bool has(const Op& op, const std::function<bool(const Op&)>& is_it);
bool releases(const Op& op);
bool acquires(const Op& op);
bool stores_for_peers(const Op& op);
/// The argument of this name.
Value argument(const Function& function, std::string_view name);

/// Set the memory order or the scope of all ops that release (signals) or acquire (waits).
int set_order_of_signals(Function& function, Order order);
int set_order_of_waits(Function& function, Order order);
int set_scope_of_signals(Function& function, Scope scope);
int set_scope_of_waits(Function& function, Scope scope);

/// The manifest with the kernel that `write` makes. The manifest must have one entry.
EmittedKernels written(const Manifest& manifest, const std::function<void(Writer&)>& write);

}  // namespace tutti::kernels
