// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/mutate.hpp"

#include <algorithm>

#include "tutti/kernels/ir/op_types.hpp"

namespace tutti::kernels {
namespace {

int rewrite(Function& function, Region& region, const std::function<bool(Op&, Before&)>& visit) {
  int count = 0;
  std::vector<Op> ops;
  for (Op& op : region.ops) {
    Before before(function, ops);
    count += visit(op, before) ? 1 : 0;
    for (Region& inner : op.regions) count += rewrite(function, inner, visit);
    ops.push_back(std::move(op));
  }
  region.ops = std::move(ops);
  return count;
}

int drop(Region& region, const std::function<bool(const Op&)>& is_it) {
  auto count = static_cast<int>(std::erase_if(region.ops, is_it));
  for (Op& op : region.ops)
    for (Region& inner : op.regions) count += drop(inner, is_it);
  return count;
}

bool move_behind(Region& region, const std::function<bool(const Op&)>& moved,
                 const std::function<bool(const Op&)>& target) {
  const auto from = std::ranges::find_if(region.ops, moved);
  const auto to = std::find_if(from, region.ops.end(), target);
  if (to != region.ops.end() && from != to) {
    std::rotate(from, from + 1, to + 1);
    return true;
  }
  return std::ranges::any_of(region.ops, [&](Op& op) {
    return std::ranges::any_of(op.regions, [&](Region& inner) { return move_behind(inner, moved, target); });
  });
}

/// The order of an op that orders; none of others.
Order* order_of(Op& op) {
  return std::visit(
      []<class Kind>(Kind& kind) -> Order* {
        if constexpr (requires { kind.order; }) return &kind.order;
        else return nullptr;
      },
      op.kind);
}
Scope* scope_of(Op& op) {
  return std::visit(
      []<class Kind>(Kind& kind) -> Scope* {
        if constexpr (requires { kind.scope; }) return &kind.scope;
        else return nullptr;
      },
      op.kind);
}
Order order_of(const Op& op) {
  Order* order = order_of(const_cast<Op&>(op));  // read only
  return order ? *order : Order::relaxed;
}

template <class Field>
int set(Function& function, bool (*is_it)(const Op&), Field* (*field)(Op&), Field value) {
  return rewrite(function, [&](Op& op, Before&) {
    if (!is_it(op)) return false;
    *field(op) = value;
    return true;
  });
}

}  // namespace

Value Before::one(OpKind kind, std::vector<Value> operands) {
  const std::vector<ValueType> types = result_types(kind, types_of(function_, operands));
  const Value result{static_cast<int>(function_.types.size())};
  function_.types.push_back(types.at(0));
  ops_.push_back({std::move(kind), std::move(operands), {result}, {}});
  return result;
}

Value Before::moved(Value pointer, Value words) {
  const Dims& dims = type_of(function_, pointer).dims;
  if (!dims.empty()) words = one(Splat{dims}, {words});
  return one(AddPtr{}, {pointer, words});
}

int rewrite(Function& function, const std::function<bool(Op&, Before&)>& visit) {
  return rewrite(function, function.body, visit);
}

int drop(Function& function, const std::function<bool(const Op&)>& is_it) {
  return drop(function.body, is_it);
}

bool move_behind(Function& function, const std::function<bool(const Op&)>& moved,
                 const std::function<bool(const Op&)>& target) {
  return move_behind(function.body, moved, target);
}

bool has(const Op& op, const std::function<bool(const Op&)>& is_it) {
  if (is_it(op)) return true;
  return std::ranges::any_of(op.regions, [&](const Region& region) {
    return std::ranges::any_of(region.ops, [&](const Op& inner) { return has(inner, is_it); });
  });
}

bool releases(const Op& op) { return order_of(op) == Order::release || order_of(op) == Order::acq_rel; }
bool acquires(const Op& op) { return order_of(op) == Order::acquire || order_of(op) == Order::acq_rel; }
bool stores_for_peers(const Op& op) {
  const Store* store = std::get_if<Store>(&op.kind);
  return store && store->memory == Memory::peer;
}

Value argument(const Function& function, std::string_view name) {
  const auto found = std::ranges::find(function.arguments, name, &Argument::name);
  return {static_cast<int>(found - function.arguments.begin())};
}

int set_order_of_signals(Function& function, Order order) {
  return set<Order>(function, releases, order_of, order);
}
int set_order_of_waits(Function& function, Order order) {
  return set<Order>(function, acquires, order_of, order);
}
int set_scope_of_signals(Function& function, Scope scope) {
  return set<Scope>(function, releases, scope_of, scope);
}
int set_scope_of_waits(Function& function, Scope scope) {
  return set<Scope>(function, acquires, scope_of, scope);
}

EmittedKernels written(const Manifest& manifest, const std::function<void(Writer&)>& write) {
  Writer w(manifest, manifest.entries.at(0));
  write(w);
  return {manifest, {std::move(w).finish()}};
}

}  // namespace tutti::kernels
