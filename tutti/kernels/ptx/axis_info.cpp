// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/axis_info.hpp"

#include <algorithm>
#include <bit>

#include "tutti/base/overloaded.hpp"
#include "tutti/kernels/ptx/visit_ops.hpp"

namespace tutti::kernels {
namespace {

constexpr std::int64_t most_divisible = std::int64_t{1} << 30;  // 0 counts as divisible by it

std::int64_t power_of_two_in(std::int64_t value) {
  return value == 0 ? most_divisible
                    : std::int64_t{1} << std::min(std::countr_zero(static_cast<std::uint64_t>(value)), 30);
}

std::int64_t product(std::int64_t a, std::int64_t b) {
  return a > most_divisible / b ? most_divisible : a * b;
}

/// Returns the divisibility of every element, not only of the first element of each run.
std::int64_t each(const AxisInfo& info) { return info.contiguity > 1 ? 1 : info.divisibility; }

int bytes_of(Scalar scalar) { return std::max(bits(scalar), 8) / 8; }

/// Returns the length of runs that do not wrap around, and so keep their order when they are widened.
std::int64_t aligned_run(const AxisInfo& info) {
  return std::min(info.contiguity, divisibility_at(info, info.contiguity, 1));
}

class Rules {
 public:
  Rules(const Function& function, const Op& op, const std::vector<AxisInfo>& known)
      : function_(function), op_(op), known_(known) {}

  AxisInfo result(const MakeRange& op) const {
    return {.contiguity = n(), .divisibility = power_of_two_in(op.start)};
  }
  AxisInfo result(const Constant& op) const {
    AxisInfo info{.constancy = n()};
    if (const auto* value = std::get_if<std::int64_t>(&op.value)) {
      info.divisibility = power_of_two_in(*value);
      info.constant = *value;
    }
    return info;
  }
  AxisInfo result(const Splat&) const { return equal_elements(); }
  AxisInfo result(const ExpandDims&) const { return in(0); }
  AxisInfo result(const Reshape&) const { return in(0); }
  AxisInfo result(const Broadcast&) const { return type(0).dims == type().dims ? in(0) : equal_elements(); }

  AxisInfo result(const AddPtr&) const {
    AxisInfo offset = in(1);
    const std::int64_t size = bytes_of(type().scalar);
    if (type(1).scalar == Scalar::i32) offset = shortened(offset, aligned_run(offset), 1);
    offset.divisibility = product(offset.divisibility, size);
    return sum(in(0), offset, size);
  }
  AxisInfo result(const IntToPtr& op) const {
    return {.divisibility = std::max<std::int64_t>(each(in(0)), op.divisibility.value_or(1)),
            .constancy = in(0).constancy};
  }
  AxisInfo result(const PtrToInt&) const {
    return {.divisibility = each(in(0)), .constancy = in(0).constancy};
  }
  AxisInfo result(const Bitcast& op) const {
    const AxisInfo info = in(0);
    if (type().pointer && bytes_of(op.to) == bytes_of(type(0).scalar)) return info;
    return {.divisibility = type().pointer ? each(info) : 1, .constancy = info.constancy};
  }

  AxisInfo result(const Arith& op) const {
    const AxisInfo a = in(0), b = in(1);
    const std::int64_t equal = std::min(a.constancy, b.constancy);
    switch (op.op) {
      case ArithOp::addi: return sum(a, b, 1);
      case ArithOp::subi: return difference(a, b);
      case ArithOp::muli: return {.divisibility = product(each(a), each(b)), .constancy = equal};
      case ArithOp::divui: return quotient(a, b);
      case ArithOp::remui: return remainder(a, b);
      case ArithOp::minsi:
      case ArithOp::minui:
      case ArithOp::maxsi:
      case ArithOp::maxui: return {.divisibility = std::min(each(a), each(b)), .constancy = equal};
      case ArithOp::andi:
      case ArithOp::divsi:  // rounds to zero: -1 / 2 is not -2 / 2
      case ArithOp::remsi:
      case ArithOp::ori:
      case ArithOp::xori:
      case ArithOp::shli:
      case ArithOp::shrui:
      case ArithOp::shrsi:
      case ArithOp::addf:
      case ArithOp::mulf:
      case ArithOp::maximumf:
      case ArithOp::minimumf: break;
    }
    return {.constancy = equal};
  }

  AxisInfo result(const CompareInts& op) const {
    const AxisInfo a = in(0), b = in(1);
    std::int64_t equal = std::min(a.constancy, b.constancy);
    switch (op.predicate) {
      case IntPredicate::slt:
      case IntPredicate::sge:
      case IntPredicate::ult:
      case IntPredicate::uge: equal = std::max(equal, run_below(a, b)); break;
      case IntPredicate::sgt:
      case IntPredicate::sle:
      case IntPredicate::ugt:
      case IntPredicate::ule: equal = std::max(equal, run_below(b, a)); break;
      case IntPredicate::eq:
      case IntPredicate::ne: break;
    }
    return {.constancy = equal};
  }
  AxisInfo result(const CompareFloats&) const {
    return {.constancy = std::min(in(0).constancy, in(1).constancy)};
  }
  AxisInfo result(const Select&) const {
    const AxisInfo c = in(0), a = in(1), b = in(2);
    const std::int64_t chosen = is_tensor(type(0)) ? c.constancy : n();
    const std::int64_t run = std::min({a.contiguity, b.contiguity, chosen});
    const std::int64_t size = type().pointer ? bytes_of(type().scalar) : 1;
    return {.contiguity = run,
            .divisibility = std::min(divisibility_at(a, run, size), divisibility_at(b, run, size)),
            .constancy = std::min({a.constancy, b.constancy, chosen})};
  }
  AxisInfo result(const Convert& op) const {
    AxisInfo info = in(0);
    if (op.op == ConvertOp::extf || op.op == ConvertOp::truncf) return {.constancy = info.constancy};
    const bool extends = op.op != ConvertOp::trunci;
    const int narrow = bits(extends ? type(0).scalar : op.to);
    const std::int64_t most = std::min(most_divisible, std::int64_t{1} << std::min(narrow - 1, 30));
    info = shortened(info, std::min(extends ? aligned_run(info) : info.contiguity, most), 1);
    info.divisibility = std::min(info.divisibility, most);
    info.constant.reset();
    return info;
  }
  AxisInfo result(const auto&) const { return {}; }  // loads, atomics, loops: nothing is known

 private:
  const ValueType& type() const { return type_of(function_, op_.results[0]); }
  const ValueType& type(std::size_t i) const { return type_of(function_, op_.operands[i]); }
  std::int64_t n() const { return elements_of(type().dims); }
  const AxisInfo& in(std::size_t i) const { return known_[static_cast<std::size_t>(op_.operands[i].id)]; }

  AxisInfo equal_elements() const {
    if (elements_of(type(0).dims) > 1) return {};
    return {.divisibility = in(0).divisibility, .constancy = n(), .constant = in(0).constant};
  }

  static AxisInfo shortened(AxisInfo info, std::int64_t run, std::int64_t unit) {
    info.divisibility = divisibility_at(info, run, unit);
    info.contiguity = run;
    return info;
  }

  static AxisInfo sum(const AxisInfo& a, const AxisInfo& b, std::int64_t unit) {
    const std::int64_t run =
        std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
    return {.contiguity = run,
            .divisibility = std::min(divisibility_at(a, run, unit), divisibility_at(b, run, unit)),
            .constancy = std::min(a.constancy, b.constancy)};
  }

  static AxisInfo difference(const AxisInfo& a, const AxisInfo& b) {
    const std::int64_t run = std::min(a.contiguity, b.constancy);
    return {.contiguity = run,
            .divisibility = std::min(divisibility_at(a, run, 1), each(b)),
            .constancy = std::min(a.constancy, b.constancy)};
  }

  // i / c is constant from one multiple of c to the next.
  static AxisInfo quotient(const AxisInfo& a, const AxisInfo& b) {
    const std::int64_t equal = std::min(a.constancy, b.constancy);
    if (!b.constant || *b.constant <= 0) return {.constancy = equal};
    return {.constancy = std::max(equal, std::min(aligned_run(a), power_of_two_in(*b.constant)))};
  }

  static AxisInfo remainder(const AxisInfo& a, const AxisInfo& b) {
    const std::int64_t equal = std::min(a.constancy, b.constancy);
    if (!b.constant || *b.constant <= 0) return {.constancy = equal};
    const std::int64_t unit = power_of_two_in(*b.constant), run = std::min(aligned_run(a), unit);
    return {.contiguity = run,
            .divisibility = std::min(divisibility_at(a, run, 1), unit),
            .constancy = equal};
  }

  /// Returns the constancy of rising < limit. If both are multiples of a power of two, then all elements of a
  /// run of that length are on the same side of the limit.
  static std::int64_t run_below(const AxisInfo& rising, const AxisInfo& limit) {
    const std::int64_t run = std::min({rising.contiguity, limit.constancy, each(limit)});
    return std::min(run, divisibility_at(rising, run, 1));
  }

  const Function& function_;
  const Op& op_;
  const std::vector<AxisInfo>& known_;
};

}  // namespace

std::int64_t divisibility_at(const AxisInfo& info, std::int64_t run, std::int64_t unit) {
  return info.contiguity > run ? std::min(info.divisibility, product(run, unit)) : info.divisibility;
}

std::vector<AxisInfo> axis_infos(const Function& function) {
  std::vector<AxisInfo> known(function.types.size());
  for (std::size_t i = 0; i < function.arguments.size(); ++i)
    known[i].divisibility = function.arguments[i].divisibility.value_or(1);
  for_each_op(function.body, [&](const Op& op) {
    if (std::holds_alternative<For>(op.kind)) {
      const auto of = [&](std::size_t i) { return known[static_cast<std::size_t>(op.operands[i].id)]; };
      const Value index = op.regions[0].arguments[0];
      known[static_cast<std::size_t>(index.id)].divisibility =
          std::min(of(0).divisibility, of(2).divisibility);
    }
    if (op.results.size() != 1 || !op.regions.empty()) return;
    const Rules rules(function, op, known);
    known[static_cast<std::size_t>(op.results[0].id)] =
        std::visit([&](const auto& kind) { return rules.result(kind); }, op.kind);
  });
  return known;
}

}  // namespace tutti::kernels
