// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/expressions.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>

#include "tutti/base/require.hpp"
#include "tutti/types/half.hpp"

namespace tutti::kernels {
namespace {

constexpr RegisterKind b32 = RegisterKind::b32, b64 = RegisterKind::b64, truth = RegisterKind::predicate;

std::int64_t bits_of(const Constant& constant) {
  if (const auto* integer = std::get_if<std::int64_t>(&constant.value)) return *integer;
  const double number = std::get<double>(constant.value);
  switch (constant.type.scalar) {
    case Scalar::f16: return f16(static_cast<float>(number)).bits;
    case Scalar::bf16: return bf16(static_cast<float>(number)).bits;
    case Scalar::f32: return std::bit_cast<std::int32_t>(static_cast<float>(number));
    default: return std::bit_cast<std::int64_t>(number);
  }
}

std::string_view suffix(IntPredicate predicate) {
  constexpr std::array<std::string_view, 10> all{"eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge"};
  return all.at(static_cast<std::size_t>(predicate));
}
std::string_view suffix(FloatPredicate predicate) {
  constexpr std::array<std::string_view, 15> all{"",    "eq",  "gt",  "ge",  "lt",  "le",  "ne", "num",
                                                 "equ", "gtu", "geu", "ltu", "leu", "neu", "nan"};
  return all.at(static_cast<std::size_t>(predicate));
}
bool is_unsigned(IntPredicate predicate) { return predicate >= IntPredicate::ult; }

template <class... Kinds>
bool is_one_of(const OpKind& kind) {
  return (std::holds_alternative<Kinds>(kind) || ...);
}

/// Computes one held element of an op. Each overload of result() is the rule for one kind of op.
class Expression {
 public:
  Expression(ThreadValues& values, const Op& op, int i) : v_(values), op_(op), i_(i) {}

  ElementValue result(const GetProgramId&) const { return {v_.out.made(b32, "mov.u32", {"%ctaid.x"})}; }
  ElementValue result(const GetNumPrograms&) const { return {v_.out.made(b32, "mov.u32", {"%nctaid.x"})}; }
  ElementValue result(const ThreadId&) const { return {v_.out.made(b32, "mov.u32", {"%tid.x"})}; }
  ElementValue result(const MakeRange& op) const {
    const ThreadLayout& layout = v_.layout(op_.results[0]);
    return {v_.lane(layout), op.start + layout.first(i_)};
  }
  ElementValue result(const Constant& op) const { return {"", bits_of(op)}; }
  ElementValue result(const Splat&) const { return v_.held(in(0), 0); }
  ElementValue result(const ExpandDims&) const { return v_.held(in(0), i_); }
  ElementValue result(const Reshape&) const { return v_.held(in(0), i_); }
  ElementValue result(const Broadcast& op) const {
    const Dims& from = v_.type(in(0)).dims;
    if (from == op.dims) return v_.held(in(0), i_);
    require(elements_of(from) == 1, Code::argument,
            "ptx: {} repeats rows of {}; threads hold one-dimensional tensors: splat a scalar instead",
            name(), v_.type(in(0)));
    return v_.held(in(0), 0);
  }

  ElementValue result(const AddPtr&) const {
    const ElementValue base = v_.held(in(0), i_), offset = v_.held(in(1), i_);
    const int size = std::max(bits(v_.type(in(0)).scalar), 8) / 8;
    const bool is_wide = v_.kind(in(1)) == b64;
    if (offset.reg.empty()) return {v_.reg({base.reg, 0, 0}, b64), base.add + offset.add * size};
    const std::string bytes = fmt::format("{}", size);
    const std::string index = is_wide ? offset.reg : v_.operand(in(1), i_);
    const std::string moved = v_.out.made(b64, is_wide ? "mul.lo.s64" : "mul.wide.s32", {index, bytes});
    return {v_.out.made(b64, "add.s64", {v_.reg({base.reg, 0, 0}, b64), moved}),
            base.add + (is_wide ? offset.add * size : 0)};
  }
  ElementValue result(const IntToPtr&) const { return v_.held(in(0), i_); }
  ElementValue result(const PtrToInt&) const { return v_.held(in(0), i_); }
  ElementValue result(const Bitcast&) const { return v_.held(in(0), i_); }

  ElementValue result(const Arith& op) const {
    const ValueType& type = v_.type(in(0));
    const RegisterKind kind = v_.kind(in(0));
    if (kind == truth || is_float(type)) return {combined(v_.out, op.op, type.scalar, reg(0), reg(1))};
    if (op.op == ArithOp::addi || op.op == ArithOp::subi) return sum(op.op);
    const Extension extension = needs_sign(op.op);
    const bool is_shift = op.op == ArithOp::shli || op.op == ArithOp::shrui || op.op == ArithOp::shrsi;
    const auto text = [&](std::size_t k, Extension how) {
      return bits(type.scalar) < 32 && how != Extension::none ? v_.extended(in(k), i_, how)
                                                              : v_.operand(in(k), i_);
    };
    std::string y = text(1, is_shift ? Extension::zeros : extension);
    if (is_shift && kind == b64 && y[0] == '%') y = v_.out.made(b32, "cvt.u32.u64", {y});
    return {of_integers(v_.out, op.op, kind, text(0, extension), y)};
  }

  ElementValue result(const CompareInts& op) const {
    const ValueType& type = v_.type(in(0));
    const bool is_wide = bits(type.scalar) == 64;
    const Extension how = is_unsigned(op.predicate) ? Extension::zeros : Extension::signs;
    const auto text = [&](std::size_t k) {
      return bits(type.scalar) < 32 ? v_.extended(in(k), i_, how) : v_.operand(in(k), i_);
    };
    const std::string setp = fmt::format("setp.{}.{}{}", suffix(op.predicate),
                                         is_unsigned(op.predicate) ? 'u' : 's', is_wide ? 64 : 32);
    const std::string x = text(0), y = text(1);
    return {v_.out.made(truth, setp, {x, y})};
  }
  ElementValue result(const CompareFloats& op) const {
    const Scalar scalar = v_.type(in(0)).scalar;
    const bool is_wide = scalar == Scalar::f64;
    const std::string x = is_wide ? reg(0) : as_f32(v_.out, scalar, reg(0));
    const std::string y = is_wide ? reg(1) : as_f32(v_.out, scalar, reg(1));
    return {v_.out.made(truth, fmt::format("setp.{}.f{}", suffix(op.predicate), is_wide ? 64 : 32), {x, y})};
  }

  ElementValue result(const Select&) const {
    const std::string chosen = v_.reg(in(0), is_tensor(v_.type(in(0))) ? i_ : 0);
    if (v_.kind(in(1)) != truth) {
      const std::string x = v_.operand(in(1), i_), y = v_.operand(in(2), i_);
      return {v_.out.made(v_.kind(in(1)), v_.kind(in(1)) == b64 ? "selp.b64" : "selp.b32", {x, y, chosen})};
    }
    const std::string first = v_.out.made(truth, "and.pred", {chosen, reg(1)});
    const std::string otherwise = v_.out.made(truth, "not.pred", {chosen});
    const std::string second = v_.out.made(truth, "and.pred", {otherwise, reg(2)});
    return {v_.out.made(truth, "or.pred", {first, second})};
  }

  ElementValue result(const Convert& op) const {
    switch (op.op) {
      case ConvertOp::extsi: return widened(op.to, Extension::signs);
      case ConvertOp::extui: return widened(op.to, Extension::zeros);
      case ConvertOp::trunci: return narrowed(op.to);
      case ConvertOp::extf: return widened_float(op.to);
      case ConvertOp::truncf: break;
    }
    return narrowed_float(op.to);
  }

  ElementValue result(const auto&) const { fail(Code::internal, "ptx: {} is no expression", name()); }

 private:
  Value in(std::size_t k) const { return op_.operands[k]; }
  std::string reg(std::size_t k) const { return v_.reg(in(k), i_); }
  std::string name() const { return label(v_.function, op_); }

  // Folds constants: (x + 3) + (y + 4) = (x + y) + 7, which also holds with wrap-around.
  ElementValue sum(ArithOp op) const {
    const bool adds = op == ArithOp::addi;
    ElementValue x = v_.held(in(0), i_), y = v_.held(in(1), i_);
    const RegisterKind kind = v_.kind(in(0));
    const auto total = static_cast<std::uint64_t>(x.add) +
                       (adds ? static_cast<std::uint64_t>(y.add) : -static_cast<std::uint64_t>(y.add));
    const std::int64_t add =
        kind == b64 ? static_cast<std::int64_t>(total) : static_cast<std::int32_t>(total);
    x.add = y.add = 0;
    if (y.reg.empty()) return {x.reg, add, x.bit};
    if (x.reg.empty() && adds) return {y.reg, add, y.bit};
    const std::string from = x.reg.empty() ? "0" : v_.reg(x, kind);
    return {of_integers(v_.out, op, kind, from, v_.reg(y, kind)), add};
  }

  ElementValue widened(Scalar to, Extension extension) const {
    std::string x = v_.extended(in(0), i_, extension);
    if (x[0] != '%') x = v_.out.made(b32, "mov.b32", {x});
    if (bits(to) < 64) return {x};
    return {v_.out.made(b64, extension == Extension::signs ? "cvt.s64.s32" : "cvt.u64.u32", {x})};
  }
  ElementValue narrowed(Scalar to) const {
    std::string x = reg(0);
    if (v_.kind(in(0)) == b64) x = v_.out.made(b32, "cvt.u32.u64", {x});
    if (to != Scalar::i1) return {x};
    return {v_.out.made(truth, "setp.ne.s32", {v_.out.made(b32, "and.b32", {x, "1"}), "0"})};
  }
  ElementValue widened_float(Scalar to) const {
    const std::string x = as_f32(v_.out, v_.type(in(0)).scalar, reg(0));
    return {to == Scalar::f32 ? x : v_.out.made(b64, "cvt.f64.f32", {x})};
  }
  ElementValue narrowed_float(Scalar to) const {
    if (v_.kind(in(0)) != b64) return {from_f32(v_.out, to, reg(0))};
    if (to == Scalar::f32) return {v_.out.made(b32, "cvt.rn.f32.f64", {reg(0)})};
    if (to == Scalar::bf16) return {from_f32(v_.out, to, odd_f32(reg(0)))};
    const std::string half = v_.out.made(RegisterKind::b16, "cvt.rn.f16.f64", {reg(0)});
    return {v_.out.made(b32, "cvt.u32.u16", {half})};
  }
  /// Rounds to odd: towards zero, with a last bit of 1 if digits are lost. Rounding the result to 16 bits
  /// then equals one rounding of x.
  std::string odd_f32(const std::string& x) const {
    const std::string near = v_.out.made(b32, "cvt.rz.f32.f64", {x});
    const std::string back = v_.out.made(b64, "cvt.f64.f32", {near});
    const std::string differs = v_.out.made(truth, "setp.ne.f64", {back, x});
    const std::string odd = v_.out.made(b32, "selp.b32", {"1", "0", differs});
    return v_.out.made(b32, "or.b32", {near, odd});
  }

  ThreadValues& v_;
  const Op& op_;
  const int i_;
};

}  // namespace

bool is_expression(const OpKind& kind) {
  return is_one_of<GetProgramId, GetNumPrograms, ThreadId, MakeRange, Constant, Splat, ExpandDims, Reshape,
                   Broadcast, AddPtr, IntToPtr, PtrToInt, Bitcast, Arith, CompareInts, CompareFloats, Select,
                   Convert>(kind);
}

ElementValue expression(ThreadValues& values, const Op& op, int i) {
  return std::visit([e = Expression(values, op, i)](const auto& kind) { return e.result(kind); }, op.kind);
}

}  // namespace tutti::kernels
