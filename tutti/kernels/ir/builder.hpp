// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "tutti/base/inside.hpp"
#include "tutti/kernels/ir/op.hpp"

namespace tutti::kernels {

/// Builds one kernel, op by op. Throws I001 with op and types as soon as an op does not take its operands.
/// Operands that op.hpp puts in brackets are optional. Use at most one argument of a call to make an op: C++
/// evaluates arguments in any order, so compilers would number the values differently.
///
///     Builder b("copy");
///     const Value from = b.argument("from", pointer_to(Scalar::f32), 16);
///     const Value to = b.argument("to", pointer_to(Scalar::f32), 16);
///     const Value lanes = b.range(0, 128);
///     const Value x = b.load(b.offset(from, lanes));
///     b.store(b.offset(to, lanes), x);
///     const Function copy = std::move(b).finish();
class Builder {
 public:
  explicit Builder(std::string name);

  /// Arguments come before all ops.
  Value argument(std::string name, ValueType type, std::optional<int> divisibility = std::nullopt);

  /// Append any op without regions. one() returns its only result and throws I001 unless there is exactly
  /// one; all() returns all results.
  Value one(OpKind kind, std::vector<Value> operands = {});
  std::vector<Value> all(OpKind kind, std::vector<Value> operands = {});

  Value program_id() { return one(GetProgramId{}); }
  Value num_programs() { return one(GetNumPrograms{}); }
  Value range(int start, int end) { return one(MakeRange{start, end}); }
  Value constant(ValueType type, std::variant<std::int64_t, double> value) {
    return one(Constant{std::move(type), value});
  }
  Value splat(Value x, Dims dims) { return one(Splat{std::move(dims)}, {x}); }
  /// Returns pointer + index. If only one of them is a tensor, the other is splat first.
  Value offset(Value pointer, Value index);

  Value arith(ArithOp op, Value x, Value y) { return one(Arith{op}, {x, y}); }
  Value compare(IntPredicate predicate, Value x, Value y) { return one(CompareInts{predicate}, {x, y}); }
  Value select(Value condition, Value x, Value y) { return one(Select{}, {condition, x, y}); }
  Value convert(ConvertOp op, Value x, Scalar to) { return one(Convert{op, to}, {x}); }
  Value reduce(ArithOp op, Value x, int axis = 0);

  Value load(Value pointer, std::optional<Value> mask = {}, std::optional<Value> other = {}, Load how = {});
  void store(Value pointer, Value value, std::optional<Value> mask = {}, Store how = {});
  Value atomic_rmw(AtomicRmw how, Value pointer, Value value, std::optional<Value> mask = {});
  void atomic_store(AtomicStore how, Value pointer, Value value, std::optional<Value> mask = {});
  Value atomic_load(AtomicLoad how, Value pointer, std::optional<Value> mask = {});
  Value atomic_poll(AtomicPoll how, Value pointer, Value expected, std::optional<Value> timeout_ns = {});
  void block_barrier() { all(BlockBarrier{}); }

  using Values = std::vector<Value>;
  /// for (i = lower; i < upper; i += step) carried = body(i, carried). Returns the last carried values.
  Values for_loop(Value lower, Value upper, Value step, Values carried,
                  const std::function<Values(Value, std::span<const Value>)>& body);
  void for_loop(Value lower, Value upper, Value step, const std::function<void(Value)>& body);
  /// Both functions return values of the same types.
  Values if_else(Value condition, const std::function<Values()>& then,
                 const std::function<Values()>& otherwise);
  void if_then(Value condition, const std::function<void()>& then);
  /// while (condition(carried)) carried = body(carried). Returns the last carried values.
  Values while_loop(Values carried, const std::function<Value(std::span<const Value>)>& condition,
                    const std::function<Values(std::span<const Value>)>& body);

  const ValueType& type(Value value) const { return type_of(function_, value); }

  /// Appends the return, verifies the kernel (verify.hpp) and returns it.
  Function finish() &&;

 private:
  Value made(ValueType type);
  std::vector<Value> append(Op op);
  /// Makes a region with arguments of these types; `write` appends the region's ops.
  Region region(const std::vector<ValueType>& arguments,
                const std::function<void(std::span<const Value>)>& write);

  Function function_;
  std::vector<Region*> open_;  // innermost last
};

}  // namespace tutti::kernels
