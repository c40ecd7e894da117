// SPDX-License-Identifier: Apache-2.0
#include "tutti/kernels/ptx/atomics.hpp"

#include <fmt/core.h>

#include "tutti/base/require.hpp"
#include "tutti/kernels/ir/asm_text.hpp"
#include "tutti/kernels/ptx/accesses.hpp"
#include "tutti/kernels/ptx/shared.hpp"

namespace tutti::kernels {
namespace {

constexpr RegisterKind b64 = RegisterKind::b64;
constexpr int sleep_ns = 32;  // between polls; nanosleep sleeps up to twice as long

std::optional<Value> operand_at(const Op& op, std::size_t i) {
  return i < op.operands.size() ? std::optional(op.operands[i]) : std::nullopt;
}

/// Returns an instruction with order and scope: "atom.release.sys.global".
std::string strong(std::string_view what, Order order, Scope scope) {
  return fmt::format("{}.{}.{}.global", what, to_string(order), to_string(scope));
}

int bits_of(const ThreadValues& v, const Op& op) {
  const Scalar scalar = v.type(op.operands[0]).scalar;
  require(scalar != Scalar::i1, Code::argument, "ptx: {} accesses an i1 in memory; use i8",
          label(v.function, op));
  return bits(scalar);
}

/// Returns registers for the results. All but predicates start at 0, the result of threads without an access.
std::vector<std::string> results_of(ThreadValues& v, const Op& op) {
  const Value result = op.results[0];
  std::vector<std::string> registers;
  for (int i = 0; i < v.layout(result).held(); ++i) {
    registers.push_back(v.out.fresh(v.kind(result)));
    if (v.kind(result) == RegisterKind::predicate) continue;
    v.out.line(fmt::format("mov.b{} {}, 0", v.kind(result) == b64 ? 64 : 32, registers.back()));
  }
  return registers;
}

void define_results(ThreadValues& v, const Op& op, std::vector<std::string> registers) {
  const Value result = op.results[0];
  const ThreadLayout& layout = v.layout(result);
  if (layout.is_replicated() && v.is_used(result))
    registers[0] = given_to_copies(v, layout, v.kind(result), registers[0]);
  for (int i = 0; i < layout.held(); ++i) v.define(result, i, {registers[static_cast<std::size_t>(i)]});
}

std::string rmw_type(const ThreadValues& v, const Op& op, RmwOp what) {
  const int width = bits_of(v, op);
  switch (what) {
    case RmwOp::bit_and: return fmt::format("and.b{}", width);
    case RmwOp::bit_or: return fmt::format("or.b{}", width);
    case RmwOp::bit_xor: return fmt::format("xor.b{}", width);
    case RmwOp::exch: return fmt::format("exch.b{}", width);
    case RmwOp::add: return fmt::format("add.u{}", width);
    case RmwOp::max: return fmt::format("max.s{}", width);
    case RmwOp::min: return fmt::format("min.s{}", width);
    case RmwOp::umax: return fmt::format("max.u{}", width);
    case RmwOp::umin: return fmt::format("min.u{}", width);
    case RmwOp::fadd: break;
  }
  const Scalar scalar = v.type(op.operands[0]).scalar;
  return fmt::format("add.{}{}", width == 16 ? "noftz." : "", to_string(scalar));
}

/// Writes the addition of an f16 or bf16, which needs registers of 16 bits.
void write_rmw_of_half(ThreadValues& v, const std::string& how, const std::string& at,
                       const std::string& value, const std::string& result, const std::string& accesses) {
  const std::string term = v.out.made(RegisterKind::b16, "cvt.u16.u32", {value});
  const std::string before = v.out.made(RegisterKind::b16, "mov.b16", {term});
  v.out.line_if(accesses, fmt::format("{} {}, {}, {}", how, before, at, term));
  v.out.line_if(accesses, fmt::format("cvt.u32.u16 {}, {}", result, before));
}

void write_poll_loop(ThreadValues& v, const std::string& load, int width, const std::string& at,
                     const std::string& wanted, const std::string& arrived,
                     const std::optional<std::string>& timeout) {
  PtxWriter& out = v.out;
  const bool is_wide = width == 64;
  const std::string poll = out.fresh_label(), done = out.fresh_label();
  const std::string seen = out.fresh(is_wide ? b64 : RegisterKind::b32);
  const std::string start = timeout ? out.made(b64, "mov.u64", {"%globaltimer"}) : "";
  out.label(poll);
  out.line(fmt::format("{} {}, {}", load, seen, at));
  out.line(fmt::format("setp.eq.s{} {}, {}, {}", is_wide ? 64 : 32, arrived, seen, wanted));
  out.line_if(arrived, fmt::format("bra {}", done));
  out.line(fmt::format("nanosleep.u32 {}", sleep_ns));
  if (timeout) {
    const std::string now = out.made(b64, "mov.u64", {"%globaltimer"});
    const std::string waited = out.made(b64, "sub.s64", {now, start});
    const std::string in_time = out.made(RegisterKind::predicate, "setp.lt.u64", {waited, *timeout});
    out.line_if(in_time, fmt::format("bra {}", poll));
  } else {
    out.line(fmt::format("bra {}", poll));
  }
  out.label(done);
}

/// Replaces $0, $1, .. in a text by the operands.
std::string with_operands(std::string text, const std::vector<std::string>& operands) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string mark = fmt::format("${}", i);
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), operands[i]);
  }
  return text;
}

/// Writes an assembly text. Its only plain store writes the error pair, which is this rank's own memory.
void write_assembly(ThreadValues& v, const Op& op, const AsmText& assembly) {
  std::vector<std::string> operands{v.out.fresh(RegisterKind::b32)};
  for (Value value : op.operands) operands.push_back(v.reg(value, 0));
  std::string text = with_operands(assembly.text, operands);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    v.out.access("", line.find("st.global.v2") == std::string::npos ? line : line + " // own");
    at = end + 1;
  }
  v.define(op.results[0], 0, {operands[0]});
}

}  // namespace

void write_rmw(ThreadValues& v, const Op& op, const AtomicRmw& rmw, PtxTarget target) {
  const Value pointer = op.operands[0], value = op.operands[1];
  const Scalar scalar = v.type(pointer).scalar;
  require(scalar != Scalar::bf16 || target == PtxTarget::sm_90, Code::argument,
          "ptx: {} adds bf16 in memory, which sm_80 cannot; use f32", label(v.function, op));
  const std::string how = strong("atom", rmw.order, rmw.scope) + "." + rmw_type(v, op, rmw.op);
  const std::vector<std::string> results = results_of(v, op);
  for (int i = 0; i < v.layout(pointer).held(); ++i) {
    const std::string accesses = accessing(v, pointer, operand_at(op, 2), i, Access::once);
    const std::string at = address(v, pointer, i), x = v.reg(value, i);
    const std::string& result = results[static_cast<std::size_t>(i)];
    if (bits(scalar) == 16) write_rmw_of_half(v, how, at, x, result, accesses);
    else v.out.line_if(accesses, fmt::format("{} {}, {}, {}", how, result, at, x));
  }
  define_results(v, op, results);
}

void write_cas(ThreadValues& v, const Op& op, const AtomicCas& cas) {
  const std::string how = fmt::format("{}.cas.b{}", strong("atom", cas.order, cas.scope), bits_of(v, op));
  const std::vector<std::string> results = results_of(v, op);
  for (int i = 0; i < v.layout(op.operands[0]).held(); ++i) {
    const std::string accesses = accessing(v, op.operands[0], {}, i, Access::once);
    const std::string at = address(v, op.operands[0], i);
    const std::string expected = v.reg(op.operands[1], i), value = v.reg(op.operands[2], i);
    v.out.line_if(accesses, fmt::format("{} {}, {}, {}, {}", how, results[static_cast<std::size_t>(i)], at,
                                        expected, value));
  }
  define_results(v, op, results);
}

void write_atomic_store(ThreadValues& v, const Op& op, const AtomicStore& store) {
  const std::string how = fmt::format("{}.b{}", strong("st", store.order, store.scope), bits_of(v, op));
  for (int i = 0; i < v.layout(op.operands[0]).held(); ++i) {
    const std::string accesses = accessing(v, op.operands[0], operand_at(op, 2), i, Access::once);
    const std::string at = address(v, op.operands[0], i), x = v.reg(op.operands[1], i);
    v.out.line_if(accesses, fmt::format("{} {}, {}", how, at, x));
  }
}

void write_atomic_load(ThreadValues& v, const Op& op, const AtomicLoad& load) {
  const std::string how = fmt::format("{}.b{}", strong("ld", load.order, load.scope), bits_of(v, op));
  const std::vector<std::string> results = results_of(v, op);
  for (int i = 0; i < v.layout(op.operands[0]).held(); ++i) {
    const std::string accesses = accessing(v, op.operands[0], operand_at(op, 1), i, Access::once);
    const std::string at = address(v, op.operands[0], i);
    v.out.line_if(accesses, fmt::format("{} {}, {}", how, results[static_cast<std::size_t>(i)], at));
  }
  define_results(v, op, results);
}

void write_poll(ThreadValues& v, const Op& op, const AtomicPoll& poll) {
  const Value pointer = op.operands[0], wanted = op.operands[1];
  const int width = bits_of(v, op);
  const std::string load = fmt::format("{}.u{}", strong("ld", poll.order, poll.scope), width);
  const ThreadLayout& layout = v.layout(pointer);
  const std::vector<std::string> results = results_of(v, op);
  std::optional<std::string> timeout;
  if (op.operands.size() == 3) timeout = v.reg(op.operands[2], 0);
  for (int i = 0; i < layout.held(); ++i) {
    const std::string& arrived = results[static_cast<std::size_t>(i)];
    const std::string at = address(v, pointer, i);
    const std::string word = width < 32 ? v.extended(wanted, i, Extension::zeros) : v.reg(wanted, i);
    const std::string after = v.out.fresh_label();
    v.out.line(fmt::format("mov.pred {}, 0", arrived));
    if (layout.is_replicated()) v.out.line_if("!" + v.owner(layout), fmt::format("bra {}", after));
    write_poll_loop(v, load, width, at, word, arrived, timeout);
    v.out.label(after);
  }
  define_results(v, op, results);
}

void write_thread_signal(ThreadValues& v, const Op& op, const ThreadSignal& signal) {
  write_assembly(v, op, asm_text(signal));
}

void write_thread_wait(ThreadValues& v, const Op& op, const ThreadWait& wait) {
  write_assembly(v, op, asm_text(wait));
}

}  // namespace tutti::kernels
