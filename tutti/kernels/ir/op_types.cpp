// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ir/op_types.hpp"

#include <algorithm>
#include <bit>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

using Types = std::vector<ValueType>;

std::string text(const Types& types) {
  std::string all;
  for (const ValueType& type : types) all += (all.empty() ? "" : ", ") + to_string(type);
  return all;
}

/// The typing rules of ops: one overload of results() per kind. Each first checks the number of operands.
class Rules {
 public:
  Rules(const OpKind& kind, const Types& operands) : kind_(kind), in_(operands) {}

  Types results(const GetProgramId&) const { return nothing_to({value_of(Scalar::i32)}); }
  Types results(const GetNumPrograms&) const { return nothing_to({value_of(Scalar::i32)}); }
  Types results(const MakeRange& op) const {
    take(op.start >= 0 && op.start < op.end, "the range is empty or begins below zero");
    return nothing_to({made(value_of(Scalar::i32, {op.end - op.start}))});
  }
  Types results(const Constant& op) const {
    take(!op.type.pointer, "a pointer is no constant");
    const bool fits = std::visit([&](auto value) { return holds(op.type.scalar, value); }, op.value);
    take(fits, "the number is not one of " + std::string(to_string(op.type.scalar)));
    return nothing_to({made(op.type)});
  }

  Types results(const Splat& op) const {
    count(1, 1);
    take(!is_tensor(in_[0]), "the operand is a tensor already");
    return {tensor_of(in_[0], op.dims)};
  }
  Types results(const ExpandDims& op) const {
    count(1, 1);
    take(is_tensor(in_[0]), "the operand is no tensor");
    Dims dims = in_[0].dims;
    take(op.axis >= 0 && op.axis <= static_cast<int>(dims.size()), "the axis is out of range");
    dims.insert(dims.begin() + op.axis, 1);
    return {tensor_of(in_[0], dims)};
  }
  Types results(const Broadcast& op) const {
    count(1, 1);
    const Dims& from = in_[0].dims;
    bool fits = is_tensor(in_[0]) && from.size() == op.dims.size();
    for (std::size_t i = 0; fits && i < from.size(); ++i) fits = from[i] == 1 || from[i] == op.dims[i];
    take(fits, "only dims of 1 become larger: " + to_string(with_dims(in_[0], op.dims)));
    return {tensor_of(in_[0], op.dims)};
  }
  Types results(const Reshape& op) const {
    count(1, 1);
    take(is_tensor(in_[0]) && elements_of(op.dims) == elements_of(in_[0].dims),
         "there is another number of elements in " + to_string(with_dims(in_[0], op.dims)));
    return {tensor_of(in_[0], op.dims)};
  }

  Types results(const AddPtr&) const {
    count(2, 2);
    pointer();
    take(in_[1] == value_of(Scalar::i32, in_[0].dims) || in_[1] == value_of(Scalar::i64, in_[0].dims),
         "the offset must be i32 or i64 of the pointer's dims");
    return {in_[0]};
  }
  Types results(const IntToPtr& op) const {
    count(1, 1);
    take(in_[0] == value_of(Scalar::i64, in_[0].dims), "an address is i64");
    take(!op.divisibility || (*op.divisibility > 0 && std::has_single_bit(unsigned(*op.divisibility))),
         "the divisibility is not a power of two");
    return {pointer_to(op.pointee, in_[0].dims)};
  }
  Types results(const PtrToInt&) const {
    count(1, 1);
    pointer();
    return {value_of(Scalar::i64, in_[0].dims)};
  }
  Types results(const Bitcast& op) const {
    count(1, 1);
    take(in_[0].pointer || bits(op.to) == bits(in_[0].scalar), "the number of bits changes");
    return {ValueType{op.to, in_[0].pointer, in_[0].dims}};
  }

  Types results(const Load&) const {
    count(1, 3);
    pointer();
    mask(1);
    if (in_.size() == 3) take(in_[2] == pointee(), "the other value has not the pointer's type");
    return {pointee()};
  }
  Types results(const Store&) const {
    count(2, 3);
    value();
    mask(2);
    return {};
  }
  Types results(const AtomicRmw& op) const {
    count(2, 3);
    value();
    mask(2);
    const bool is_wide = bits(in_[1].scalar) >= 32;
    if (op.op == RmwOp::fadd) {
      take(is_float(in_[1]), "fadd adds floats");
    } else {
      take(is_wide && (op.op == RmwOp::exch || is_integer(in_[1])),
           "the value must be i32 or i64; exch takes f32 and f64");
    }
    return {in_[1]};
  }
  Types results(const AtomicCas&) const {
    count(3, 3);
    value();
    take(is_integer(in_[1]) && bits(in_[1].scalar) >= 32 && in_[2] == in_[1],
         "both values must be i32 or i64");
    return {in_[1]};
  }
  Types results(const AtomicStore& op) const {
    count(2, 3);
    value();
    mask(2);
    take(op.order == Order::release || op.order == Order::relaxed, "a store is release or relaxed");
    return {};
  }
  Types results(const AtomicLoad& op) const {
    count(1, 2);
    pointer();
    mask(1);
    is_read(op.order);
    return {pointee()};
  }
  Types results(const AtomicPoll& op) const {
    count(2, 3);
    value();
    take(is_integer(in_[1]) && bits(in_[1].scalar) >= 16, "the value must be i16, i32 or i64");
    if (in_.size() == 3) take(in_[2] == value_of(Scalar::i64), "the timeout must be i64");
    is_read(op.order);
    return {value_of(Scalar::i1, in_[0].dims)};
  }

  Types results(const ThreadId&) const { return nothing_to({value_of(Scalar::i32)}); }
  Types results(const ThreadSignal& op) const {
    count(2, 2);
    slot();
    take(op.order == Order::release || op.order == Order::relaxed, "a store is release or relaxed");
    return {value_of(Scalar::i32)};
  }
  Types results(const ThreadWait& op) const {
    count(4, 4);
    slot();
    take(in_[2] == value_of(Scalar::i64), "the limit must be i64");
    take(in_[3] == pointer_to(Scalar::i32), "the error must be a pointer to i32");
    is_read(op.order);
    take(op.reached == IntPredicate::sge || op.reached == IntPredicate::eq, "a wait is for sge or eq");
    return {value_of(Scalar::i32)};
  }
  Types results(const Reduce& op) const {
    count(1, 1);
    Dims dims = in_[0].dims;
    take(op.axis >= 0 && op.axis < static_cast<int>(dims.size()), "the axis is out of range");
    dims.erase(dims.begin() + op.axis);
    return {with_dims(in_[0], dims)};
  }
  Types results(const BlockBarrier&) const { return nothing_to({}); }

  Types results(const Arith& op) const {
    two_equal();
    take(op.op < ArithOp::addf ? is_integer(in_[0]) : is_float(in_[0]),
         op.op < ArithOp::addf ? "the operands must be integers" : "the operands must be floats");
    return {in_[0]};
  }
  Types results(const CompareInts&) const {
    two_equal();
    take(is_integer(in_[0]), "the operands must be integers");
    return {value_of(Scalar::i1, in_[0].dims)};
  }
  Types results(const CompareFloats&) const {
    two_equal();
    take(is_float(in_[0]), "the operands must be floats");
    return {value_of(Scalar::i1, in_[0].dims)};
  }
  Types results(const Select&) const {
    count(3, 3);
    take(in_[0] == value_of(Scalar::i1) || in_[0] == value_of(Scalar::i1, in_[1].dims),
         "the condition must be i1, or a tensor of i1 with the values' dims");
    take(in_[1] == in_[2], "both values must have one type");
    return {in_[1]};
  }
  Types results(const Convert& op) const {
    count(1, 1);
    const bool of_floats = op.op == ConvertOp::extf || op.op == ConvertOp::truncf;
    const bool extends = op.op != ConvertOp::trunci && op.op != ConvertOp::truncf;
    take(!in_[0].pointer && is_float(in_[0]) == of_floats && is_float(op.to) == of_floats,
         of_floats ? "floats become floats" : "integers become integers");
    take(extends ? bits(op.to) > bits(in_[0].scalar) : bits(op.to) < bits(in_[0].scalar),
         std::string(to_string(op.to)) + (extends ? " is not wider" : " is not narrower"));
    return {value_of(op.to, in_[0].dims)};
  }

  Types results(const For&) const {
    count(3, in_.size());
    take(in_[0] == value_of(Scalar::i32) || in_[0] == value_of(Scalar::i64),
         "bounds and step must be i32 or i64");
    take(in_[0] == in_[1] && in_[0] == in_[2], "bounds and step must have one type");
    return Types(in_.begin() + 3, in_.end());
  }
  Types results(const If& op) const {
    count(1, 1);
    take(in_[0] == value_of(Scalar::i1), "the condition must be i1");
    return op.results;
  }
  Types results(const While&) const { return in_; }
  Types results(const Condition&) const {
    count(1, in_.size());
    take(in_[0] == value_of(Scalar::i1), "the condition must be i1");
    return {};
  }
  Types results(const ReduceReturn&) const {
    count(1, 1);
    return {};
  }
  Types results(const Yield&) const { return {}; }
  Types results(const Return&) const { return nothing_to({}); }

 private:
  void take(bool holds, std::string_view why) const {
    ensure(holds, "{}({}): {}", op_name(kind_), text(in_), why);
  }
  void count(std::size_t least, std::size_t most) const {
    take(in_.size() >= least && in_.size() <= most, "wrong number of operands");
  }
  Types nothing_to(Types results) const {
    count(0, 0);
    return results;
  }
  ValueType made(const ValueType& type) const {
    if (const auto defect = dims_defect(type.dims)) take(false, to_string(type) + ": " + *defect);
    return type;
  }
  ValueType tensor_of(const ValueType& element, const Dims& dims) const {
    take(!dims.empty(), "the result is no tensor");
    return made(with_dims(element, dims));
  }
  ValueType pointee() const { return value_of(in_[0].scalar, in_[0].dims); }
  void pointer() const { take(in_[0].pointer, "the first operand must be a pointer"); }
  void value() const {
    pointer();
    take(in_[1] == pointee(), "the value has not the pointer's type " + to_string(pointee()));
  }
  void slot() const {
    take(in_[0] == pointer_to(Scalar::i32) && in_[1] == value_of(Scalar::i32),
         "a thread accesses one i32 by a pointer to it");
  }
  void mask(std::size_t index) const {
    const ValueType expected = value_of(Scalar::i1, in_[0].dims);
    if (index < in_.size()) take(in_[index] == expected, "the mask must be " + to_string(expected));
  }
  void is_read(Order order) const {
    take(order == Order::acquire || order == Order::relaxed, "a load is acquire or relaxed");
  }
  void two_equal() const {
    count(2, 2);
    take(in_[0] == in_[1], "both operands must have one type");
  }

  const OpKind& kind_;
  const Types& in_;
};

struct ExpectedRegion {
  Types arguments;
  std::size_t terminator;  // index in OpKind
  Types operands;          // types of the terminator's operands, without the i1 of Condition
};

template <class Kind>
const std::size_t index_of = OpKind(Kind{}).index();

std::vector<ExpectedRegion> expected_regions(const Function& function, const Op& op) {
  const Types in = types_of(function, op.operands), out = types_of(function, op.results);
  if (std::holds_alternative<For>(op.kind)) {
    Types arguments = out;
    arguments.insert(arguments.begin(), in.at(0));
    return {{arguments, index_of<Yield>, out}};
  }
  if (std::holds_alternative<If>(op.kind)) return {{{}, index_of<Yield>, out}, {{}, index_of<Yield>, out}};
  if (std::holds_alternative<While>(op.kind))
    return {{in, index_of<Condition>, in}, {in, index_of<Yield>, in}};
  if (std::holds_alternative<Reduce>(op.kind)) {
    const ValueType element = with_dims(in.at(0), {});
    return {{{element, element}, index_of<ReduceReturn>, {element}}};
  }
  return {};
}

}  // namespace

std::vector<ValueType> result_types(const OpKind& kind, const std::vector<ValueType>& operands) {
  return std::visit([rules = Rules(kind, operands)](const auto& op) { return rules.results(op); }, kind);
}

void check_regions(const Function& function, const Op& op) {
  const auto expected = expected_regions(function, op);
  const std::string name = label(function, op);
  ensure(op.regions.size() == expected.size(), "{}: {} regions, expected {}", name, op.regions.size(),
         expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Region& region = op.regions[i];
    const Types arguments = types_of(function, region.arguments);
    ensure(arguments == expected[i].arguments, "{}: region {} has the arguments ({}), expected ({})", name, i,
           text(arguments), text(expected[i].arguments));
    const bool is_absent = std::holds_alternative<If>(op.kind) && i == 1 && op.results.empty();
    if (region.ops.empty() && is_absent) continue;
    ensure(!region.ops.empty() && region.ops.back().kind.index() == expected[i].terminator,
           "{}: region {} has not its terminator at its end", name, i);
    const Op& last = region.ops.back();
    Types operands = types_of(function, last.operands);
    if (std::holds_alternative<Condition>(last.kind)) operands.erase(operands.begin());
    ensure(operands == expected[i].operands, "{}: region {} ends with {}({}), expected ({})", name, i,
           op_name(last.kind), text(operands), text(expected[i].operands));
  }
}

}  // namespace tutti::kernels
