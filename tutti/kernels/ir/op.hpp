// SPDX-License-Identifier: Apache-2.0
// The ops of collective kernels: the part of Triton's dialects tt, arith and scf that our kernels use. Each
// struct holds an op's attributes. The comment lists operands, optional ones in brackets, and results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tutti/kernels/ir/value_type.hpp"

namespace tutti::kernels {

// Enumerators have the numbers that Triton 3.9.0 and MLIR print in generic text.
/// The order of an atomic access among others: tt.MemSemantic.
enum class Order { relaxed = 1, acquire, release, acq_rel };
/// The threads that see an atomic access in order: of the GPU, of the block, of the system.
enum class Scope { gpu = 1, cta, sys };
/// The cache modifier of a load or store.
enum class Cache { none = 1, ca, cg, wb, cs, wt, cv };
/// The function of an atomic read-modify-write.
enum class RmwOp { bit_and = 1, bit_or, bit_xor, add, fadd, max, min, umax, umin, exch };
/// Comparisons of integers; s: signed, u: unsigned.
enum class IntPredicate { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };
/// Comparisons of floats; o: false for NaN, u: true for NaN.
enum class FloatPredicate { oeq = 1, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno };

/// States whether peers access the memory of a plain load or store while the kernel runs. check_protocol()
/// concerns only Memory::peer.
enum class Memory { peer, own };
struct GetProgramId {};    // () -> i32
struct GetNumPrograms {};  // () -> i32
struct MakeRange {         // () -> i32 tensor
  int start = 0, end = 0;
};
struct Splat {  // scalar -> tensor
  Dims dims;
};
struct ExpandDims {  // tensor -> tensor with a dim 1 more
  int axis = 0;
};
struct Broadcast {  // tensor -> tensor of the same rank; dims of size 1 grow
  Dims dims;
};
struct Reshape {  // tensor -> tensor
  Dims dims;
};
struct AddPtr {};  // pointer, integer -> pointer
struct IntToPtr {  // i64 -> pointer
  Scalar pointee = Scalar::i32;
  std::optional<int> divisibility;  // of the address, in bytes; vector accesses need it
};
struct PtrToInt {};  // pointer -> i64
struct Bitcast {     // value or pointer -> value or pointer with the same number of bits
  Scalar to = Scalar::i32;
};
struct Load {  // pointer, [mask, [other]] -> value
  Memory memory = Memory::peer;
  Cache cache = Cache::none;
};
struct Store {  // pointer, value, [mask]
  Memory memory = Memory::peer;
  Cache cache = Cache::none;
};
struct AtomicRmw {  // pointer, value, [mask] -> previous value
  RmwOp op = RmwOp::add;
  Order order = Order::relaxed;
  Scope scope = Scope::sys;
};
struct AtomicCas {  // pointer, expected, value -> previous value
  Order order = Order::acq_rel;
  Scope scope = Scope::sys;
};
struct AtomicStore {  // pointer, value, [mask]
  Order order = Order::release;
  Scope scope = Scope::sys;
};
struct AtomicLoad {  // pointer, [mask] -> value
  Order order = Order::acquire;
  Scope scope = Scope::sys;
};
/// Waits until memory EQUALS the value. A lane that reaches its timeout returns false and acquires nothing.
struct AtomicPoll {  // pointer, value, [timeout in ns: i64] -> i1
  Order order = Order::acquire;
  Scope scope = Scope::sys;
};
// ThreadId, ThreadSignal and ThreadWait run in each thread; other ops run once per block. These three are for
// NVIDIA only and are printed as inline assembly (asm_text.hpp).
struct ThreadId {};    // () -> i32, different in each thread of the block
struct ThreadSignal {  // pointer to i32, value: i32 -> i32, always 0
  Order order = Order::release;
  Scope scope = Scope::sys;
};
/// Polls until memory - value, with wrap-around, is at least zero (sge), or until memory equals value (eq);
/// then returns 1. After `limit` polls (0: no limit) it stores {1, value} at `error` and returns 0.
struct ThreadWait {  // pointer to i32, value: i32, limit: i64, error: pointer to i32 -> i32
  Order order = Order::acquire;
  Scope scope = Scope::sys;
  IntPredicate reached = IntPredicate::sge;
};
struct Reduce {  // tensor -> tensor without dim `axis`; one region that combines two elements
  int axis = 0;
};
struct ReduceReturn {};  // element
struct BlockBarrier {};  // orders accesses to all address spaces

struct Constant {  // () -> value, in every element of a tensor
  ValueType type;
  std::variant<std::int64_t, double> value;
};
/// The functions of two operands, by their names in MLIR.
enum class ArithOp {
  addi,
  subi,
  muli,
  divui,
  divsi,
  remui,
  remsi,
  andi,
  ori,
  xori,
  shli,
  shrui,
  shrsi,
  minsi,
  minui,
  maxsi,
  maxui,
  addf,
  mulf,
  maximumf,
  minimumf,
};
struct Arith {  // x, x -> x
  ArithOp op = ArithOp::addi;
};
struct CompareInts {  // x, x -> i1
  IntPredicate predicate = IntPredicate::eq;
};
struct CompareFloats {  // x, x -> i1
  FloatPredicate predicate = FloatPredicate::oeq;
};
struct Select {};  // i1 or i1 tensor, x, x -> x
/// The conversions, by their names in MLIR.
enum class ConvertOp { extsi, extui, trunci, extf, truncf };
struct Convert {  // value -> value
  ConvertOp op = ConvertOp::extsi;
  Scalar to = Scalar::i64;
};

struct For {};  // lower, upper, step, first carried.. -> last carried; region arguments: index, carried..
struct If {     // i1 -> results; two regions, then and else; an else without ops is empty
  std::vector<ValueType> results;
};
struct While {};      // first carried.. -> last carried; regions condition and body, each takes carried..
struct Yield {};      // the region's results
struct Condition {};  // i1, carried..
/// Ends the kernel.
struct Return {};

/// The attributes of any op.
using OpKind = std::variant<GetProgramId, GetNumPrograms, MakeRange, Splat, ExpandDims, Broadcast, Reshape,
                            AddPtr, IntToPtr, PtrToInt, Bitcast, Load, Store, AtomicRmw, AtomicCas,
                            AtomicStore, AtomicLoad, AtomicPoll, ThreadId, ThreadSignal, ThreadWait, Reduce,
                            ReduceReturn, BlockBarrier, Constant, Arith, CompareInts, CompareFloats, Select,
                            Convert, For, If, While, Yield, Condition, Return>;

/// A value of one Function. Function::types has the value's type.
struct Value {
  int id = -1;

  bool operator==(const Value&) const = default;
};

struct Region;

/// One op: its attributes, the values that it reads and defines, and its regions.
struct Op {
  OpKind kind;
  std::vector<Value> operands, results;
  std::vector<Region> regions;
};

/// A sequence of ops. The last one is a terminator; only an empty region has none.
struct Region {
  std::vector<Value> arguments;
  std::vector<Op> ops;
};

/// An argument of a kernel.
struct Argument {
  std::string name;
  ValueType type;
  std::optional<int> divisibility;  // of an integer, or of a pointer's address in bytes
};

/// One kernel. Its first values are its arguments.
struct Function {
  std::string name;
  std::vector<Argument> arguments;
  Region body;
  std::vector<ValueType> types;  // by Value::id
};

std::string_view op_name(const OpKind& kind);  // "tt.load"
/// The enumerator as Triton and MLIR print it.
std::string_view to_string(Order order);
std::string_view to_string(Scope scope);
std::string_view to_string(Cache cache);
std::string_view to_string(RmwOp op);
std::string_view to_string(IntPredicate predicate);
std::string_view to_string(FloatPredicate predicate);

/// The type of a value.
const ValueType& type_of(const Function& function, Value value);
/// The types of several values.
std::vector<ValueType> types_of(const Function& function, const std::vector<Value>& values);
std::string value_name(const Function& function, Value value);  // "%pointers", "%17"
/// Names an op in messages by its first operand: "tt.store %17".
std::string label(const Function& function, const Op& op);

}  // namespace tutti::kernels
