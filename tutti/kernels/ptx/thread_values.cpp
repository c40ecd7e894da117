// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/thread_values.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "tutti/base/require.hpp"
#include "tutti/kernels/ptx/expressions.hpp"
#include "tutti/kernels/ptx/visit_ops.hpp"

namespace tutti::kernels {
namespace {

std::size_t at(Value value) { return static_cast<std::size_t>(value.id); }

std::int64_t pointee_bytes(const ValueType& type) { return std::max(bits(type.scalar), 8) / 8; }

/// Wraps a number around to a signed integer of the register's size.
std::int64_t wrapped(std::int64_t value, RegisterKind kind) {
  return kind == RegisterKind::b64 ? value : static_cast<std::int32_t>(value);
}

}  // namespace

ThreadValues::ThreadValues(const Function& f, int thread_count)
    : function(f),
      threads(thread_count),
      layouts_(thread_layouts(f, thread_count)),
      infos_(axis_infos(f)),
      definitions_(f.types.size()),
      uses_(f.types.size()),
      differs_(f.types.size()),
      held_(f.types.size()) {
  enter();
  for_each_op(f.body, [&](const Op& op) {
    bool differs = std::holds_alternative<ThreadId>(op.kind) || std::holds_alternative<ThreadWait>(op.kind);
    for (Value value : op.operands) {
      ++uses_[at(value)];
      differs = differs || differs_[at(value)];
    }
    for (Value value : op.results) {
      definitions_[at(value)] = &op;
      differs_[at(value)] = differs;
    }
  });
  prepare_lanes();
}

void ThreadValues::prepare_lanes() {
  const std::string thread = out.made(RegisterKind::b32, "mov.u32", {"%tid.x"});
  for (const auto& [n, layout] : layouts_) {
    Lane lane{thread, ""};
    const auto count = static_cast<std::int64_t>(layout.vector);
    if (layout.is_replicated()) {
      lane.reg = out.made(RegisterKind::b32, "and.b32", {thread, literal(n - 1, RegisterKind::b32)});
      lane.owner = out.made(RegisterKind::predicate, "setp.lt.u32", {thread, literal(n, RegisterKind::b32)});
    } else if (count > 1) {
      lane.reg = out.made(RegisterKind::b32, "mul.lo.u32", {thread, literal(count, RegisterKind::b32)});
    }
    lanes_.emplace(n, lane);
  }
}

const ThreadLayout& ThreadValues::layout(Value value) const {
  return layouts_.at(elements_of(type(value).dims));
}

const std::string& ThreadValues::lane(const ThreadLayout& layout) const {
  return lanes_.at(layout.elements).reg;
}

const std::string& ThreadValues::owner(const ThreadLayout& layout) const {
  return lanes_.at(layout.elements).owner;
}

const ElementValue& ThreadValues::held(Value value, int i) {
  auto& all = held_[at(value)];
  if (all.empty()) all.resize(static_cast<std::size_t>(layout(value).held()));
  if (!all.at(static_cast<std::size_t>(i))) define(value, i, computed(value, i));
  return *all[static_cast<std::size_t>(i)];
}

ElementValue ThreadValues::computed(Value value, int i) {
  const Op* op = definitions_[at(value)];
  ensure(op != nullptr, "ptx: {} has no value here", value_name(function, value));
  const std::int64_t vector = layout(value).vector;
  const auto first_of = [&](std::int64_t run) { return i - i % static_cast<int>(std::min(run, vector)); };
  if (const int first = first_of(info(value).constancy); first != i) return held(value, first);
  const int first = first_of(info(value).contiguity);
  if (first == i) return expression(*this, *op, i);
  ElementValue next = held(value, first);
  const std::int64_t unit = type(value).pointer ? pointee_bytes(type(value)) : 1;
  next.add = wrapped(next.add + (i - first) * unit, kind(value));
  return next;
}

std::string ThreadValues::operand(Value value, int i) {
  const ElementValue& h = held(value, i);
  if (h.reg.empty() && kind(value) != RegisterKind::predicate) return literal(h.add, kind(value));
  return reg(h, kind(value));
}

std::string ThreadValues::reg(const ElementValue& h, RegisterKind kind) {
  if (h.reg.empty() && kind == RegisterKind::predicate)
    return out.made(kind, "mov.pred", {h.add != 0 ? "1" : "0"});
  const std::string_view size = kind == RegisterKind::b64 ? "64" : "32";
  if (h.reg.empty()) return out.made(kind, fmt::format("mov.b{}", size), {literal(h.add, kind)});
  const std::string x = h.bit == 0 ? h.reg : out.made(kind, "shr.u32", {h.reg, fmt::format("{}", h.bit)});
  return h.add == 0 ? x : out.made(kind, fmt::format("add.s{}", size), {x, literal(h.add, kind)});
}

std::string ThreadValues::extended(Value value, int i, Extension extension) {
  const ElementValue& h = held(value, i);
  const Scalar scalar = type(value).scalar;
  if (!h.reg.empty()) return kernels::extended(out, extension, scalar, reg(h, kind(value)));
  const std::uint64_t mask = (std::uint64_t{1} << bits(scalar)) - 1;
  const std::uint64_t low = static_cast<std::uint64_t>(h.add) & mask;
  const bool is_negative = extension == Extension::signs && low > mask / 2;
  return literal(static_cast<std::int64_t>(is_negative ? low | ~mask : low), RegisterKind::b32);
}

void ThreadValues::define(Value value, int i, ElementValue held) {
  auto& all = held_[at(value)];
  if (all.empty()) all.resize(static_cast<std::size_t>(layout(value).held()));
  all.at(static_cast<std::size_t>(i)) = std::move(held);
  scopes_.back().emplace_back(value.id, i);
}

void ThreadValues::leave() {
  for (const auto& [value, i] : scopes_.back())
    held_[static_cast<std::size_t>(value)][static_cast<std::size_t>(i)].reset();
  scopes_.pop_back();
}

}  // namespace tutti::kernels
