// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/builder.hpp"

#include <utility>

#include "tutti/base/require.hpp"
#include "tutti/kernels/ir/op_types.hpp"
#include "tutti/kernels/ir/verify.hpp"

namespace tutti::kernels {
namespace {

std::vector<Value> with(std::vector<Value> operands, std::initializer_list<std::optional<Value>> optional) {
  for (const auto& value : optional)
    if (value) operands.push_back(*value);
  return operands;
}

}  // namespace

Builder::Builder(std::string name) { function_.name = std::move(name); }

Value Builder::made(ValueType type) {
  function_.types.push_back(std::move(type));
  return Value{static_cast<int>(function_.types.size()) - 1};
}

Value Builder::argument(std::string name, ValueType type, std::optional<int> divisibility) {
  ensure(function_.types.size() == function_.arguments.size(), "kernel {}: argument {} comes after an op",
         function_.name, name);
  function_.arguments.push_back({std::move(name), type, divisibility});
  return made(std::move(type));
}

std::vector<Value> Builder::append(Op op) {
  std::vector<ValueType> types = result_types(op.kind, types_of(function_, op.operands));
  for (ValueType& type : types) op.results.push_back(made(std::move(type)));
  check_regions(function_, op);
  Region& region = open_.empty() ? function_.body : *open_.back();
  region.ops.push_back(std::move(op));
  return region.ops.back().results;
}

std::vector<Value> Builder::all(OpKind kind, std::vector<Value> operands) {
  return append({std::move(kind), std::move(operands), {}, {}});
}

Value Builder::one(OpKind kind, std::vector<Value> operands) {
  const std::string name(op_name(kind));
  const std::vector<Value> results = all(std::move(kind), std::move(operands));
  ensure(results.size() == 1, "{}: {} results, expected one", name, results.size());
  return results.front();
}

Value Builder::offset(Value pointer, Value index) {
  const Dims from = type(pointer).dims, to = type(index).dims;
  if (from.empty() && !to.empty()) pointer = splat(pointer, to);
  if (to.empty() && !from.empty()) index = splat(index, from);
  return one(AddPtr{}, {pointer, index});
}

Value Builder::reduce(ArithOp op, Value x, int axis) {
  const ValueType element = with_dims(type(x), {});
  Region combine = region({element, element}, [&](std::span<const Value> pair) {
    all(ReduceReturn{}, {arith(op, pair[0], pair[1])});
  });
  std::vector<Region> regions;
  regions.push_back(std::move(combine));
  return append({Reduce{axis}, {x}, {}, std::move(regions)}).front();
}

Value Builder::load(Value pointer, std::optional<Value> mask, std::optional<Value> other, Load how) {
  ensure(mask || !other, "tt.load: an other value needs a mask");
  return one(how, with({pointer}, {mask, other}));
}
void Builder::store(Value pointer, Value value, std::optional<Value> mask, Store how) {
  all(how, with({pointer, value}, {mask}));
}
Value Builder::atomic_rmw(AtomicRmw how, Value pointer, Value value, std::optional<Value> mask) {
  return one(how, with({pointer, value}, {mask}));
}
void Builder::atomic_store(AtomicStore how, Value pointer, Value value, std::optional<Value> mask) {
  all(how, with({pointer, value}, {mask}));
}
Value Builder::atomic_load(AtomicLoad how, Value pointer, std::optional<Value> mask) {
  return one(how, with({pointer}, {mask}));
}
Value Builder::atomic_poll(AtomicPoll how, Value pointer, Value expected, std::optional<Value> timeout_ns) {
  return one(how, with({pointer, expected}, {timeout_ns}));
}

Region Builder::region(const std::vector<ValueType>& arguments,
                       const std::function<void(std::span<const Value>)>& write) {
  Region region;
  for (const ValueType& type : arguments) region.arguments.push_back(made(type));
  open_.push_back(&region);
  try {
    write(region.arguments);
  } catch (...) {
    open_.pop_back();
    throw;
  }
  open_.pop_back();
  return region;
}

Builder::Values Builder::for_loop(Value lower, Value upper, Value step, Values carried,
                                  const std::function<Values(Value, std::span<const Value>)>& body) {
  std::vector<ValueType> types = types_of(function_, carried);
  types.insert(types.begin(), type(lower));
  std::vector<Region> regions;
  regions.push_back(region(types, [&](std::span<const Value> values) {
    all(Yield{}, body(values.front(), values.subspan(1)));
  }));
  carried.insert(carried.begin(), {lower, upper, step});
  return append({For{}, std::move(carried), {}, std::move(regions)});
}

void Builder::for_loop(Value lower, Value upper, Value step, const std::function<void(Value)>& body) {
  for_loop(lower, upper, step, {}, [&](Value i, std::span<const Value>) {
    body(i);
    return Values{};
  });
}

Builder::Values Builder::if_else(Value condition, const std::function<Values()>& then,
                                 const std::function<Values()>& otherwise) {
  std::vector<ValueType> types;
  std::vector<Region> regions;
  for (const auto* branch : {&then, &otherwise}) {
    regions.push_back(region({}, [&](std::span<const Value>) {
      const Values values = (*branch)();
      if (branch == &then) types = types_of(function_, values);
      all(Yield{}, values);
    }));
  }
  return append({If{std::move(types)}, {condition}, {}, std::move(regions)});
}

void Builder::if_then(Value condition, const std::function<void()>& then) {
  std::vector<Region> regions;
  regions.push_back(region({}, [&](std::span<const Value>) {
    then();
    all(Yield{});
  }));
  regions.emplace_back();
  append({If{}, {condition}, {}, std::move(regions)});
}

Builder::Values Builder::while_loop(Values carried,
                                    const std::function<Value(std::span<const Value>)>& condition,
                                    const std::function<Values(std::span<const Value>)>& body) {
  const std::vector<ValueType> types = types_of(function_, carried);
  std::vector<Region> regions;
  regions.push_back(region(types, [&](std::span<const Value> values) {
    Values operands{condition(values)};
    operands.insert(operands.end(), values.begin(), values.end());
    all(Condition{}, std::move(operands));
  }));
  regions.push_back(region(types, [&](std::span<const Value> values) { all(Yield{}, body(values)); }));
  return append({While{}, std::move(carried), {}, std::move(regions)});
}

Function Builder::finish() && {
  all(Return{});
  verify(function_);
  return std::move(function_);
}

}  // namespace tutti::kernels
