// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/shared.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"

namespace tutti::kernels {
namespace {

constexpr int warp = 32;
constexpr RegisterKind b32 = RegisterKind::b32, b64 = RegisterKind::b64, truth = RegisterKind::predicate;

std::string_view type_of(RegisterKind kind) { return kind == b64 ? "b64" : "b32"; }

/// Returns the address of word `index` of the exchange buffer; words have 8 bytes.
std::string slot(PtxWriter& out, std::string_view index) {
  const std::string base = out.made(b32, "mov.u32", {shared_name});
  return fmt::format("[{}]", out.made(b32, "mad.lo.u32", {index, "8", base}));
}

std::string through_shared(ThreadValues& v, const ThreadLayout& layout, RegisterKind kind,
                           std::string_view reg) {
  const std::string at = slot(v.out, v.lane(layout));
  v.out.line_if(v.owner(layout), fmt::format("st.shared.{} {}, {}", type_of(kind), at, reg));
  v.out.line("bar.sync 0");
  const std::string copy = v.out.made(kind, fmt::format("ld.shared.{}", type_of(kind)), {at});
  v.out.line("bar.sync 0");
  return copy;
}

ArithOp operation_of(const ThreadValues& v, const Op& op) {
  const Region& region = op.regions[0];
  const auto* arith = std::get_if<Arith>(&region.ops[0].kind);
  const bool is_simple = arith && region.ops.size() == 2 && region.ops[0].operands == region.arguments &&
                         region.ops[1].operands == region.ops[0].results;
  const bool commutes = arith && arith->op != ArithOp::subi && arith->op != ArithOp::shli &&
                        arith->op != ArithOp::shrui && arith->op != ArithOp::shrsi &&
                        arith->op != ArithOp::divui && arith->op != ArithOp::divsi &&
                        arith->op != ArithOp::remui && arith->op != ArithOp::remsi;
  require(is_simple && commutes, Code::argument,
          "ptx: {} is not one commutative operation of its two elements", label(v.function, op));
  return arith->op;
}

/// Writes one reduction.
class Reduction {
 public:
  Reduction(ThreadValues& values, const Op& op, ArithOp operation)
      : v_(values), out_(values.out), value_(op.operands[0]), operation_(operation) {}

  std::string all() const {
    const ThreadLayout& layout = v_.layout(value_);
    std::string x = v_.reg(value_, 0);
    for (int i = 1; i < layout.held(); ++i) x = fold(x, v_.reg(value_, i));
    const auto lanes = static_cast<int>(std::min<std::int64_t>(layout.elements, layout.threads));
    if (v_.kind(value_) == truth) return of_truths(x, lanes);
    for (int distance = std::min(lanes, warp) / 2; distance > 0; distance /= 2)
      x = fold(x, shuffled(x, distance));
    return lanes > warp ? of_warps(x, lanes / warp) : x;
  }

 private:
  std::string fold(std::string_view x, std::string_view y) const {
    return combined(out_, operation_, v_.type(value_).scalar, x, y);
  }

  // Reduces i1 elements. Up to 32 elements need only a vote, because every warp holds all of them.
  std::string of_truths(std::string_view x, int lanes) const {
    const bool is_and = operation_ == ArithOp::andi;
    if (lanes <= warp)
      return out_.made(truth, is_and ? "vote.sync.all.pred" : "vote.sync.any.pred", {x, "0xFFFFFFFF"});
    return out_.made(truth, is_and ? "bar.red.and.pred" : "bar.red.or.pred", {"0", x});
  }

  std::string shuffled(const std::string& x, int distance) const {
    const auto half = [&](std::string_view from) {
      return out_.made(b32, "shfl.sync.bfly.b32", {from, fmt::format("{}", distance), "31", "0xFFFFFFFF"});
    };
    if (v_.kind(value_) != b64) return half(x);
    const std::string low = out_.fresh(b32), high = out_.fresh(b32), both = out_.fresh(b64);
    out_.line(fmt::format("mov.b64 {{{}, {}}}, {}", low, high, x));
    const std::string a = half(low), b = half(high);
    out_.line(fmt::format("mov.b64 {}, {{{}, {}}}", both, a, b));
    return both;
  }

  /// Folds the results of the warps. Every thread folds all results in the same order.
  std::string of_warps(const std::string& x, int warps) const {
    const RegisterKind kind = v_.kind(value_);
    const std::string thread = out_.made(b32, "mov.u32", {"%tid.x"});
    const std::string number = out_.made(b32, "shr.u32", {thread, "5"});
    const std::string in_warp = out_.made(b32, "and.b32", {thread, "31"});
    const std::string is_first = out_.made(truth, "setp.eq.u32", {in_warp, "0"});
    const std::string is_one = out_.made(truth, "setp.lt.u32", {number, fmt::format("{}", warps)});
    const std::string stores = out_.made(truth, "and.pred", {is_first, is_one});
    out_.line_if(stores, fmt::format("st.shared.{} {}, {}", type_of(kind), slot(out_, number), x));
    out_.line("bar.sync 0");
    std::string sum;
    for (int i = 0; i < warps; ++i) {
      const std::string part = out_.made(kind, fmt::format("ld.shared.{}", type_of(kind)),
                                         {fmt::format("[{}+{}]", shared_name, i * 8)});
      sum = i == 0 ? part : fold(sum, part);
    }
    out_.line("bar.sync 0");
    return sum;
  }

  ThreadValues& v_;
  PtxWriter& out_;
  const Value value_;
  const ArithOp operation_;
};

}  // namespace

std::string given_to_copies(ThreadValues& v, const ThreadLayout& layout, RegisterKind kind,
                            std::string_view reg) {
  v.needs_shared = true;
  if (kind != truth) return through_shared(v, layout, kind, reg);
  const std::string word = v.out.made(b32, "selp.b32", {"1", "0", reg});
  return v.out.made(truth, "setp.ne.s32", {through_shared(v, layout, b32, word), "0"});
}

void write_reduce(ThreadValues& v, const Op& op) {
  const Value value = op.operands[0];
  const ValueType& type = v.type(value);
  require(elements_of(type.dims) == type.dims[static_cast<std::size_t>(std::get<Reduce>(op.kind).axis)],
          Code::argument, "ptx: {} reduces rows of {}; threads hold one-dimensional tensors",
          label(v.function, op), type);
  const ArithOp operation = operation_of(v, op);
  require(type.scalar != Scalar::i1 || operation == ArithOp::andi || operation == ArithOp::ori,
          Code::argument, "ptx: {} reduces i1 by {}; use and or or", label(v.function, op),
          op_name(Arith{operation}));
  v.needs_shared = v.needs_shared || std::min<std::int64_t>(elements_of(type.dims), v.threads) > warp;
  v.define(op.results[0], 0, {Reduction(v, op, operation).all()});
}

}  // namespace tutti::kernels
